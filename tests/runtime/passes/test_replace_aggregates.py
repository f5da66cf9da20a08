"""Objects, lists and dicts that nobody else sees are none in a run, only what they hold."""

from textwrap import dedent

import numpy as np
import pytest

import runtime as rt
from runtime.formats.parse import parse
from runtime.graph.core import walk
from runtime.passes.replace_aggregates import replace_aggregates
from tests.programs import Programs
from tests.runtime.passes.graphs import check, unchanged

PROGRAMS = Programs()


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def scaled(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def length(self):
        return (self.x * self.x + self.y * self.y) ** 0.5


class Mean:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def add(self, value):
        self.total += value
        self.count += 1

    def value(self):
        return self.total / max(self.count, 1)


class Pair:
    def __init__(self, left, right):
        self.left = left
        self.right = right


def vectors(n):
    return [Vector(k * 0.5, k - 3.25) for k in range(n)]


MANY = vectors(40)
NUMBERS = [k % 7 - 3.5 for k in range(60)]


def objects_made(f, *args):
    """In the graph, besides those that stand in no loop."""
    compiled = rt.function(f, engine="native")
    compiled(*args)
    graph = compiled.concrete_functions[0].compiled.executable.graph
    once = sum(op.name == "object.make" for op in graph.body.operations)
    return once, sum(op.name == "object.make" for op in graph.operations()) - once


def test_how_many_objects_are_made():
    assert objects_made(center, MANY) == (0, 0)
    assert objects_made(longest, MANY) == (1, 0)
    assert objects_made(means, MANY, NUMBERS) == (0, 1)  # those in the list
    assert objects_made(one_inside_the_other, MANY) == (0, 0)
    assert objects_made(two_names, MANY) == (2, 0)
    assert objects_made(an_attribute_that_comes_later, 2.0) == (0, 0)


FAR = 10**9
X = np.array([1.5, -2.0, 3.0])
NUMBERS_AND_COUNTS = ((4, 1.5), (0, 2.0), (7, -0.5))
#: lists and dicts of a run, for each of them may grow in it: nothing is left of them in loops
LISTS = Programs()


def heap_operations_in_loops(f, *args):
    compiled = rt.function(f, engine="native")
    compiled(*args)
    graph = compiled.concrete_functions[0].compiled.executable.graph
    loops = [op for op in graph.operations() if op.name in ("for", "while")]
    inside = [each for op in loops for block in op.blocks for each in walk(block)]
    return {op.name for op in inside if op.name.split(".")[0] in ("list", "dict", "set", "buffer", "object")}


@LISTS.of(*NUMBERS_AND_COUNTS)
def the_last_two(n, x):
    last = [x, 1.0]
    if n > FAR:
        last.append(2.0)
    for i in range(n):
        last[0], last[1] = last[1] * 0.5, last[0] + i
    return last[0]


@LISTS.of(*NUMBERS_AND_COUNTS)
def a_state_by_names(n, x):
    state = {"x": x, "v": 0.5, "hits": 0}
    if n > FAR:
        state["z"] = 1.0
    for _ in range(n):
        state["x"] += state["v"]
        if state["x"] > 2:
            state["v"] = -state["v"]
            state["hits"] += 1
    return state["x"], state["hits"]


@LISTS.of((X, 3), (X, 0))
def arrays_that_are_written(x, n):
    kept = [x, x * 2.0]
    if n > FAR:
        kept.append(x)
    for _ in range(n):
        kept[0] = kept[0] * 0.5 + kept[1]
        kept[1][0] += 1.0
        kept[0], kept[1] = kept[1], kept[0]
    return kept[0], kept[1], x


@LISTS.of(*NUMBERS_AND_COUNTS)
def numbers_or_none(n, x):
    waiting = [None, 0.0]
    if n > FAR:
        waiting.append(x)
    for i in range(n):
        if waiting[0] is None:
            waiting[0] = i * x
        else:
            waiting[1] += waiting[0]
            waiting[0] = None
    return waiting[0], waiting[1]


@LISTS.of(*NUMBERS_AND_COUNTS)
def pairs_and_texts(n, x):
    best, name = [(0, x), (1, 1.0)], ["a", "b"]
    if n > FAR:
        best.append((2, x))
        name.append("c")
    for i in range(n):
        k, v = best[0]
        if v * 0.5 < x:
            best[0] = (i, v + 1.0)
            name[1] = str(k)
        else:
            best[1] = (k, v)
    return best[0], best[1], name[0] + name[1]


@LISTS.of(*NUMBERS_AND_COUNTS)
def lists_in_a_list_and_in_a_dict(n, x):
    rows, table = [[x, 0.5], [1.0, 2.0]], {"a": [x]}
    if n > FAR:
        rows.append([3.0])
        table["b"] = rows[0]
    for _ in range(n):
        rows[0][1] = rows[1][0] * 0.5 + rows[0][1]
        rows[1][0] = rows[0][0] + table["a"][0]
        table["a"] = [table["a"][0] * 0.5]
    return rows[0][1] + rows[1][0]


@LISTS.of(*NUMBERS_AND_COUNTS)
def one_of_two_that_are_read(n, x):
    a, b = [x, 1.0], [2.0, x]
    if n > FAR:
        a.append(1.0)
        b.append(2.0)
    total = 0.0
    for i in range(n):
        c = a if i % 2 else b
        total += c[0] * c[1]
    return total


@LISTS.of(*NUMBERS_AND_COUNTS)
def in_a_handler(n, x):
    found = [0, 1.5]
    if n > FAR:
        found.append(2)
    for i in range(n):
        try:
            k = 1.0 / (i - 2)
        except ZeroDivisionError:
            found[1] = x
        else:
            found[0] = k
    return found[0], found[1]


@LISTS.of(*NUMBERS_AND_COUNTS)
def what_nobody_reads(n, x):
    seen, rows, table = [], [], {}
    for i in range(n):
        seen.append((i, x))
        rows += [[i], []] * 2
        rows.insert(i, [x])
        table[i % 3] = x
        table["last"] = i
        if i > 2:
            rows[0] = seen[1:] + [(i, 0.5)]
        seen.pop(0)
    return x


@LISTS.of(*NUMBERS_AND_COUNTS)
def a_list_of_each_turn(n, x):
    total = x
    for i in range(n):
        box = []
        for k in range(2):
            box.append(i * 0.5 + k)
        box.reverse()
        total += box.pop() - box[0]
    return total


@pytest.mark.parametrize("name", list(LISTS))
def test_no_list_is_left_in_a_loop(name):
    program = LISTS[name]
    args, _ = program.calls[0].fresh()
    assert heap_operations_in_loops(program.program, *args) == set()


@PROGRAMS.of((MANY,), (vectors(33),))
def center(all):
    """A new object for the old one in each turn."""
    middle = Vector(0.0, 0.0)
    for each in all:
        middle = middle + each.scaled(0.5)
    return middle.x, middle.length()


@PROGRAMS.of((MANY,), (vectors(33),))
def longest(all):
    """One of several objects, which is the result."""
    best = Vector(0.0, 0.0)
    for each in all:
        candidate = each + each.scaled(-0.25)
        if candidate.length() > best.length():
            best = candidate
    return best


@PROGRAMS.of((MANY, NUMBERS), (MANY, []))
def means(all, numbers):
    """Objects that a loop changes, beside others that are kept in a list."""
    kept = [Mean() for _ in all]
    for each, other in zip(all, kept):
        mean = Mean()
        for number in numbers:
            if number > 2:
                continue
            mean.add(number * each.x)
            if mean.total < -200:
                break
        other.add(mean.value())
        other.add(mean.count)
    return [each.value() for each in kept]


@PROGRAMS.of((MANY,))
def one_inside_the_other(all):
    total = 0.0
    for each in all:
        pair = Pair(each.scaled(2.0), each.scaled(3.0))
        pair.left = pair.left + pair.right
        if pair.left.x > 10:
            pair.left.y = 1.0
            pair.right = pair.right.scaled(0.5)
        total += pair.left.length() + pair.right.y
    return total


@PROGRAMS.of((MANY,), (vectors(34),))
def two_names(all):
    """A store by one name is read by the other: these stay objects."""
    a, b = Vector(0.0, 1.0), Vector(2.0, 3.0)
    first = a
    for each in all:
        a, b = b, a
        a.x += each.x
        if each.y > 10:
            a = b
    return a.x, b.x, first.x, a is b


@PROGRAMS.of(
    (MANY, 3),
)
def one_of_two_that_are_changed(all, n):
    """The names of objects made on two paths, of which one is stored to."""
    total = 0.0
    for each in all:
        if each.x > n:
            made = each.scaled(0.5)
        else:
            made = each.scaled(2.0)
            made.y = 1.0
        made.x += 1.0
        total += made.x + made.y
    return total


@PROGRAMS.of((MANY, 3.0), (MANY, 1e9), (MANY, -1.0))
def many_ends(all, limit):
    """`while`, an early return, a handler, an `else`."""
    position, steps = Vector(0.0, 0.0), Mean()
    while position.length() < limit:
        try:
            each = all[steps.count]
            position.x += each.x
            if each.x > 15:
                return "far", position.x, steps.count
            position.y = each.y
        except IndexError:
            position.y = -1.0
            break
        steps.add(position.x)
    else:
        steps.total += 0.5
    return position.x, position.y, steps.total, steps.count


@PROGRAMS.of((MANY, True), (MANY, False))
def kept_under_a_condition(all, keeps):
    """What is given away is an object, and is the one that goes on."""
    kept = []
    current = Vector(1.0, 1.0)
    for each in all:
        current.x += each.x
        if keeps and each.y > 20:
            kept.append(current)
            current = Vector(current.x, each.y)
    current.y = 7.5
    return [(each.x, each.y) for each in kept], current.x, kept[-1:] == [current]


@PROGRAMS.of((MANY,))
def compared(all):
    """`is` of objects that are none by then."""
    same = other = 0
    for each in all:
        copy = each.scaled(1.0)
        again = copy
        same += copy is again
        other += copy is each
    return same, other


@PROGRAMS.of((MANY,))
def returned_twice(all):
    best = Vector(0.0, 0.0)
    for each in all:
        best = best + each
    return best, best


@PROGRAMS.of((MANY,))
def changed_and_returned(all):
    best = Mean()
    for each in all:
        best.add(each.x)
    best.total *= 0.5
    return best


@PROGRAMS.of((MANY, 4), (MANY, 0))
def kinds_of_numbers(all, n):
    """An attribute that holds an int first, and a float later."""
    mixed = Vector(0, n)
    for each in all[:n]:
        mixed.x += each.x
    return mixed.x, mixed.y, len(all)


# -- lists and dicts, as graphs ------------------------------------------------------------------------


def test_items_are_variables_of_a_loop():
    check(
        replace_aggregates,
        """
        graph f(n: int, x: float) -> float:
            items: dict[str, float] = list.new({'u': x, 'v': 0.5})
            for i: int in range(0, n, 1):
                a: float = dict.getitem(items, 'u')
                b: float = dict.getitem(items, 'v')
                c: bool = py.lt(a, b)
                if c:
                    dict.setitem(items, 'v', a)
                d: float = py.add(a, b)
                dict.setitem(items, 'u', d)
            y: float = dict.getitem(items, 'v')
            return y
        """,
        """
        graph f(n: int, x: float) -> float:
            v: float, u: float = for i: int in range(0, n, 1) with v: float = 0.5, u: float = x:
                c: bool = py.lt(u, v)
                v.2: float = if c:
                    yield u
                else:
                    yield v
                d: float = py.add(u, v)
                yield v.2, d
            return v
        """,
    )


def test_items_move():
    check(
        replace_aggregates,
        """
        graph f(x: float, y: float, z: float) -> (float, float, int):
            items: list[float] = list.new([x, y])
            list.insert(items, 0, z)
            list.reverse(items)
            list.extend(items, [0.5, x])
            a: float = list.pop(items, 1)
            list.setslice(items, slice(0, 1, None), [z, z])
            n: int = list.len(items)
            b: float = list.getitem(items, -2)
            return a, b, n
        """,
        """
        graph f(x: float, y: float, z: float) -> (float, float, int):
            return x, 0.5, 5
        """,
    )


def test_a_copy_is_made_of_items_and_may_go_itself():
    check(
        replace_aggregates,
        """
        graph f(x: float, y: float) -> (list[float], float):
            items: list[float] = list.new([x, y])
            more: list[float] = list.concat(items, [0.5])
            some: list[float] = list.slice(more, slice(None, None, -1))
            kept: list[float] = list.slice(some, slice(0, 2, None))
            list.setitem(items, 0, 0.25)
            z: float = list.getitem(some, 2)
            return kept, z
        """,
        """
        graph f(x: float, y: float) -> (list[float], float):
            kept: list[float] = list.new([0.5, y])
            return kept, x
        """,
    )


def test_keys_are_variables():
    check(
        replace_aggregates,
        """
        graph f(c: bool, x: float) -> (float, float, bool):
            table: dict[str, float] = list.new({'a': x, 'b': 0.5})
            if c:
                dict.setitem(table, 'c', x)
                dict.setitem(table, 'a', 2.0)
            else:
                dict.setitem(table, 'c', 1.0)
            a: float = dict.getitem(table, 'a')
            z: float = dict.get(table, 'z', 7.0)
            there: bool = list.contains(table, 'c')
            return a, z, there
        """,
        """
        graph f(c: bool, x: float) -> (float, float, bool):
            c.2: float, a: float = if c:
                yield x, 2.0
            else:
                yield 1.0, x
            return a, 7.0, True
        """,
    )


def test_a_list_that_is_returned_is_made_at_the_end():
    check(
        replace_aggregates,
        """
        graph f(n: int, x: float) -> list[float]:
            items: list[float] = list.new([x])
            list.append(items, 0.5)
            for i: int in range(0, n, 1):
                list.setitem(items, 0, 0.25)
            return items
        """,
        """
        graph f(n: int, x: float) -> list[float]:
            item_0: float = for i: int in range(0, n, 1) with item_0: float = x:
                yield 0.25
            items: list[float] = list.new([item_0, 0.5])
            return items
        """,
    )


def test_a_handler_gets_what_items_held():
    check(
        replace_aggregates,
        """
        graph f(n: int, x: float) -> float:
            items: list[float] = list.new([x, 0.5])
            y: float = try(region=3):
                block():
                    landing(n, region=3)
                    list.setitem(items, 0, 2.5)
                    z: float = py.truediv(x, n)
                    list.setitem(items, 0, z)
                    yield z
                block(error: exception, k: int):
                    w: float = list.getitem(items, 0)
                    yield w
            v: float = list.getitem(items, 0)
            r: float = py.add(v, y)
            return r
        """,
        """
        graph f(n: int, x: float) -> float:
            y: float, item_0: float = try(region=3):
                block():
                    landing(n, x, region=3)
                    landing(n, 2.5, region=3)
                    z: float = py.truediv(x, n)
                    landing(n, z, region=3)
                    yield z, z
                block(error: exception, k: int, item_0: float):
                    yield item_0, item_0
            r: float = py.add(item_0, y)
            return r
        """,
    )


def test_a_list_that_is_given_away_is_made_there():
    check(
        replace_aggregates,
        """
        graph f(n: int, x: float) -> list[list[float]]:
            rows: list[list[float]] = list.new([])
            for i: int in range(0, n, 1):
                row: list[float] = list.new([x])
                list.append(row, 0.5)
                for k: int in range(0, n, 1):
                    list.setitem(row, 0, 0.25)
                list.append(rows, row)
            return rows
        """,
        """
        graph f(n: int, x: float) -> list[list[float]]:
            rows: list[list[float]] = list.new([])
            for i: int in range(0, n, 1):
                item_0: float = for k: int in range(0, n, 1) with item_0: float = x:
                    yield 0.25
                row: list[float] = list.new([item_0, 0.5])
                list.append(rows, row)
            return rows
        """,
    )


@pytest.mark.parametrize(
    "seen",
    [
        "list.append(rows, row)\n    list.setitem(row, 0, 0.5)",
        "list.append(rows, row)\n    list.append(rows, row)",
        "list.append(rows, row)\n    r: list[float] = list.getitem(rows, n)\n    c: bool = is(row, r)",
        "for i: int in range(0, n, 1):\n        list.append(rows, row)",
    ],
)
def test_a_list_that_is_seen_afterwards_stays(seen):
    unchanged(
        replace_aggregates,
        f"""
graph f(n: int, x: float, rows: list[list[float]]) -> float:
    row: list[float] = list.new([x])
    list.append(row, 0.5)
    {seen}
    return x
""",
    )


def test_lists_of_several_paths_that_are_only_read():
    check(
        replace_aggregates,
        """
        graph f(c: bool, x: float) -> (float, int):
            both: list[float] = if c:
                a: list[float] = list.new([x, 0.5])
                yield a
            else:
                b: list[float] = list.new([1.5, x])
                yield b
            y: float = list.getitem(both, 1)
            n: int = list.len(both)
            return y, n
        """,
        """
        graph f(c: bool, x: float) -> (float, int):
            item_0: float, item_1: float = if c:
                yield x, 0.5
            else:
                yield 1.5, x
            return item_1, 2
        """,
    )


def test_a_copy_of_a_copy_stays():
    unchanged(
        replace_aggregates,
        """
        graph f(outer: list[float]) -> list[float]:
            items: list[float] = list.copy(outer)
            list.append(items, 0.5)
            kept: list[float] = list.copy(items)
            return kept
        """,
    )


NOBODY_READS = """
    graph f(n: int, x: float, c: bool) -> float:
        seen: list[float | str] = list.new([x, 'a'])
        for i: int in range(0, n, 1):
            list.append(seen, (x, [i]))
            if c:
                list.setitem(seen, 1, 2.5)
            else:
                list.insert(seen, i, None)
            last: list[float | str] = list.slice(seen, slice(1, None, None))
            list.append(last, 'b')
            list.reverse(seen)
            list.setitem(last, -1, 0.5)
        list.clear(seen)
        return x
    """


def test_what_nobody_reads_goes():
    changed = replace_aggregates(parse(dedent(NOBODY_READS)))
    assert [op.name for op in changed.operations() if op.name != "constant"] == ["for", "if"]


def dead(statement):
    return f"""
        graph f(n: int, x: float, c: bool) -> float:
            items: list[float] = list.new([x])
            if c:
                list.append(items, 0.5)
            {statement}
            return x
        """


@pytest.mark.parametrize(
    "statement",
    [
        "list.setitem(items, 1, x)",
        "list.setitem(items, -2, x)",
        "list.setitem(items, n, x)",
        "y: float = list.pop(items, 1)",
        "y: float = list.getitem(items, n)",
        "list.remove(items, x)",
        "list.sort(items, False)",
        "list.append(items, items)",
        "list.unpack(items, before=1, after=1)",
        "print(items)",
    ],
)
def test_what_may_raise_or_is_seen_stays(statement):
    unchanged(replace_aggregates, dead(statement))


def loop(statement, returned="x"):
    return f"""
        graph f(n: int, x: float) -> float:
            items: list[float] = list.new([x, 0.5])
            for i: int in range(0, n, 1):
                {statement}
            y: float = list.getitem(items, 0)
            return {returned}
        """


@pytest.mark.parametrize(
    ("statement", "is_read"),
    [
        ("list.insert(items, 0, 2.5)", True),  # the first item is known, and so many follow
        ("list.insert(items, i, 2.5)", False),
        ("list.reverse(items)", True),
        ("list.setitem(items, 0, i)", False),  # an int among floats
    ],
)
def test_items_that_a_loop_moves(statement, is_read):
    changed = replace_aggregates(parse(dedent(loop(statement, "y"))))
    assert ("list.new" not in {op.name for op in changed.operations()}) is is_read


def test_a_list_that_a_loop_may_empty_stays():
    text = loop("y: float = list.pop(items)")
    unchanged(replace_aggregates, text.replace("            y: float = list.getitem(items, 0)\n", ""))


@PROGRAMS.of((2.0,), (-1.0,))
def an_attribute_that_comes_later(x):
    """On one path only: it is absent on the other."""
    mean = Mean()
    if x > 0:
        mean.first = x
    return hasattr(mean, "first"), getattr(mean, "first", -1.0)


test_program = PROGRAMS.test()
test_lists = LISTS.test()
