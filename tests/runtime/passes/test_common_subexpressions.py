"""Equal operations become one, where no write and no identity tells them apart."""

from runtime.passes import merge_common_subexpressions
from tests.runtime.passes.graphs import check, unchanged


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


def test_a_chain_of_arrays_merges_at_once():
    check(
        merge_common_subexpressions,
        """
        graph f(x: f64[3]) -> (f64, f64):
            a: f64[3] = exp(x)
            b: f64[3] = sqrt(a)
            s: f64 = sum(b, axis=None)
            c: f64[3] = exp(x)
            d: f64[3] = sqrt(c)
            t: f64 = sum(d, axis=None)
            return s, t
        """,
        """
        graph f(x: f64[3]) -> (f64, f64):
            a: f64[3] = exp(x)
            b: f64[3] = sqrt(a)
            s: f64 = sum(b, axis=None)
            return s, s
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
