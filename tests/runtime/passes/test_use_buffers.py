"""A list that nobody else sees becomes a buffer; whatever is not sure stays a list."""

import gc
from textwrap import dedent

import numpy as np
import pytest

import runtime as rt
from runtime.formats.parse import parse
from runtime.graph import Graph
from runtime.passes import optimize
from runtime.passes.use_buffers import use_buffers
from tests.programs import Programs
from tests.runtime.passes.graphs import check, unchanged

PROGRAMS = Programs()
#: those whose lists stay lists
LISTS = Programs()
#: those whose lists in a list are buffers, and those in whose lists of lists they are none
ROWS, LISTS_OF_LISTS = Programs(), Programs()


def test_a_list_that_is_read_and_appended_to_in_a_branch():
    check(
        use_buffers,
        """
        graph f(x: float, n: int) -> (int, float):
            items: list[float] = list.new([0.5, x])
            for i: int in range(0, n, 1):
                c: bool = py.lt(i, 3)
                if c:
                    y: float = list.getitem(items, i)
                    list.append(items, y)
                else:
                    list.append(items, x)
            k: int = list.len(items)
            z: float = list.getitem(items, n)
            return k, z
        """,
        """
        graph f(x: float, n: int) -> (int, float):
            items: buffer[float] = buffer.new(item=float)
            buffer.append(items, 0.5)
            buffer.append(items, x)
            for i: int in range(0, n, 1):
                c: bool = py.lt(i, 3)
                if c:
                    y: float = buffer.item(items, i)
                    buffer.append(items, y)
                else:
                    buffer.append(items, x)
            k: int = buffer.len(items)
            z: float = buffer.item(items, n)
            return k, z
        """,
    )


def one(statement, made="list[float] = list.new([x])", returned="x"):
    return f"""
        graph f(x: float, n: int) -> float:
            items: {made}
            {statement}
            return {returned}
        """


@pytest.mark.parametrize(
    "text",
    [
        one("list.reverse(items)"),
        one("y: float = list.pop(items, n)", returned="y"),
        one("list.setitem(items, n, n)"),
        one("print(items)"),
        one("y: f64[None] = list.to_array(items, arguments={'axis': 0}, function='stack')"),
        one("list.append(items, n)"),  # an int among floats
        one("y: str = list.getitem(items, n)", "list[str] = list.new(['a'])"),
        one("list.append(items, n)", "list[int] = list.new([9223372036854775808])"),
    ],
)
def test_what_stays_a_list(text):
    unchanged(use_buffers, text)


def test_a_list_that_is_returned_or_chosen_stays_a_list():
    unchanged(
        use_buffers,
        """
        graph f(x: float, c: bool) -> (list[float], list[float]):
            a: list[float] = list.new([x])
            b: list[float] = list.new([x])
            d: list[float] = list.new([x])
            e: list[float] = if c:
                yield b
            else:
                yield d
            list.append(e, x)
            return a, e
        """,
    )


def test_a_new_buffer_in_each_iteration_stays_in_the_loop():
    text = """
    graph f(x: float, n: int) -> float:
        t: float = for i: int in range(0, n, 1) with t: float = 0.0:
            items: list[float] = list.new([x])
            list.append(items, x)
            y: float = list.getitem(items, i)
            yield y
        return t
    """
    before, loop = str(optimize(parse(dedent(text)))).split("for i")
    assert "buffer.new" not in before and "buffer.new" in loop and "buffer.append" in loop


@PROGRAMS.of((9,), (2,))
def it_grows_while_it_is_looped_over(n):
    found = [1]
    for v in found:
        if len(found) < n:
            found.append(v * 2)
            found.append(v + 1)
    return sum(found), found[-1], found[len(found) // 2]


@PROGRAMS.of((4, 4), (4, -5), (4, -4), (0, 0), (300, 299))
def an_index_beyond_the_ends(n, k):
    found = []
    for i in range(n):
        found.append(i * 0.5)
    return found[k]


@PROGRAMS.of((5, 3), (5, 9), (0, 0))
def an_exception_between_two_appends(n, k):
    found = []
    text = ""
    try:
        for i in range(n):
            found.append(i)
            if found[i] == k:
                found.append(found[99 + i])
            found.append(-i)
    except IndexError as error:
        text = str(error)
    return len(found), sum(found), text


@PROGRAMS.of((np.arange(5.0) - 2, 5))
def items_keep_their_types(x, n):
    a, b, c, d, e = [], [], [], [], []
    for i in range(n):
        a.append(i % 2 == 0)
        b.append(np.float32(x[i]))
        c.append(x[i] > 0)
        d.append(i)
        e.append(x[i])
    arrays = np.array(a), np.array(b), np.array(c), np.array(d), np.array(d, dtype="int8"), np.asarray(e)
    return a[1], b[-1], c[0], d[2], e[n - 1], sum(a), sum(b), sum(d), sum(e), sum(e, 1.5), arrays


@PROGRAMS.of((0, 1.5), (3, 1.5), (3, -0.0), (3, float("nan")), (2000, 0.1))
def sums_are_added_from_the_left(n, x):
    found = []
    for i in range(n):
        found.append(x * (i % 7))
    return sum(found), sum(found, -0.0), sum(found, 2), np.array(found), len(found)


@PROGRAMS.of((6, 1, 1), (6, -8, 1), (6, 8, 1), (2, 0, 9), (0, 0, 0))
def items_are_stored_and_taken_out(n, place, taken):
    found = []
    for i in range(n):
        found.append(i * 0.5)
        found[i // 2] = found[i] - 2.0
    largest, smallest = max(found), min(found)
    found[place] = 7.5
    last = 0.0
    for _ in range(taken):
        last = found.pop()
    return largest, smallest, last, sum(found), len(found)


@PROGRAMS.of((np.array([1.0, np.nan, 3.0]), 3), (np.array([np.nan, 2.0, 1.0]), 3), (np.array([0.0, -0.0]), 2))
def the_order_decides_between_equals(x, n):
    found = []
    for i in range(n):
        found.append(x[i])
    return max(found), min(found), [max(found)], str(min(found))


@PROGRAMS.of((5, 1.5))
def lists_in_a_list_in_a_loop(n, x):
    total = 0.0
    rows = []
    for i in range(n):
        row = [x]
        for k in range(i):
            row.append(row[k] * k + row[-1])
        total += sum(row) + len(row)
        rows.append([row[0], total])
    return total, rows


@PROGRAMS.of((np.int64(5), 1.5), (np.int64(1), 1.5), (np.int64(-2), 1.5), (np.int64(0), 1.5))
def a_list_of_equal_items_is_filled(n, x):
    table = [0.0] * n
    pairs = n * [x, -x]
    for i in range(n):
        table[i] = pairs[2 * i] * i + table[i - 1]
        pairs[2 * i + 1] += table[i]
    return sum(table), np.array(pairs), len(pairs), max(pairs) if n > 0 else x


@PROGRAMS.of((np.arange(3.0), 4), (np.arange(6.0).reshape(2, 3).T, 1), (np.arange(3.0), 0))
def arrays_of_one_shape(x, n):
    states = [x]
    for _ in range(n):
        states.append(np.tanh(states[-1]) + states[len(states) // 2])
    middle = states[n // 2] * 2.0
    states[0] = middle
    last = states.pop() if n > 2 else middle
    total = 0.0
    for state in states:
        total += state.sum()
    return total, last - middle, np.stack(states, axis=1), np.array(states), np.concatenate(states)


@PROGRAMS.of((np.arange(7.0), 4), (np.arange(7.0), 0))
def arrays_of_lengths_that_a_run_knows(x, n):
    parts = []
    for i in range(n):
        row = np.zeros(i + 1)
        for k in range(i + 1):
            row[k] = x[k] * i
        parts.append(row)
        parts.append(x[i : n + i])
    return np.concatenate(parts), np.hstack(parts), sum([len(p) for p in parts])


@PROGRAMS.of((np.arange(3.0), np.int64(4)), (np.arange(3.0), np.int64(0)))
def an_item_is_returned(x, n):
    rows = [x]
    for i in range(n):
        rows.append(rows[-1] + i)
    return rows[0], rows[-1]


@LISTS.of((np.arange(3.0), 4), (np.arange(3.0), 1))
def one_array_is_written_between_appends(x, n):
    rows = []
    row = x * 2.0
    for i in range(n):
        row[i % 3] += 1.0
        rows.append(row)
    return np.stack(rows)


@LISTS.of((np.arange(3.0), 4), (np.arange(3.0), 2))
def the_next_iteration_writes_what_was_appended(x, n):
    rows = []
    row = x * 2.0
    for i in range(n):
        row[i % 3] += 1.0
        row = row * 0.5
        rows.append(row)
    return np.stack(rows)


@LISTS.of((np.arange(3.0), 4), (np.arange(3.0), 2))
def an_item_is_written_through_a_view(x, n):
    rows = []
    for i in range(n):
        rows.append(x * i)
    part = rows[-1][1:]
    part += 100.0
    return np.stack(rows), part


@LISTS.of((np.arange(3.0), 4))
def the_argument_is_an_item_and_written(x, n):
    rows = [x]
    for i in range(n):
        rows.append(rows[-1] + i)
    x[0] = 50.0
    return np.stack(rows)


# -- lists in a list -----------------------------------------------------------------------------------


@ROWS.of((4, 5), (1, 1), (0, 3), (3, -1))
def a_grid_is_filled(n, m):
    grid = [[0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            grid[i][j] = i * j + grid[i - 1][j - 1]
    total = 0
    for i in range(len(grid)):
        total += sum(grid[i]) + len(grid[i])
    return total


@ROWS.of((5, 2, 1), (5, 5, 1), (5, -6, 0), (5, 1, 3), (2, 1, -2), (40, 39, 30))
def rows_of_many_lengths(n, i, j):
    rows = []
    for k in range(n):
        row = []
        for v in range(k):
            row.append(v * 0.5)
        rows.append(row)
        row.append(-1.0)
    rows[i][j] += 2.5
    rows[i].append(7.5)
    last = rows[n - 1].pop()
    return rows[i][j], max(rows[i]), last, len(rows[i])


@ROWS.of((3, 2**40), (70, 2**40), (2, 2**62 - 1))
def large_numbers(n, x):
    grid = [[x] * n for _ in range(n)]
    for i in range(n):
        grid[i][i] = grid[i][0] + grid[i - 1][i]
    return grid[n - 1][n - 1]


@ROWS.of((6,), (1,))
def one_row_is_two_values(n):
    """What is written by one name is read by the other."""
    rows = [[1.0] * n for _ in range(n)]
    for i in range(n):
        a, b = rows[i // 2], rows[-1]
        a[i] = 2.0
        b[i] += a[i] + rows[0][i]
        a[i] += b[i]
    return sum(rows[0]), sum(rows[n // 2])


@ROWS.of((5,), (2,))
def a_row_is_changed_after_it_was_put_in(n):
    rows = []
    for i in range(n):
        row = [i]
        rows.append(row)
        row.append(i + 1)
        rows[-1][0] = 9
        row[1] += row[0]
    return rows[0][0], rows[1][1], rows[-1][1]


@ROWS.of((4, 2), (3, 5))
def a_row_is_in_it_twice(n, k):
    rows = []
    for i in range(n):
        row = [0.5]
        rows.append(row)
        rows.append(row)
    rows[k][0] = 2.5
    return rows[0][0], rows[k + 1][0], rows[k - 1][0]


@LISTS_OF_LISTS.of((4,), (1,))
def a_grid_is_returned(n):
    grid = [[0] * n for _ in range(n)]
    for i in range(n):
        grid[i][i] = 1
    return grid


@LISTS_OF_LISTS.of((4,), (1,))
def a_row_is_returned(n):
    grid = [[0] * n for _ in range(n)]
    for i in range(n):
        grid[i][i] = 1
    return grid[n - 1]


@LISTS_OF_LISTS.of((4,), (1,))
def rows_are_exchanged(n):
    grid = [[k] * n for k in range(n)]
    for i in range(n):
        grid[i], grid[-1] = grid[-1], grid[i]
    return grid[0][0], grid[-1][-1]


@LISTS_OF_LISTS.of((4,), (1,))
def numbers_of_two_types(n):
    grid = [[0] * n for _ in range(n)]
    for i in range(n):
        grid[i][i] = 0.5
    return grid[0][0], grid[n - 1][0]


@LISTS_OF_LISTS.of((4,), (1,))
def a_row_is_compared(n):
    grid = [[0] * n for _ in range(n)]
    for i in range(n):
        grid[i][i] = 1
    return grid[0] == grid[-1], grid[0] is grid[-1]


test_program = PROGRAMS.test()
test_row = ROWS.test()
test_list_of_lists = LISTS_OF_LISTS.test()
test_list = LISTS.test()


@pytest.mark.parametrize("name", [*PROGRAMS, *LISTS])
def test_which_lists_are_buffers(name):
    program = PROGRAMS.get(name) or LISTS[name]
    function = rt.function(program.program)
    graph: Graph = function.get_concrete_function(*program.calls[0].args).graph
    changed = str(optimize(graph))
    found = {made for made in ("buffer", "list") if f"{made}.new" in changed or f"{made}.full" in changed}
    if name != "lists_in_a_list_in_a_loop":  # which has both
        assert found == {"buffer" if name in PROGRAMS else "list"}


@pytest.mark.parametrize("name", [*ROWS, *LISTS_OF_LISTS])
def test_which_lists_of_lists_hold_buffers(name):
    program = ROWS.get(name) or LISTS_OF_LISTS[name]
    graph: Graph = rt.function(program.program).get_concrete_function(*program.calls[0].args).graph
    assert ("buffer.row" in str(optimize(graph))) == (name in ROWS)


def test_appends_and_reads_are_machine_code_and_nothing_stays():
    @rt.function(engine="native")
    def row_by_row(n):
        total = 0.0
        for i in range(n):
            row = [1.0]
            for k in range(i):
                row.append(row[k] * k + row[-1])
            total += row[i + i // 8] + len(row)
        return total

    for _ in range(3):
        with pytest.raises(IndexError):
            row_by_row(9)
    compiled = row_by_row.concrete_functions[0].compiled
    assert not compiled.executable.fallbacks
    gc.collect()
    before = _buffers()
    for _ in range(20):
        with pytest.raises(IndexError):
            row_by_row(9)
    gc.collect()
    assert _buffers() == before


def _buffers():
    return sum(type(each).__name__ == "Buffer" for each in gc.get_objects())
