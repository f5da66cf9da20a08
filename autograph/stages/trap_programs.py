"""Programs that a stage must get right, or refuse: what a branch or a loop does beside assigning variables.

Each takes one or two numbers and gives a number or a list of numbers. `autograph.stages.testing` runs them
for a positive and a negative number, or for those of `at`.
"""

# mypy: ignore-errors

import array
import collections
import contextlib
import contextvars
import ctypes
import dataclasses
import decimal
import functools
import heapq
import itertools
import math
import random
import weakref

HELD = [0]
VARIABLE = contextvars.ContextVar("VARIABLE")
total = 0


def at(*calls):
    """Run a program for these numbers."""

    def noted(program):
        POINTS[program.__name__] = calls
        return program

    return noted


POINTS = {}


class Shape:
    sides = 0
    __slots__ = ("__dict__", "__weakref__", "size")

    def __init__(self):
        self.size, self.marks, self.stores = 1, [], 0

    @property
    def marked(self):
        return len(self.marks)

    @marked.setter
    def marked(self, value):
        self.marks = [value]
        self.stores += 1


class Walk:
    """An iterator written in Python."""

    def __init__(self, stop):
        self.at, self.stop = 0, stop

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.stop:
            raise StopIteration
        self.at += 1
        return self.at


class Row(list):
    pass


class Managed:
    def __init__(self, seen):
        self.seen = seen

    def __enter__(self):
        self.seen[0] += 1
        return self

    def __exit__(self, *_):
        self.seen[1] += 1


class Forgiving(Managed):
    def __exit__(self, *_):
        return True


@dataclasses.dataclass
class Point:
    at: float


class Tagged:
    def __init__(self, at):
        self.at = at

    def __eq__(self, other):
        return self.at == other.at

    __hash__ = None

    def __contains__(self, v):
        return 0 < v and v < self.at


# Lists, dicts, sets


def containers(x):
    out, line, parts, held = [], collections.deque([1, 2, 3]), [1, 2, 3, 4], {"a": 1}
    same = y = x + 0
    if x > 0:
        y += 1
        out.append(x)
        line.rotate(1)
        parts[1:3] = [x]
        held["a"] = x
    else:
        out.append(-x)
        out[0] += 1
        line[0] = 7
        del parts[0]
        held.update(a=2)
    return [*out, len(out), *line, *parts, held["a"], same, y]


def list_grows(x):
    out = [x]
    if x > 0:
        out.append(2 * x)
    return sum(out) + len(out)


def dict_grows(x):
    held = collections.defaultdict(int)
    if x > 0:
        held["a"] += x
    return len(held)


def dict_order(x):
    held = {"a": 1, "b": 2}
    if x > 0:
        held["a"] = held.pop("a") + x
    return [*held.values()]


def dict_of_value(x):
    held = {}
    held[x] = 1
    held[x + 0] = 2
    return len(held)


def set_grows(x):
    seen = set()
    if x > 0:
        seen.add(1)
    return len(seen)


@at((1.0, 1.0), (1.0, 2.0))
def set_of_values(x, y):
    return len({x, y})


# Attributes, globals, cells, classes, modules


def attributes(x):
    shape, kept, key = Shape(), Shape(), Shape()
    held, keys = weakref.ref(kept), {key: 1}
    Shape.sides = 0
    if x > 0:
        Shape.sides = 3
        shape.size = x
        shape.marked = 3
        held().size = 2
        for each in keys:
            each.size = 3
    else:
        shape.marked = x
    return [shape.size, shape.marks[0], shape.stores, kept.size, key.size, shape.sides]


def attribute_made(x):
    shape = Shape()
    if x > 0:
        shape.colour = 1
    return 1 if hasattr(shape, "colour") else 0


def _bump():
    global total
    total += 1
    _bump.calls += 1


def outside(x):
    global total
    total = HELD[0] = _bump.calls = n = 0

    def bump(item, held=[0]):  # noqa: B006
        nonlocal n
        n += item
        held[0] += 1
        return [late, held[0]]

    if x > 0:
        late = 1
        _bump()
        bump(2)
        HELD[0] += 1
    else:
        late = 2
    return [total, HELD[0], _bump.calls, n, *bump(1)]


def _make_global():
    global made_in_a_branch
    made_in_a_branch = 1


def global_made(x):
    globals().pop("made_in_a_branch", None)
    if x > 0:
        _make_global()
    return 1 if "made_in_a_branch" in globals() else 0


def global_by_name(x):
    globals()["total"] = 0
    if x > 0:
        globals()["total"] = 5
    return total


def closures(x):
    made = []
    for i in range(3):
        if x > i:
            made.append(lambda i=i: i)
        else:
            made.append(lambda i=i: 10 + i)
    return [f() for f in made]


# Arrays, and what is done in place


def array_store(x):
    out = array.array("d", [0.0, 0.0])
    if x > 0:
        out[0] = 1
    return [*out]


# Objects that are not written in Python


def attribute_in_c(x):
    context = decimal.Context(prec=5)
    if x > 0:
        context.prec = 3
    return context.prec


def item_in_c(x):
    numbers = (ctypes.c_int * 2)()
    if x > 0:
        numbers[0] = 3
    return [*numbers]


def method_in_c(x):
    VARIABLE.set(0)
    if x > 0:
        VARIABLE.set(1)
    return VARIABLE.get()


# Aliases and identity


def aliases(x):
    out, shape = [1], Shape()
    same = out
    if x > 0:
        out[0] = 2
        a = b = [x]
        mine = shape.marks = [x]
    else:
        a = b = [2]
        mine = shape.marks = [1]
    a[0] = 9
    mine.append(2)
    return [same[0], b[0], len(shape.marks), shape.marks[0]]


def one_of_two(x):
    a, b = [1], [2]
    c = a if x > 0 else b
    c[0] = 7
    return a[0] * 10 + b[0]


def alias_in_one(x):
    if x > 0:
        a = [1]
        b = a
    else:
        a, b = [2], [2]
    a[0] = 9
    return b[0]


def identity(x):
    y = x if x > 0 else 1.0
    return 1 if y is x else 0


def is_true(x):
    return 1 if (x > 0) is True else 0


@at((1.0, 1.0), (1.0, 2.0))
def structural(x, y):
    return [1 if x == y else 0, 1 if x != y else 0, 1 if [x, 1] == [y, 1] else 0]


@at((1.0, 1.0), (1.0, 2.0))
def equal_objects(x, y):
    a, b = Tagged(x), Tagged(y)
    return [1 if a == b else 0, 1 if a != b else 0, 1 if Point(x) == Point(y) else 0]


@at((1.0, 1.0), (1.0, 2.0))
def equal_dicts(x, y):
    return 1 if {"a": x} == {"a": y} else 0


@at((1.0, 2.0), (3.0, 2.0))
def contained(x, y):
    return 1 if x in Tagged(y) else 0


# Iterators and generators


def iterator(x):
    items = iter([1, 2, 3])
    if x > 0:
        next(items)
    return next(items)


def iterator_of_ours(x):
    walk = Walk(3)
    n = 0
    if x > 0:
        n = next(walk)
    return [n, walk.at]


def iterator_ended(x):
    items = iter([1, 2, 3, 4])
    n = 0
    for i in items:
        if i > x:
            break
        n += i
    return n + len([*items])


def iterator_asked(x):
    items = iter([x, 1, 2, 3])
    found = any(items)
    return [1 if found else 0, len([*items])]


def iterator_searched(x):
    shape = Shape()
    shape.items = iter([1, 2, 3])
    found = 0
    if x > 0:
        found = 1 if 2 in shape.items else 0
    return found + len([*shape.items])


def generator(x):
    def numbers():
        yield 1
        if x > 0:
            yield 2

    return sum(numbers())


def generator_stopped(x):
    out = [0]

    def seen(v):
        out[0] += 1
        return v > 0

    return [1 if any(seen(v) for v in [x, 1, 2]) else 0, out[0]]


# Exceptions


def suppressed(x):
    y = 1
    with contextlib.suppress(Exception):
        if x > 0:
            {}["a"]
        y = 2
    return y


@at((-3.0,), (-4.0,))
def raised_by_the_library(x):
    y = 1
    with Forgiving([0, 0]):
        if x > 0:
            y = x["nothing"]
        y += 1
    return y


@at((3.0,), (4.0,))
def raised_by_values(x):
    try:
        y = 1 / (x - 3)
    except ZeroDivisionError:
        y = 100
    return y


def finally_(x):
    HELD[0] = 0
    try:
        if x > 0:
            try:
                {}["a"]
            except KeyError:
                return HELD[0] + 1
        HELD[0] = 2
    finally:
        HELD[0] += 5
    return HELD[0]


def with_(x):
    seen = [0, 0]
    with Managed(seen):
        if x > 0:
            with Managed(seen) as managed:
                managed.seen[0] += 1
            return seen[0]
    return seen[0] + seen[1]


# Loops


def loop_changes_objects(x):
    shape, out = Shape(), [0, 0]
    n = 0
    while n < x:
        out[0] += n
        out[1] = shape.size = n
        n = n + 1
    return [*out, shape.size]


def loop_changes_rows(x):
    rows = [[0], [1], [2]]
    for i, row in enumerate(rows):
        if row[0] > x:
            break
        row[0] = 7 + i
    return [i, *[row[0] for row in rows]]


def loop_makes_lists(x):
    pair = [0, 1]
    n = 0
    while n < x:
        pair = [pair[1], pair[0] + pair[1]]
        n += 1
    return pair


def loop_gives_list(x):
    for i in range(3):
        if i > x:
            return [i, x]
    return [-1, 0]


def loop_else(x):
    for i in range(3):
        if i > x:
            found = i
            break
    else:
        found = 9
    return found


def recursion(x):
    def down(n):
        return 0 if n > x else 1 + down(n + 1)

    return down(0)


# Calls that both branches would do, texts, what asks for an order


def drawn(x):
    random.seed(1)
    if x > 0:
        random.random()
    return random.random()


def number_of_python(x):
    return math.sqrt(x * x) + float(x)


def sorted_by(x):
    out = [1.0, 2.0]
    out.sort(key=lambda v: v * x)
    return out


def filtered(x):
    return len([*filter(lambda v: v > 0, [x, 1.0])])


def generator_passed(x):
    return heapq.nsmallest(2, (v for v in [x, 1.0, 2.0]))


def view_passed(x):
    return heapq.nlargest(1, {"a": x, "b": 1.0}.values())


def key_passed(x):
    return heapq.nsmallest(2, [1.0, 2.0], key=lambda v: v * x)


def list_of_a_class(x):
    return Row([x, 3.0, 3.0]).count(3.0)


def given_to_python(x):
    def doubled():
        yield (yield x) * 2

    values, held = doubled(), collections.OrderedDict(a=x)
    held.update(b=next(values), c=values.send(x))
    held.move_to_end("a")
    row = Row(held.values())
    row.append(2)
    return [*row, *heapq.nsmallest(1, (v for v in [2.0, 1.0]))]


def _larger(a, b):
    return a if a > b else b


@functools.lru_cache
def _remembered(v):
    return 1 if v > 0 else 2


def _total(n, x):
    return 0 if n == 0 else (n if x > n else -n) + _total(n - 1, x)


def passed_on(x):
    clipped = map(functools.partial(_larger, 0), [x, 0.5])
    largest = functools.reduce(_larger, [x, 0.5, 1.5])
    added = _remembered(x) + _remembered(1) + _total(4, x)
    return [*clipped, largest, *itertools.accumulate([x, 1, 2], _larger), added]


# Truth, and variables without a value


@at((0.0, 2.0), (3.0, 0.0), (1.0, 2.0), (-1.0, 2.0))
def numbers_as_truth(x, y):
    out = [0]

    def seen(v):
        out[0] += 1
        return v

    both = x > 0 and seen(y > 0)
    z = 1 if 0 < (w := x * 2) < y else w
    return [x and y, x or y, 1 if x else 2, 1 if not x else 2, z, 1 if both else 0, out[0]]


def deleted(x):
    shape = Shape()
    z = 1
    if x > 0:
        y = 1
        del shape.size, z
    else:
        y = 2
        del shape.size, z
    z = 3
    return [1 if hasattr(shape, "size") else 0, y, z]


def text_of_branch(x):
    mode = "a" if x > 0 else "b"
    return 1 if mode == "a" else 2


def none_or_value(x):
    best = None
    if x > 0:
        best = x
    return 0 if best is None else best
