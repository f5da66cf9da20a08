"""Lists, tuples, deques and dicts of which a run knows the length, beside NumPy's scalars and as indices."""

from collections import deque

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from tests.differential import check
from tests.spread import spread

XS = [(np.array([3.0, 2.0, 9.0]),), (np.array([0.0, 0.0, 0.0]),), (np.array([-1.0, 4.0, 1.0]),)]

OPERATORS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "divmod": lambda a, b: divmod(a, b),
    "and": lambda a, b: a & b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b,
}
SCALARS = {
    "staged_float": lambda x: x[0],
    "staged_int": lambda x: x.astype(int)[0],
    "staged_bool": lambda x: x[0] > 2,
    "float": lambda x: np.float64(2),
    "int": lambda x: np.int64(2),
    "bool": lambda x: np.bool_(True),
}
SEQUENCES = {
    "list": lambda x: [v for v in x if v > 0],
    "tuple": lambda x: tuple([v for v in x if v > 0]),
    "deque": lambda x: deque([v for v in x if v > 0]),
}


@pytest.mark.parametrize(("sequence", "scalar"), spread([*SEQUENCES], [*SCALARS]))
def test_a_sequence_beside_a_scalar(sequence, scalar):
    sequence_of, scalar_of = SEQUENCES[sequence], SCALARS[scalar]

    def attempt(operate, a, b):
        try:
            return operate(a, b)
        except TypeError as error:
            return str(error)

    def f(x):
        a, b = sequence_of(x), scalar_of(x)
        return [(attempt(operate, a, b), attempt(operate, b, a)) for operate in OPERATORS.values()]

    check(f, *XS, may_refuse=scalar in ("float", "int", "bool"))


def test_a_dict_beside_an_array():
    def f(x):
        d = {v: 1 for v in x if v > 0}
        return d == x

    assert not check(f, *XS, may_refuse=True)


def reads(x):
    t = tuple(i for i in range(3) if x[i] > 5)
    return x[t]


def writes(x):
    t = tuple(i for i in range(3) if x[i] > 5)
    x[t] = 5
    return x


def changes(x):
    t = tuple(i for i in range(3) if x[i] > 5)
    x[t] += 5
    return x


def reads_a_scalar(x):
    t = tuple(i for i in range(3) if x[i] > 5)
    return x[0][t]


@pytest.mark.parametrize("f", [reads, writes, changes, reads_a_scalar], ids=lambda f: f.__name__)
def test_a_tuple_as_an_index_is_refused(f):
    assert not check(f, *XS, may_refuse=True)
    with pytest.raises(StagingError, match="axis by axis, with a tuple of which only a run"):
        rt.function(f)(np.array([3.0, 2.0, 9.0]))
