"""What would happen once, while tracing, instead of in each run is refused where it stands."""

import collections

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError


def advances_an_iterator(x):
    numbers = iter([1, 2, 3])
    if x[0] > 0:
        next(numbers)
    return next(numbers)


def changes_a_defaultdict(x):
    table = collections.defaultdict(float)
    if x[0] > 0:
        table["a"] += x[1]
    return table


def chooses_a_list(x):
    a, b = [1.0], [2.0]
    c = a if x[0] > 0 else b
    return c is a


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (advances_an_iterator, "a list_iterator that was made before is advanced under a staged condition"),
        (changes_a_defaultdict, "an item of a defaultdict is changed, which is not staged"),
        (chooses_a_list, "is one of several list objects, chosen by a staged condition"),
    ],
)
def test_refused(function, words):
    with pytest.raises(StagingError, match=words) as refused:
        rt.function(function)(np.array([1.0, 2.0]))
    assert refused.value.file == __file__ and refused.value.line and refused.value.hint
