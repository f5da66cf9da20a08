"""Wrong calls of builtins, and the classes of views and ranges."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError

WRONG = [
    lambda x: hasattr(x, 2),
    lambda x: getattr(x, 3),
    lambda x: getattr(x, "zz", 1, 2),
    lambda x: isinstance(x, "q"),
    lambda x: set(x, foo=1),
    lambda x: list(x, foo=1),
    lambda x: type(x, foo=1),
    lambda x: zip([x], foo=1),
    lambda x: enumerate(start=1),
    lambda x: enumerate([1], foo=1),
    lambda x: reversed([x], foo=1),
    lambda x: map(str, [x], foo=1),
]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("x", [1, np.array([1.0])])
def test_wrong_calls_of_builtins(wrong, x):
    with pytest.raises((TypeError, StagingError)):
        rt.function(wrong)(x)
