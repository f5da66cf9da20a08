"""`range` with bounds that only a run knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runtime
from tests.differential import check
from tests.modules import module_of


def test_a_range_of_an_exception_is_a_type_error() -> None:
    def count(x: float) -> Any:
        total = x
        try:
            total = 1.0 // x
        except ZeroDivisionError as error:
            for i in range(error):  # type: ignore[call-overload]
                total = total + i
        return total

    assert check(count, (0.0,), (2.0,))


def test_a_range_of_a_float_raises_what_python_raises() -> None:
    @runtime.function
    def count(x: float) -> Any:
        total = x
        for i in range(x):
            total = total + i
        return total

    with pytest.raises(TypeError, match="^'float' object cannot be interpreted as an integer$"):
        count(1.5)


#: what may be asked of ``r``, a range of which only a run knows the length; ``n`` is an int
QUESTIONS = (
    """
r.start, r.stop, r.step; n in r
len(r), bool(r)
str(r), repr(r), f"{r}", "%s" % (r,); r[0], r[-1], r[n - 1]
r[n + 1]
r[1:], r[::-1], r[:n], r[n:0:-2]; r[1:][0]; r["a"]; list(r), sum(r), sorted(r, reverse=True)
isinstance(r, range), isinstance(r, (int, range)), type(r) is range; r.__len__(); r.foo; r(); r + r
r < r; r * 2
int(r); [10, 20, 30, 40, 50][r.stop]; (r, [r]); {"r": r}; r or 5, not r
range(n, 0, -1)[1:].step
""".strip()
    .replace("\n", "; ")
    .split("; ")
)


@pytest.mark.parametrize(
    "question", ["r.index(2)", "r == range(3)", "r != range(n)", "{r: 1}", "range(5).index(n)"]
)
def test_what_a_range_is_not_asked(question: str) -> None:
    asked = module_of(f"def asked(n):\n    r = range(n + 1)\n    return {question}\n")["asked"]
    assert not check(asked, (np.int64(2),), may_refuse=True)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_a_range_is_asked(question: str) -> None:
    source = f"def asked(n):\n    r = range(n + 1)\n    return {question}\n"
    asked = module_of(source)["asked"]
    assert check(asked, (np.int64(2),), (3,), (np.int64(4),))


def _anded(x, k):
    return 1 if x[0] > 0 and x[1] < 0 and range(k) else 2


def _while_it_returns(x, k):
    while x[1] < 0 and range(k):
        return x
    return k


def _of_two_conditions(x, k):
    r = None
    if x[0] > 0:
        r = range(k) if x[1] < 0 else x[1]
    return list(r) if isinstance(r, range) else 3


def _in_a_tuple(x, k):
    r = True
    if x[0] > 0:
        if x[1] < 0:
            r = ((range(k), 1), k)
    return 4 if r is True else len(r[0][0])


@pytest.mark.parametrize("program", [_anded, _while_it_returns, _of_two_conditions, _in_a_tuple])
def test_a_range_that_is_one_of_several_things_leaves_two_blocks(program):
    calls = [
        (np.array(values), np.int64(k)) for values in ([1.0, -1.0], [1.0, 1.0], [-1.0, -1.0]) for k in (0, 3)
    ]
    assert check(program, *calls)
