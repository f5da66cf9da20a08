"""Programs that a stage must get right, or refuse: what a branch or a loop does beside assigning variables.

Each takes one or two numbers and gives a number or a list of numbers. `autograph.stages.testing` runs them.
"""

# mypy: ignore-errors

import array
import collections
import contextlib
import dataclasses
import functools
import itertools
import math
import random
import types
import weakref

COUNT = [0]
total = 0


class Shape:
    sides = 0

    def __init__(self):
        self.marks = []

    def area(self):
        return self.sides * 2

    @property
    def marked(self):
        return len(self.marks)


class Square(Shape):
    sides = 4


class Temperature:
    def __init__(self):
        self._degrees, self.stores = 1, 0

    @property
    def degrees(self):
        return self._degrees

    @degrees.setter
    def degrees(self, value):
        self._degrees = value
        self.stores += 1


class Slotted:
    __slots__ = ("a", "b")


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


class Note(Exception):
    pass


# Lists, dicts, sets


def lists_in_both(x):
    out = [0, 0]
    if x > 0:
        out[0] = 1
        out.reverse()
    else:
        out[0] = 5
    return out


def list_grows_in_both(x):
    out = []
    if x > 0:
        out.append(x)
    else:
        out.append(-x)
        out[0] += 1
    return [*out, len(out)]


def list_grows_in_one(x):
    out = [x]
    if x > 0:
        out.append(2 * x)
    return sum(out) + len(out)


def list_slices(x):
    out = [1, 2, 3, 4]
    if x > 0:
        out[1:3] = [x]
    else:
        del out[0]
    return out


def list_in_list(x):
    grid = [[0, 0], [0, 0]]
    row = grid[1]
    if x > 0:
        row[0] = x
        grid[0] = row
    return [*grid[0], *grid[1]]


def list_in_place(x):
    out = same = [1]
    if x > 0:
        out += [2]
    else:
        out = out + [3]
    return [len(out), len(same), out[1]]


def dict_items(x):
    held = {"a": 1}
    if x > 0:
        held["a"] = x
    else:
        held.update(a=2)
    return held["a"]


def dict_keys(x):
    held = {"a": 1}
    if x > 0:
        held["b"] = x
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


def defaults_of_dict(x):
    held = collections.defaultdict(int)
    if x > 0:
        held["a"] += x
    return len(held)


def sets(x):
    seen = set()
    if x > 0:
        seen.add(1)
    return len(seen)


def set_of_values(x, y):
    return len({x, y})


def queue(x):
    line = collections.deque([1, 2, 3])
    if x > 0:
        line.rotate(1)
    else:
        line[0] = 7
    return [*line]


# Attributes, globals, cells, classes, modules


def attribute(x):
    shape = Shape()
    shape.size = 1
    if x > 0:
        shape.size = x
        shape.marks.append(1)
    else:
        shape.marks.append(2)
    return [shape.size, shape.marks[0], shape.marked]


def attribute_made(x):
    shape = Shape()
    if x > 0:
        shape.colour = 1
    return 1 if hasattr(shape, "colour") else 0


def slots(x):
    made = Slotted()
    made.a = 1
    if x > 0:
        made.a, made.b = 2, 3
    else:
        made.b = 4
    return [made.a, made.b]


def class_attribute(x):
    Shape.sides = 0
    if x > 0:
        Shape.sides = 3
    return Shape().area()


def class_attribute_made(x):
    class Local:
        pass

    if x > 0:
        Local.level = 1
    return 1 if hasattr(Local, "level") else 0


def function_attribute(x):
    def counted():
        counted.calls = counted.calls + 1

    counted.calls = 0
    if x > 0:
        counted()
    return counted.calls


def module_attribute(x):
    module = types.ModuleType("settings")
    module.level = 0
    if x > 0:
        module.level = 2
    return module.level


def _bump():
    global total
    total += 1


def global_in_callee(x):
    global total
    total = 0
    if x > 0:
        _bump()
    return total


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


def in_global_list(x):
    COUNT[0] = 0
    if x > 0:
        COUNT[0] += 1
    return COUNT[0]


def cell(x):
    n = 0

    def bump():
        nonlocal n
        n += 1

    if x > 0:
        bump()
    else:
        bump()
        bump()
    return n


def cell_made(x):
    def read():
        return late

    if x > 0:
        late = 1
    else:
        late = 2
    return read()


def default_argument(x):
    def collected(item, held=[0]):  # noqa: B006
        held[0] += item
        return held[0]

    if x > 0:
        collected(2)
    return collected(1)


def closures(x):
    made = []
    for i in range(3):
        if x > i:
            made.append(lambda i=i: i)
        else:
            made.append(lambda i=i: 10 + i)
    return [f() for f in made]


def closures_of_values(x):
    y = 1

    def read():
        return y

    if x > 0:
        y = x
    return read()


def lambdas(x):
    f = (lambda v: v + 1) if x > 0 else (lambda v: v - 1)
    return f(x)


# Arrays, and what is done in place


def array_store(x):
    out = array.array("d", [0.0, 0.0])
    if x > 0:
        out[0] = 1
    return [*out]


def bytes_store(x):
    out = bytearray(b"ab")
    if x > 0:
        out[0] = 0
    return out[0]


def value_in_place(x):
    same = y = x + 0
    if x > 0:
        y += 1
    return [same, y]


# Aliases and identity


def alias(x):
    out = [1]
    same = out
    if x > 0:
        out[0] = 2
    return same[0]


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


def alias_in_both(x):
    if x > 0:
        a = b = [x]
    else:
        a = b = [2]
    a[0] = 9
    return b[0]


def alias_in_object(x):
    shape = Shape()
    if x > 0:
        mine = shape.marks = [x]
    else:
        mine = shape.marks = [1]
    mine.append(2)
    return [len(shape.marks), shape.marks[0]]


def identity(x):
    y = x if x > 0 else 1.0
    return 1 if y is x else 0


def is_true(x):
    return 1 if (x > 0) is True else 0


def match_true(x):
    match x > 0:
        case True:
            return 1
    return 0


def weak_reference(x):
    shape = Shape()
    held = weakref.ref(shape)
    shape.size = 1
    if x > 0:
        held().size = 2
    return shape.size


def objects_in_keys_and_sets(x):
    one, other = Shape(), Shape()
    one.size = other.size = 1
    held, seen = {one: 1}, {other}
    if x > 0:
        for shape in held:
            shape.size = 2
        for shape in seen:
            shape.size = 3
    return [one.size, other.size]


def class_changed(x):
    shape = Shape()
    Shape.sides = 0
    if x > 0:
        shape.__class__ = Square
    return shape.sides


def property_stored(x):
    made = Temperature()
    if x > 0:
        made.degrees = x
    return [made.degrees, made.stores]


def objects_of_two_classes(x):
    shape = Shape() if x > 0 else Square()
    return shape.sides


def structural(x, y):
    return [1 if x == y else 0, 1 if x != y else 0, 1 if [x, 1] == [y, 1] else 0]


def structural_search(x, y):
    return [1 if x in [y, 7] else 0, [y, x].index(x)]


@dataclasses.dataclass
class Point:
    at: float
    name: str = "p"


class Tagged:
    def __init__(self, at):
        self.at = at

    def __eq__(self, other):
        return self.at == other.at

    __hash__ = None

    def __contains__(self, v):
        return 0 < v and v < self.at


def equal_objects(x, y):
    a, b = Tagged(x), Tagged(y)
    return [1 if a == b else 0, 1 if a != b else 0, 1 if Point(x) == Point(y) else 0]


def contained(x, y):
    return 1 if x in Tagged(y) else 0


def dict_equality(x, y):
    return 1 if {"a": x} == {"a": y} else 0


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


def generator_paused(x):
    def numbers():
        yield 1
        yield 2
        yield 3

    items = numbers()
    if x > 0:
        next(items)
    return next(items)


def comprehension_kept(x):
    return len([v for v in [x, 1] if v > 0])


def comprehension_effects(x):
    seen = []
    if x > 0:
        [seen.append(v) for v in [1, 2]]
    return len(seen)


# Exceptions


def caught_all(x):
    y = 0
    try:
        if x > 0:
            raise Note
    except Exception:  # noqa: BLE001
        y = 2
    return y


def suppressed(x):
    y = 1
    with contextlib.suppress(Exception):
        if x > 0:
            {}["a"]
        y = 2
    return y


def caught_in_branch(x):
    if x > 0:
        try:
            y = {}["a"]
        except KeyError:
            y = 2
    else:
        y = 1
    return y


def raised_by_values(x):
    try:
        y = 1 / (x - 3)
    except ZeroDivisionError:
        y = 100
    return y


def finally_(x):
    out = [0, 0]
    try:
        if x > 0:
            out[0] = 1
        else:
            out[0] = 2
    finally:
        out[1] = 5
    return out


def returned_in_finally(x):
    try:
        if x > 0:
            return 1
        return 2
    finally:
        COUNT[0] = 7


def asserted(x):
    assert x != 3 or x > 0
    return x


class Managed:
    def __init__(self, seen):
        self.seen = seen

    def __enter__(self):
        self.seen[0] += 1
        return self

    def __exit__(self, *_):
        self.seen[1] += 1


def with_(x):
    seen = [0, 0]
    if x > 0:
        with Managed(seen) as managed:
            managed.seen[0] += 1
    return seen


def returned_in_with(x):
    seen = [0, 0]
    with Managed(seen):
        if x > 0:
            return 5
    return seen[0] + seen[1]


# Loops


def broken(x):
    out = []
    for i in range(4):
        if i > x:
            break
        out.append(i)
    return len(out)


def loop_changes_list(x):
    out = [0, 0]
    n = 0
    while n < x:
        out[0] += n
        out[1] = n
        n = n + 1
    return out


def loop_changes_object(x):
    shape = Shape()
    shape.size = 0
    n = 0
    while n < x:
        shape.size += n
        n += 1
    return shape.size


def rows_that_a_loop_changes(x):
    rows = [[0], [1], [2]]
    for row in rows:
        if row[0] > x:
            break
        row[0] = 7
    return [row[0] for row in rows]


def loop_makes_lists(x):
    pair = [0, 1]
    n = 0
    while n < x:
        pair = [pair[1], pair[0] + pair[1]]
        n += 1
    return pair


def list_that_two_variables_hold(x):
    out = [1, 2]
    if x > 0:
        out = [3, 4]
    keep = out
    if x > 2:
        out = [5, 6]
    out[0] = 9
    return [*keep, *out]


def rows_that_are_one(x):
    row = [0, 0]
    grid = [row, row]
    if x > 0:
        grid = [[2, 2], [3, 3]]
    else:
        grid[0][1] = 7
    grid[1][0] = 8
    return [*grid[0], *grid[1], *row]


def list_returned(x):
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


def loop_variable(x):
    i = 7
    for i in range(3):
        if i > x:
            break
    return i


def recursion(x):
    def down(n):
        return 0 if n > x else 1 + down(n + 1)

    return down(0)


def recursion_of_python(x):
    def total(n):
        if n == 0:
            return 0
        return (n if x > n else -n) + total(n - 1)

    return total(4)


# Calls that both branches would do, texts, what asks for an order


def printed(x):
    if x > 0:
        print("", end="")
    return x


def drawn(x):
    random.seed(1)
    if x > 0:
        random.random()
    return random.random()


def number_of_python(x):
    return math.sqrt(x * x) + float(x)


def sorted_(x):
    return sorted([x, 0.5])


def sorted_by(x):
    return sorted([1.0, 2.0], key=lambda v: v * x)


def sorted_in_place(x):
    out = [1.0, 2.0]
    out.sort(key=lambda v: v * x)
    return out


def mapped(x):
    return [*map(_clipped, [x, 0.5])]


def _clipped(v):
    return v if v > 0 else 0


def reduced(x):
    return functools.reduce(_larger, [x, 0.5, 1.5])


def _larger(a, b):
    return a if a > b else b


def filtered(x):
    return len([*filter(lambda v: v > 0, [x, 1.0])])


@functools.lru_cache
def _remembered(v):
    return 1 if v > 0 else 2


def cached(x):
    return _remembered(x) + _remembered(1)


def accumulated(x):
    return [*itertools.accumulate([x, 1, 2], _larger)]


def text(x):
    return len(f"{1 if x > 0 else 22}")


def text_of_value(x):
    return len(str(x > 0))


def joined(x, y):
    out = [0]

    def seen(v):
        out[0] += 1
        return v

    both = x > 0 and seen(y > 0)
    return [1 if both else 0, out[0]]


def stopped_early(x):
    out = [0]

    def seen(v):
        out[0] += 1
        return v > 0

    return [1 if any(seen(v) for v in [x, 1, 2]) else 0, out[0]]


def chained(x, y):
    return [1 if 0 < x < y else 0, 1 if x < y > 0 else 0]


def numbers_as_truth(x, y):
    return [x and y, x or y, 1 if x else 2, 1 if not x else 2]


def walrus(x):
    if (y := x * 2) > 2:
        y += 1
    return y


def unset(x):
    if x > 0:
        y = x
    return y if x > 0 else 0


def deleted(x):
    y = 1
    if x > 0:
        del y
    return 0 if x > 0 else y


def deleted_in_both(x):
    shape = Shape()
    shape.size = y = 1
    if x > 0:
        del shape.size, y
    else:
        del shape.size, y
    y = 3
    return [1 if hasattr(shape, "size") else 0, y]


def unset_in_both(x):
    if x > 0:
        kind, y = "same", 1
    else:
        kind, y = "same", 2
    return y if kind == "same" else 0


def text_of_branch(x):
    mode = "a" if x > 0 else "b"
    return 1 if mode == "a" else 2


def none_or_value(x):
    best = None
    if x > 0:
        best = x
    return 0 if best is None else best


#: the arguments of those that take others than a positive and a negative number
POINTS = {
    "structural": [(1.0, 1.0), (1.0, 2.0)],
    "structural_search": [(1.0, 1.0), (1.0, 2.0)],
    "equal_objects": [(1.0, 1.0), (1.0, 2.0)],
    "contained": [(1.0, 2.0), (3.0, 2.0)],
    "dict_equality": [(1.0, 1.0), (1.0, 2.0)],
    "set_of_values": [(1.0, 1.0), (1.0, 2.0)],
    "numbers_as_truth": [(0.0, 2.0), (3.0, 0.0), (3.0, 2.0)],
    "joined": [(1.0, 1.0), (-1.0, 1.0)],
    "chained": [(1.0, 2.0), (2.0, 1.0), (-1.0, 2.0)],
    "raised_by_values": [(3.0,), (4.0,)],
    "unset": [(3.0,), (-3.0,)],
}
