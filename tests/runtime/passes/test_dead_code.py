"""Results that nobody uses go; what may raise, write or never end stays."""

from runtime.passes import remove_dead_code
from tests.runtime.passes.graphs import check, unchanged


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
