"""Each pass: a graph before, the graph after; and what must stay as it is."""

from textwrap import dedent

import pytest

from runtime.formats.parse import parse
from runtime.graph.verify import verify
from runtime.passes import (
    fold_constants,
    hoist_loop_invariants,
    merge_common_subexpressions,
    optimize,
    remove_constant_state,
    remove_dead_code,
    simplify,
)


def check(run, before: str, after: str, **options) -> None:
    graph = parse(dedent(before), **options)
    verify(graph)
    changed = run(graph)
    verify(changed)
    assert str(changed).strip() == dedent(after).strip()


def unchanged(run, text: str, **options) -> None:
    check(run, text, text, **options)


# -- constants -----------------------------------------------------------------------------------------


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


# -- identities ----------------------------------------------------------------------------------------


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


# -- common subexpressions -----------------------------------------------------------------------------


def test_pure_operations_merge_also_into_nested_blocks():
    check(
        merge_common_subexpressions,
        """
        graph f(c: bool, x: float, y: float) -> float:
            a: float = py.mul(x, y)
            r: float = if c:
                b: float = py.mul(x, y)
                yield b
            else:
                d: float = py.neg(x)
                yield d
            return r
        """,
        """
        graph f(c: bool, x: float, y: float) -> float:
            a: float = py.mul(x, y)
            r: float = if c:
                yield a
            else:
                d: float = py.neg(x)
                yield d
            return r
        """,
    )


def test_a_branch_offers_nothing_to_what_comes_after():
    unchanged(
        merge_common_subexpressions,
        """
        graph f(c: bool, x: float) -> float:
            if c:
                a: float = py.neg(x)
            b: float = py.neg(x)
            return b
        """,
    )


def test_reads_on_both_sides_of_a_write_stay_two():
    unchanged(
        merge_common_subexpressions,
        """
        graph f(x: f64[3], y: f64[3]) -> (f64, f64):
            a: f64 = x[0]
            y[0] = 1.0
            b: f64 = x[0]
            return a, b
        """,
    )


def test_a_write_in_one_branch_is_nothing_to_the_other():
    check(
        merge_common_subexpressions,
        """
        graph f(x: f64[3], c: bool) -> f64:
            a: f64 = x[0]
            b: f64 = if c:
                p: f64 = x[0]
                x[0] = 1.0
                yield p
            else:
                q: f64 = x[0]
                yield q
            d: f64 = x[0]
            return d
        """,
        """
        graph f(x: f64[3], c: bool) -> f64:
            a: f64 = x[0]
            b: f64 = if c:
                x[0] = 1.0
                yield a
            else:
                yield a
            d: f64 = x[0]
            return d
        """,
    )


def test_a_loop_that_writes_later_spoils_earlier_reads_in_its_body():
    unchanged(
        merge_common_subexpressions,
        """
        graph f(x: f64[3], n: int) -> f64:
            a: f64 = x[0]
            s: f64 = for i: int in range(0, n, 1) with s: f64 = a:
                b: f64 = x[0]
                s.2: f64 = add(s, b)
                x[0] = 2.0
                yield s.2
            return s
        """,
    )


def test_new_arrays_that_are_handed_out_stay_two():
    unchanged(
        merge_common_subexpressions,
        """
        graph f(x: f64[3]) -> (f64[3], f64[3]):
            a: f64[3] = negative(x)
            b: f64[3] = negative(x)
            return a, b
        """,
    )


def test_new_arrays_that_are_written_stay_two():
    unchanged(
        merge_common_subexpressions,
        """
        graph f(x: f64[3]) -> f64:
            a: f64[3] = negative(x)
            b: f64[3] = negative(x)
            a[0] = 1.0
            s: f64 = sum(b, axis=None)
            return s
        """,
    )


def test_new_arrays_that_stay_inside_merge():
    check(
        merge_common_subexpressions,
        """
        graph f(x: f64[3]) -> f64:
            a: f64[3] = negative(x)
            b: f64[3] = negative(x)
            y: f64[3] = multiply(a, b)
            s: f64 = sum(y, axis=None)
            return s
        """,
        """
        graph f(x: f64[3]) -> f64:
            a: f64[3] = negative(x)
            y: f64[3] = multiply(a, a)
            s: f64 = sum(y, axis=None)
            return s
        """,
    )


# -- loops ---------------------------------------------------------------------------------------------


def test_what_may_raise_stays_in_the_loop():
    unchanged(
        hoist_loop_invariants,
        """
        graph f(x: int, y: int, n: int) -> int:
            t: int = for i: int in range(0, n, 1) with t: int = 0:
                q: int = py.floordiv(x, y)
                yield q
            return t
        """,
    )


def test_a_read_of_what_the_loop_writes_stays():
    unchanged(
        hoist_loop_invariants,
        """
        graph f(x: f64[3], y: f64[3], n: int) -> ():
            for i: int in range(0, n, 1):
                s: f64 = sum(x, axis=None)
                y[0] = s
        """,
    )


def test_a_new_array_in_each_iteration_that_is_written_stays():
    unchanged(
        hoist_loop_invariants,
        """
        graph f(x: f64[3], n: int) -> f64[3]:
            y: f64[3] = for i: int in range(0, n, 1) with y: f64[3] = x:
                a: f64[3] = negative(x)
                yield a
            return y
        """,
    )


def test_invariants_leave_several_loops():
    check(
        optimize,
        """
        graph f(x: float, n: int) -> float:
            t: float = for i: int in range(0, n, 1) with t: float = 0.0:
                t.2: float = for j: int in range(0, n, 1) with t.2: float = t:
                    a: float = py.neg(x)
                    t.3: float = py.add(t.2, a)
                    yield t.3
                yield t.2
            return t
        """,
        """
        graph f(x: float, n: int) -> float:
            a: float = py.neg(x)
            t: float = for i: int in range(0, n, 1) with t: float = 0.0:
                t.2: float = for j: int in range(0, n, 1) with t.2: float = t:
                    t.3: float = py.add(t.2, a)
                    yield t.3
                yield t.2
            return t
        """,
    )


def test_state_that_a_loop_sets_to_what_it_was():
    check(
        remove_constant_state,
        """
        graph f(x: float, n: int) -> float:
            k: int, y: float = while with k: int = 0, y: float = x:
                test:
                    c: bool = py.lt(k, n)
                    yield c
                body:
                    k.2: int = py.add(k, 1)
                    yield k.2, y
            return y
        """,
        """
        graph f(x: float, n: int) -> float:
            k: int = while with k: int = 0:
                test:
                    c: bool = py.lt(k, n)
                    yield c
                body:
                    k.2: int = py.add(k, 1)
                    yield k.2
            return x
        """,
    )


# -- dead code -----------------------------------------------------------------------------------------


def test_unused_results_that_could_raise_stay():
    check(
        remove_dead_code,
        """
        graph f(x: f64[3], i: int, n: int) -> int:
            a: f64 = x[i]
            b: int = py.floordiv(n, i)
            c: int = py.add(n, i)
            d: f64[3] = negative(x)
            return n
        """,
        """
        graph f(x: f64[3], i: int, n: int) -> int:
            a: f64 = x[i]
            b: int = py.floordiv(n, i)
            return n
        """,
    )


def test_a_loop_that_may_not_end_stays_and_one_that_ends_goes():
    check(
        remove_dead_code,
        """
        graph f(n: int) -> int:
            a: int = while with a: int = n:
                test:
                    c: bool = py.ne(a, 1)
                    yield c
                body:
                    a.2: int = py.sub(a, 2)
                    yield a.2
            b: int = for i: int in range(0, n, 1) with b: int = 0:
                yield i
            return n
        """,
        """
        graph f(n: int) -> int:
            a: int = while with a: int = n:
                test:
                    c: bool = py.ne(a, 1)
                    yield c
                body:
                    a.2: int = py.sub(a, 2)
                    yield a.2
            return n
        """,
    )


def test_a_loop_with_a_step_that_may_be_zero_stays():
    unchanged(
        remove_dead_code,
        """
        graph f(n: int, k: int) -> int:
            for i: int in range(0, n, k):
                yield
            return n
        """,
    )


def test_unused_results_of_a_branch_go():
    check(
        remove_dead_code,
        """
        graph f(c: bool, x: float) -> float:
            a: float, b: float = if c:
                p: float = py.neg(x)
                yield p, x
            else:
                q: float = py.abs(x)
                yield q, 0.0
            return b
        """,
        """
        graph f(c: bool, x: float) -> float:
            b: float = if c:
                yield x
            else:
                yield 0.0
            return b
        """,
    )


def test_arithmetic_of_one_array_moves_out_though_its_length_is_not_known():
    """``v * v`` cannot raise, however long ``v`` is; ``v * w`` may."""
    text = """
graph f(v: f64[None], w: f64[None], n: int) -> f64:
    t: f64 = for i: int in range(0, n, 1) with t: f64 = f64(0.0):
        a: f64[None] = multiply(v, v)
        b: f64[None] = add(a, v)
        c: f64[None] = multiply(b, w)
        s: f64 = sum(c)
        t.2: f64 = add(t, s)
        yield t.2
    return t
"""
    moved = str(hoist_loop_invariants(parse(text)))
    before, loop = moved.split("for i")
    assert "multiply(v, v)" in before and "add(a, v)" in before
    assert "multiply(b, w)" in loop
