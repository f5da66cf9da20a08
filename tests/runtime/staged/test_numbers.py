"""Staged Python numbers keep Python's arithmetic; beside arrays they are weak, as in NumPy."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograph.errors import StagingError
from tests.observation import Observer, first_difference
from tests.runtime.staging import as_traced, outcome, run

NUMBERS = st.booleans() | st.integers(-100, 100) | st.floats(allow_nan=False, width=32)
BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
    divmod,
]
INTEGER = [operator.and_, operator.or_, operator.xor]


def same(function, *args):
    expected = outcome(function, *args)
    got = outcome(lambda *a: run(function, *a), *args)
    difference = first_difference(Observer().see(expected), Observer().see(got))
    assert difference is None, difference


@given(function=st.sampled_from(BINARY), x=NUMBERS, y=NUMBERS)
def test_operators(function, x, y):
    same(function, x, y)
    same(lambda x: function(x, y), x)
    same(lambda y: function(x, y), y)


@pytest.mark.filterwarnings("ignore:Bitwise inversion")
@given(
    function=st.sampled_from(INTEGER), x=st.integers() | st.booleans(), y=st.integers(-9, 9) | st.booleans()
)
def test_bits(function, x, y):
    if -(2**63) <= x < 2**63:
        same(function, x, y)
        same(lambda x: ~x, x)


@given(x=st.integers(-(2**62), 2**62), y=st.integers(0, 70))
def test_shifts(x, y):
    for shift in (operator.lshift, operator.rshift):
        expected = shift(x, y)
        if -(2**63) <= expected < 2**63:
            assert run(shift, x, y) == expected
        else:
            with pytest.raises(OverflowError, match="does not fit in 64 bits"):
                run(shift, x, y)


@given(x=st.integers(-12, 12), n=st.integers(-4, 12))
def test_power_with_a_static_exponent(x, n):
    same(lambda x: x**n, x)
    same(lambda x: float(n) ** 2 + x, x)


def test_power_of_two_staged_ints_must_be_an_int():
    assert run(lambda x, n: x**n, 3, 4) == 81
    with pytest.raises(StagingError, match=r"write float\(x\) \*\* n"):
        run(lambda x, n: x**n, 3, -1)
    with pytest.raises(StagingError, match=r"write complex\(x\) \*\* y"):
        run(lambda x, y: x**y, -8.0, 0.5)
    with pytest.raises(OverflowError, match="does not fit in 64 bits: 10 \\*\\* 1000000000"):
        run(lambda x, n: x**n, 10, 10**9)


def test_an_int_does_not_wrap_around():
    for function, args in [
        (operator.add, (2**62, 2**62)),
        (operator.mul, (2**40, -(2**40))),
        (operator.neg, (-(2**63),)),
        (abs, (-(2**63),)),
        (operator.sub, (-(2**62), 2**62 + 1)),
        (operator.floordiv, (-(2**63), -1)),
    ]:
        with pytest.raises(OverflowError, match="does not fit in 64 bits"):
            run(function, *args)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: -x,
        lambda x: +x,
        lambda x: abs(x),
        lambda x: round(x),
        lambda x: round(x, 1),
        lambda x: int(x),
        lambda x: float(x),
        lambda x: bool(x),
        lambda x: complex(x),
        lambda x: x.real,
        lambda x: x.imag,
        lambda x: x.conjugate(),
        lambda x: math.floor(x),
        lambda x: math.ceil(x),
        lambda x: math.trunc(x),
        lambda x: math.sqrt(x),
        lambda x: math.exp(x),
        lambda x: math.isnan(x),
        lambda x: math.log(x),
        lambda x: math.log(x, 2),
        lambda x: math.hypot(x, 4),
        lambda x: math.gcd(x, 6),
        lambda x: math.modf(x),
        lambda x: math.isclose(x, 2.5),
        lambda x: sum([x, x, 1]),
        lambda x: pow(x, 2),
        lambda x: divmod(x, 2),
        lambda x: divmod(7, x),
        lambda x: isinstance(x, int),
        lambda x: isinstance(x, (float, str)),
        lambda x: math.factorial(x),
        lambda x: math.sin(x),
        lambda x: math.atan2(x, 2),
        lambda x: len(x),
        lambda x: x.foo,
        lambda x: math.acos(x),
        lambda x: math.exp(x * 1000),
        lambda x: x // 0,
        lambda x: x % 0,
        lambda x: 1 / (x - x),
        lambda x: x @ x,
        lambda x: np.float64(2) * x,
        lambda x: x + np.float32(1),
        lambda x: x < np.float64(3),
        lambda x: np.sqrt(x),
        lambda x: x & 1,
        lambda x: "a" + x,
        lambda x: [1] + x,
        lambda x: x + "a",
        lambda x: x < "a",
    ],
)
@pytest.mark.parametrize("x", [3, 2.5, True, -4])
def test_functions(function, x):
    expected = outcome(function, x)
    got = outcome(lambda *a: run(as_traced(function), *a), x)
    if (
        isinstance(expected, tuple)
        and expected
        and isinstance(expected[0], type)
        and expected[0] is TypeError
    ):
        assert got[0] is TypeError, got
        return
    difference = first_difference(Observer().see(expected), Observer().see(got))
    assert difference is None, difference


def test_integer_tests():
    assert run(lambda x: x.is_integer(), 2.0) is True
    assert run(lambda n: n.bit_length(), 9) == 4
    assert run(lambda n: pow(n, 5, 7), 3) == pow(3, 5, 7)


def test_what_python_must_know_now_is_refused():
    for use in (bool, int, hash, range, lambda n: [1, 2][n], lambda n: [0] * n, str, "{}".format):
        with pytest.raises(StagingError, match="known only at run time|outside converted code"):
            run(lambda n: (use(n), n)[1], 3)
