"""`type(v)` is the class that the program made, also where an instance of ours stands for it in a trace."""

import contextlib

import numpy as np
import pytest

from tests.differential import check
from tests.long import some


class Base:
    pass


@contextlib.contextmanager
def managed():
    yield


MAKES = [
    managed,
    lambda: super(Base, Base()),
    lambda: map(abs, [1]),
    lambda: (n for n in [1]),
    lambda: range(3),
]


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("make", MAKES)
def test_what_the_class_is(make, engine):
    kind = type(make())

    def f(x):
        v = make()
        cls = type(v)
        named = (cls.__name__, cls.__qualname__, cls.__module__, repr(cls), f"{cls}")
        return (
            cls is kind,
            v.__class__ is kind,
            isinstance(v, kind),
            issubclass(cls, kind),
            named,
            {cls: x[0]},
        )

    assert check(f, (np.array([1.0]),), (np.array([2.0]),), engines=[engine])
