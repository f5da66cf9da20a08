"""What does not change in a loop moves out, unless it may raise or is written."""

from runtime.formats.parse import parse
from runtime.passes import hoist_loop_invariants, optimize, remove_constant_state
from tests.runtime.passes.graphs import check, unchanged


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


def test_a_read_of_one_item_leaves_a_loop_that_writes_others():
    check(
        hoist_loop_invariants,
        """
        graph f(x: f64[4,4]) -> ():
            for i: int in range(0, 3, 1):
                n: int = py.add(i, 1)
                for j: int in range(3, i, -1):
                    a: f64 = x[j, i]
                    b: f64 = x[i, n]
                    x[n, j] = a
        """,
        """
        graph f(x: f64[4,4]) -> ():
            for i: int in range(0, 3, 1):
                n: int = py.add(i, 1)
                b: f64 = x[i, n]
                for j: int in range(3, i, -1):
                    a: f64 = x[j, i]
                    x[n, j] = a
        """,
    )


def test_a_read_of_an_item_stays_where_it_may_be_the_one_that_is_written():
    unchanged(  # x[-1] is x[3], and x[4] raises
        hoist_loop_invariants,
        """
        graph f(x: f64[4]) -> ():
            for i: int in range(-1, 5, 1):
                n: int = py.add(i, 1)
                for j: int in range(n, 4, 1):
                    a: f64 = x[i]
                    x[j] = a
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


def test_a_try_does_not_hand_on_what_is_alike_always():
    check(
        remove_constant_state,
        """
        graph f(n: int, x: float) -> (float, int):
            items: list[float] = list.new([x, 0.5])
            out: list[float], y: float, m: int = try(region=3):
                block():
                    landing(items, n, 0, region=3)
                    z: float = py.truediv(x, 2)
                    landing(items, n, 1, region=3)
                    list.setitem(items, 0, z)
                    yield items, z, n
                block(error: exception, items.2: list[float], n.2: int, k: int):
                    w: float = py.mul(x, k)
                    yield items.2, w, k
            v: float = list.getitem(out, 1)
            r: float = py.add(v, y)
            return r, m
        """,
        """
        graph f(n: int, x: float) -> (float, int):
            items: list[float] = list.new([x, 0.5])
            y: float, m: int = try(region=3):
                block():
                    landing(0, region=3)
                    z: float = py.truediv(x, 2)
                    landing(1, region=3)
                    list.setitem(items, 0, z)
                    yield z, n
                block(error: exception, k: int):
                    w: float = py.mul(x, k)
                    yield w, k
            v: float = list.getitem(items, 1)
            r: float = py.add(v, y)
            return r, m
        """,
    )
