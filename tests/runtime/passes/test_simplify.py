"""Constants and identities: what is folded, what is left for run time, what does not hold for every value."""

import pytest

from runtime.passes import fold_constants, simplify
from tests.runtime.passes.graphs import check, unchanged


def test_python_and_numpy_arithmetic_keep_their_types():
    check(
        fold_constants,
        """
        graph f() -> (int, float, f32, b1):
            a: int = py.floordiv(-7, 2)
            b: float = py.truediv(a, 2)
            c: f32 = add(f32(0.1), 1)
            d: b1 = less(c, 2.0)
            return a, b, c, d
        """,
        """
        graph f() -> (int, float, f32, b1):
            return -4, -2.0, f32(1.1), b1(True)
        """,
    )


@pytest.mark.parametrize(
    "operation",
    [
        "y: int = py.floordiv(1, 0)",
        "y: int = py.add(9223372036854775807, 1)",
        "y: int = py.pow(10, 1000000000)",
        "y: f64 = true_divide(f64(1.0), f64(0.0))",
        "y: int = py.invert(True)",
    ],
)
def test_what_raises_or_warns_is_left_for_run_time(operation):
    type = operation.split()[1]
    unchanged(fold_constants, f"graph f() -> {type}:\n    {operation}\n    return y\n")


def test_a_branch_that_raises_ends_the_block():
    check(
        fold_constants,
        """
        graph f(x: int) -> int:
            if True:
                raise ValueError('no')
            y: int = py.add(x, 1)
            return y
        """,
        """
        graph f(x: int) -> never:
            raise ValueError('no')
        """,
    )


def test_identities_that_hold_for_every_value():
    check(
        simplify,
        """
        graph f(x: float, n: int, c: bool, z: f32) -> (float, int, bool, f32):
            a: float = py.sub(x, 0.0)
            b: float = py.truediv(a, 1)
            d: int = py.add(0, n)
            e: bool = py.not(c)
            g: bool = py.not(e)
            h: f32 = multiply(z, 1.0)
            return b, d, g, h
        """,
        """
        graph f(x: float, n: int, c: bool, z: f32) -> (float, int, bool, f32):
            e: bool = py.not(c)
            return x, n, c, z
        """,
    )


@pytest.mark.parametrize(
    "operation",
    [
        "y: float = py.add(x, 0.0)",  # -0.0 + 0.0 is 0.0
        "y: float = py.sub(x, -0.0)",  # so is -0.0 - -0.0
        "y: float = py.mul(x, 0.0)",  # NaN, infinity, sign
        "y: float = py.sub(x, x)",
        "y: bool = py.eq(x, x)",  # NaN
        "y: int = py.add(c, 0)",  # True + 0 is the int 1
        "y: complex = py.mul(z, 1)",  # (inf+0j) * 1 is (inf+nanj)
        "y: f64[3] = multiply(v, 1.0)",  # new memory
    ],
)
def test_identities_that_do_not_hold(operation):
    type = operation.split()[1]
    unchanged(
        simplify,
        f"""
        graph f(x: float, c: bool, z: complex, v: f64[3]) -> {type}:
            {operation}
            return y
        """,
    )


def test_what_both_branches_yield_alike():
    check(
        simplify,
        """
        graph f(c: bool, x: float) -> (float, float):
            y: float, z: float = if c:
                yield x, 1.0
            else:
                yield x, 2.0
            return y, z
        """,
        """
        graph f(c: bool, x: float) -> (float, float):
            y: float, z: float = if c:
                yield x, 1.0
            else:
                yield x, 2.0
            return x, z
        """,
    )


def test_a_condition_spelled_out():
    check(
        simplify,
        """
        graph f(c: bool, x: b1) -> (bool, bool, bool):
            a: bool, b: bool = if c:
                yield True, False
            else:
                yield False, True
            d: bool = if x:
                yield True
            else:
                yield False
            return a, b, d
        """,
        """
        graph f(c: bool, x: b1) -> (bool, bool, bool):
            a: bool, b: bool = if c:
                yield True, False
            else:
                yield False, True
            d: bool = if x:
                yield True
            else:
                yield False
            return c, b, d
        """,
    )
