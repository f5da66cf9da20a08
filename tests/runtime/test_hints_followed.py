"""Refusals whose hints are followed to the letter: the program that comes out of it works."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check


def difference(a=1, b=2):
    return a - b


def raises_a_group(x, n):
    try:
        if x > 1:
            raise ExceptionGroup("several", [ValueError(n)])
    except* ValueError:
        n = -n
    return n


def raises_single_ones(x, n):
    try:
        if x > 1:
            raise ValueError(n)
    except ValueError:
        n = -n
    return n


@pytest.mark.parametrize(
    ("refused", "followed", "hint"),
    [
        (raises_a_group, raises_single_ones, "raise single exceptions, no group"),
    ],
)
def test_the_hint_works(refused, followed, hint):
    calls = [Call(np.float64(x), np.int64(n)) for x, n in ((5.0, 3), (0.5, 1), (2.5, 2), (0.5, 4))]
    with pytest.raises(StagingError, match=hint):
        rt.function(refused)(*calls[0].args)
    check(followed, *calls)
