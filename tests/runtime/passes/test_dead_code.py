"""Results that nobody uses go; what may raise, write or never end stays."""

import pytest

from runtime.formats.parse import parse
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


def test_lists_that_nobody_reads_go_with_what_is_stored():
    check(
        remove_dead_code,
        """
        graph f(n: int, x: float, c: bool) -> float:
            rows: list[list[float]] = list.new([])
            table: dict[str, float] = list.new({'a': x})
            seen: list[float] = if c:
                a: list[float] = list.new([x])
                yield a
            else:
                b: list[float] = list.new([2.5])
                yield b
            for i: int in range(0, n, 1):
                row: list[float] = list.new([x])
                list.setitem(row, 0, 0.5, certain=True)
                list.append(rows, row)
                list.append(seen, x)
                dict.setitem(table, 'a', 0.5, certain=True)
            y: float = list.pop(rows, 0, certain=True)
            return x
        """,
        """
        graph f(n: int, x: float, c: bool) -> float:
            return x
        """,
    )


STORED = """
graph f(outer: list[float], n: int, x: float, c: bool) -> float:
    items: list[float] = list.new([x])
    rows: list[list[float]] = list.new([])
    list.append(rows, items)
    some: list[float] = if c:
        yield items
    else:
        yield items
    list.append(items, 0.5)
    {statement}
    return x
"""


@pytest.mark.parametrize(
    "statement",
    [
        "list.setitem(items, n, x)",
        "list.remove(items, x)",
        "print(items)",
        "y: float = list.getitem(some, n)",
        "list.append(outer, x)",
    ],
)
def test_what_may_raise_or_is_seen_stays(statement):
    """And all that is stored to what somebody reads, by whatever name."""
    changed = remove_dead_code(parse(STORED.format(statement=statement)))
    assert statement in str(changed)
    assert ("list.append(items, 0.5)" in str(changed)) is ("outer" not in statement)
    assert "rows" not in str(changed)


@pytest.mark.parametrize("use", ["list.append(outer, items)", "y: list[float] = list.copy(items)"])
def test_a_list_that_is_given_away_keeps_what_is_stored(use):
    unchanged(
        remove_dead_code,
        f"""
        graph f(outer: list[list[float]], x: float) -> float:
            items: list[float] = list.new([x])
            list.append(items, 0.5)
            {use}
            list.append(items, x)
            return x
        """,
    )
