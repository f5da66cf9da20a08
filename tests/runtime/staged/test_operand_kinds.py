"""Operators and builtins between operands of every kind: value, type, kind of exception, what is changed."""

import copy
import operator
import warnings

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.long import some
from tests.programs import Programs

OPERANDS = {
    "floats": np.array([1.5, -2.0, 0.0]),
    "ints": np.array([3, -2, 0]),
    "no rank": np.array(2.5),
    "int": 3,
    "negative": -2,
    "float": 2.5,
    "bool": True,
    "float64": np.float64(2.5),
    "int64": np.int64(3),
    "complex": 1 + 2j,
    "list": [1, 2, 3],
    "tuple": (1, 2, 3),
}
BINARY = {
    **{
        name: getattr(operator, name)
        for name in (
            "add",
            "sub",
            "mul",
            "truediv",
            "floordiv",
            "mod",
            "pow",
            "eq",
            "lt",
            "getitem",
        )
    },
    **{name: getattr(operator, name) for name in ("iadd", "isub", "imul", "itruediv")},
    "range": lambda a, b: list(range(a, b)),
    "round": round,
    "divmod": divmod,
    "sum": sum,
}


def _described(value):
    if isinstance(value, list | tuple):
        return type(value).__name__, [_described(item) for item in value]
    if isinstance(value, np.ndarray):
        return "array", value.dtype, repr(value.tolist())
    return type(value).__name__, repr(value)


def _outcome(f, a, b):
    a, b = copy.deepcopy((a, b))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _described(f(a, b)), _described(a)
        except StagingError:
            return None
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("name", some(BINARY))
def test_every_pair_of_operands(name):
    function = BINARY[name]

    def program(a, b):
        return function(a, b)

    for first, a in OPERANDS.items():
        for second, b in OPERANDS.items():
            plain, ours = _outcome(program, a, b), _outcome(rt.function(program, engine="numpy"), a, b)
            if ours is None:  # refused
                continue
            if isinstance(plain, type) and isinstance(ours, type):
                assert issubclass(plain, ours), (first, second)  # NumPy's UFuncTypeError is a TypeError here
            else:
                assert ours == plain, (first, second)


PROGRAMS = Programs()
X = np.array([1.0, -2.0, 3.0])


@PROGRAMS.of((X,))
def a_list_plus_an_array_in_place(x):
    """`items += x` makes an array of both: NumPy's operator is asked before the list's."""
    items, grown = [1, 2, 3], [0, 0, 0]
    before = items
    items += x
    for v in x:
        grown += [v]
    grown += np.array([1.0])
    single = [1, 2]
    single += np.float64(1)
    return items, before, grown, single


@PROGRAMS.of((X.copy(),), (-X,))
def an_array_in_place_with_one_of_several(x):
    y = 1 if x[0] > 0 else 2.5
    x += y
    return x, y


@PROGRAMS.of((X, 1 + 1j), (X[1:], 2j))
def a_python_complex_stays_one(x, c):
    z = 0j
    for v in x:
        z = z * 1j + v
    return z, 1j * x[0], c * x[0], x[0] * c, c / x[1], c == x[0], c ** x[0], c - np.float64(2)


@PROGRAMS.of((3,), (2.5,), (np.float32(2),), (np.array(1.5),))
def arrays_like_a_number(n):
    like = np.zeros_like(n), np.ones_like(n), np.full_like(n, 2)
    return like, np.asfortranarray(n), np.broadcast_arrays(n, n)


@PROGRAMS.of((X, 3), (X[1:], 1))
def numbers_in_a_range(x, n):
    return (
        n in range(5),
        x[0] in range(5),
        n + 0.5 in range(3),
        np.int64(3) in range(n),
        x[-1] in range(0, 9, n),
    )


test_program = PROGRAMS.test()
