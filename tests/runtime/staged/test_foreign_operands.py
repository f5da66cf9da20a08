"""Operators between arrays and what is no number: NumPy's errors, ranges, objects with their operators."""

import operator

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import ENGINES
from tests.long import some
from tests.programs import Programs
from tests.spread import spread

PROGRAMS = Programs()
ARRAYS = (np.array([1.0, 2.0]),), (np.array([1, 2]),), (np.float64(2),), (np.array(True),)
OTHERS = {
    "str": "a",
    "bytes": b"a",
    "None": None,
    "class": int,
    "function": len,
    "slice": slice(1),
}
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "lt", "ge")
IN_PLACE = ("iadd", "imul", "ipow")


class Vector:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return "add", other

    def __radd__(self, other):
        return "radd", other

    def __gt__(self, other):
        return "gt", other


class Deferred(Vector):
    __array_ufunc__ = None


@pytest.mark.parametrize(
    ("name", "kind"), some([pytest.param(*case) for case in spread([*OPERATORS, *IN_PLACE], [*OTHERS])])
)
def test_the_error_is_numpys(name, kind):
    other, apply = OTHERS[kind], getattr(operator, name)

    def attempt(x):
        found = []
        for swapped in (False,) if name in IN_PLACE else (False, True):
            try:
                found.append(apply(other, x) if swapped else apply(x, other))
            except (TypeError, ValueError) as error:
                found += [type(error), str(error)]
        return found

    if kind in ("str", "bytes") and name == "mod":
        return  # `"a" % x` formats
    if kind == "bytes" and name in ("add", "iadd"):
        return  # b"a" + np.float64(1) takes the number's own bytes
    for (x,) in ARRAYS:
        compiled = rt.function(attempt, engine="numpy")  # what an engine adds is the return of a constant
        try:
            expected = attempt(x.copy())
        except Exception as error:
            with pytest.raises(type(error)):
                compiled(x.copy())
            continue
        assert compiled(x.copy()) == expected


@PROGRAMS.of((np.array([1.0, 2.0]), 2), (np.array([1, 2, 3]), 3), (np.int64(3), 4))
def ranges(x, n):
    return range(n) * x, x + range(n), x == range(n), range(1, n + 1) - x


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("apply", [operator.add, operator.lt, operator.iadd])
@pytest.mark.parametrize("other", [Vector(1), Deferred(1)])
def test_what_is_no_number_beside_an_array_is_refused(engine, apply, other):
    compiled = rt.function(lambda x: apply(x, other), engine=engine)
    with pytest.raises(StagingError, match=r"between an array .*\n(.*\n)*hint: make an array"):
        compiled(np.ones(2))


test_program = PROGRAMS.test()
