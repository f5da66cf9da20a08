"""What is not staged of containers that a run changes is refused, not taken for a mistake of the program."""

import itertools
import operator

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check


def changed(make, use):
    """A function that changes a container in a staged loop, and then uses it."""

    def f(x):
        made = make()
        for v in x:
            if v > 0:
                made.add(v) if isinstance(made, set) else made.append(v)
        return use(made)

    return f


@pytest.mark.parametrize(
    ("make", "use"),
    [
        (set, lambda s: frozenset([1.0]) | s),
        (list, lambda xs: itertools.tee(xs)),
    ],
)
def test_refused(make, use):
    with pytest.raises(StagingError) as refused:
        rt.function(changed(make, use))(np.arange(40.0) - 20)
    assert refused.value.hint


@pytest.mark.parametrize("b", [(3.0,), (1.0, 2.0)])
def test_whether_a_tuple_is_one_of_two(b):
    def f(x, a, b):
        chosen = a if x > 0 else b
        return chosen is a, chosen is b

    with pytest.raises(StagingError, match="the same object"):
        rt.function(f)(np.float64(1), (1.0, 2.0), b)


up = operator.methodcaller("__abs__")


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: itertools.tee([x]), "`itertools.tee` is compiled code"),
        (lambda x: up(x[0]), "`operator.methodcaller` is compiled code"),
        (lambda x: list(map(up, x)), "`operator.methodcaller` is compiled code"),
    ],
)
def test_calls_that_are_refused(f, words):
    with pytest.raises(StagingError, match=words) as refused:
        rt.function(f)(np.arange(4.0))
    assert refused.value.hint


def kept(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return found


@pytest.mark.parametrize(
    "use", [lambda xs: xs + None, lambda xs: xs < 3, lambda xs: xs["a"], lambda xs: {xs: 1}]
)
def test_mistakes_of_the_program(use):
    def f(x):
        return use(kept(x))

    check(f, (np.array([1.0, -1.0]),))


# -- Wrong calls of builtins, and the classes of views and ranges

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
