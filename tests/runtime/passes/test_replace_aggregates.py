"""Objects, lists and dicts that nobody else sees are none in a run, only what they hold."""

import numpy as np
import pytest

import runtime as rt
from runtime.graph.core import walk
from tests.programs import Programs

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


X = np.array([1.5, -2.0, 3.0])
NUMBERS_AND_COUNTS = ((4, 1.5), (0, 2.0), (7, -0.5))
#: lists and dicts of one length, whose items are variables of the loops: nothing is left of them there
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
    for i in range(n):
        last[0], last[1] = last[1] * 0.5, last[0] + i
    return last[0]


@LISTS.of(*NUMBERS_AND_COUNTS)
def a_state_by_names(n, x):
    state = {"x": x, "v": 0.5, "hits": 0}
    for _ in range(n):
        state["x"] += state["v"]
        if state["x"] > 2:
            state["v"] = -state["v"]
            state["hits"] += 1
    return state["x"], state["hits"]


@LISTS.of((X, 3), (X, 0))
def arrays_that_are_written(x, n):
    kept = [x, x * 2.0]
    for _ in range(n):
        kept[0] = kept[0] * 0.5 + kept[1]
        kept[1][0] += 1.0
        kept[0], kept[1] = kept[1], kept[0]
    return kept[0], kept[1], x


@LISTS.of(*NUMBERS_AND_COUNTS)
def numbers_or_none(n, x):
    waiting = [None, 0.0]
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
    for i in range(n):
        k, v = best[0]
        if v * 0.5 < x:
            best[0] = (i, v + 1.0)
            name[1] = str(k)
        else:
            best[1] = (k, v)
    return best[0], best[1], name[0] + name[1]


@LISTS.of(*NUMBERS_AND_COUNTS)
def lists_in_a_list(n, x):
    rows = [[x, 0.5], [1.0, 2.0]]
    for _ in range(n):
        rows[0][1] = rows[1][0] * 0.5 + rows[0][1]
        rows[1][0] = rows[0][0] + x
    return rows[0][1] + rows[1][0]


@LISTS.of((X, 3), (X, 0))
def stored_and_never_read(x, n):
    """Until it is returned."""
    found = {"first": 0.5, "last": None}
    for i in range(n):
        found["last"] = x[i] * 2.0
    return found


@LISTS.of((X, 3), (X, 0))
def numbers_of_two_types(x, n):
    last = [0.5, 0.0]
    for k in range(2 * n):
        last[1] = last[0]
        last[0] = last[0] * 0.5 + x[k // 2]
    return last[0] + last[1]


@LISTS.of(*NUMBERS_AND_COUNTS)
def one_of_two_that_are_read(n, x):
    a, b = [x, 1.0], [2.0, x]
    total = 0.0
    for i in range(n):
        c = a if i % 2 else b
        total += c[0] * c[1]
    return total


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


@PROGRAMS.of((MANY, 3.0), (MANY, 1e9), (MANY, -5.0))
def stored_before_it_is_raised(all, limit):
    """A handler finds what a path stored that does not come to its end."""
    mean, seen = Mean(), 0.0
    for each in all:
        mean.total = each.x
        try:
            mean.count = 1
            if each.x > limit:
                mean.total = -each.y
                raise ValueError
            mean.count = 2
        except ValueError:
            seen += mean.total
        seen += mean.count
    return seen, mean.total


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


@PROGRAMS.of((2.0,), (-1.0,))
def an_attribute_that_comes_later(x):
    """On one path only: it is absent on the other."""
    mean = Mean()
    if x > 0:
        mean.first = x
    return hasattr(mean, "first"), getattr(mean, "first", -1.0)


test_program = PROGRAMS.test()
test_lists = LISTS.test()
