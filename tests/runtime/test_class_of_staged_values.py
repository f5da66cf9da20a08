"""`x.__class__` is what `type(x)` is."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError


@pytest.mark.parametrize("x", [np.ones(2), np.float32(1), 1.0, 1, True], ids=lambda x: type(x).__name__)
def test_the_class_of_an_argument(x):
    def f(x):
        return x.__class__, getattr(x, "__class__"), x.__class__.__name__, isinstance(x, x.__class__)

    assert rt.function(f)(x) == f(x)


@pytest.mark.parametrize("method", ["sum", "__add__", "argmax"])
def test_the_class_of_a_method_is_refused(method):
    f = rt.function(lambda x: type(getattr(x, method)))
    with pytest.raises(StagingError, match="the class of a method of a staged value"):
        f(np.arange(3.0))


def test_the_class_of_an_iterator_over_staged_text_is_refused():
    def f(n):
        return type(iter(str(n)))  # of text that is not ASCII it is another one

    with pytest.raises(StagingError, match="the class of an iterator over text is asked for"):
        for n in (1, 2, 3):
            rt.function(f)(n)
