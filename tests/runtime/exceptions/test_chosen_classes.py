"""Classes that a run chooses: `isinstance` and `issubclass` ask for them, `except` for known ones only."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check

X = np.array([1.0, -2.0])


def in_a_tuple(x):
    kinds = (KeyError if x[0] > 0 else ValueError, (IndexError, int))
    return isinstance(KeyError("k"), kinds), issubclass(IndexError, kinds), isinstance(x[1], kinds)


@pytest.mark.parametrize("f", [in_a_tuple])
def test_a_class_that_a_run_chooses(f):
    assert check(f, Call(X), Call(-X))


def in_an_except(x):
    chosen = KeyError if x[0] > 0 else ValueError
    try:
        return [10, 20, 30][int(x[0])]
    except (chosen, OSError):
        return 1


def of_a_list_that_a_run_knows(x):
    classes = [ValueError]
    if x[0] > 1:
        classes.append(IndexError)
    try:
        return [10, 20, 30][int(x[0])]
    except tuple(classes):
        return 1


@pytest.mark.parametrize("f", [in_an_except, of_a_list_that_a_run_knows])
def test_classes_that_only_a_run_knows_are_refused(f):
    with pytest.raises(StagingError, match="is known only at run time|that only a run knows"):
        rt.function(f)(X)
