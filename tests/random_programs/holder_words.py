"""The words of the programs of `holders.py`: kinds of things, places that hold them, ways to get at them."""

from __future__ import annotations

from typing import NamedTuple

HEAD = """\
import collections
import contextlib
import copy
import dataclasses
import functools

class Node:
    def __init__(self, v, after=None):
        self.v = v
        self.after = after

@dataclasses.dataclass
class Record:
    v: object
    rows: list = dataclasses.field(default_factory=list)

class Slotted:
    __slots__ = ("v", "after")

    def __init__(self, v):
        self.v = v
        self.after = None

@dataclasses.dataclass(frozen=True)
class Frozen:
    v: list

class Child(Node):
    made = 0

    def __init__(self, v):
        super().__init__(v)
        self.rows = [v]
        Child.made += 1

class Carrier(Exception):
    def __init__(self, thing):
        super().__init__("carried")
        self.thing = thing

class Table:
    def __init__(self):
        self.held = {{}}

    def __setitem__(self, key, thing):
        self.held[key] = thing

    def __getitem__(self, key):
        return self.held[key]

    def __call__(self, thing):
        self[0] = thing
        return self

class Shared:
    kept = None
    rows = []

    @classmethod
    def keep(cls, thing):
        cls.kept = thing
        return thing

class Shelf:
    def __init__(self, thing):
        self._thing = thing
        self.count = 0

    @property
    def thing(self):
        return self._thing

    @thing.setter
    def thing(self, thing):
        self.count += 1
        self._thing = thing

class Held:
    def __init__(self, thing, swallow):
        self.thing = thing
        self.swallow = swallow

    def __enter__(self):
        BOX.after = self.thing
        return self.thing

    def __exit__(self, kind, error, trace):
        KEPT.append(self.thing)
        return self.swallow and kind is ValueError

def cells(thing):
    def put(other):
        nonlocal thing
        before, thing = thing, other
        return before

    def get():
        return thing

    return put, get

def throw(thing):
    raise Carrier(thing)

@contextlib.contextmanager
def lent(thing):
    BOX.after = thing
    yield thing
    SHELF.thing = thing

def note(thing, notes=[]):
    notes.append(thing)
    return notes[0]

def each(*things):
    for thing in things:
        yield thing

def down(d, thing):
    if d > 0:
        down(d - 1, thing)
    else:
        BOX.v = thing

note.last = None
START = {start}
G, KEPT, TABLE, BOX, SHELF = START, [{start}], {{"t": {start}}}, Node(START), Shelf({start})
QUEUE = collections.deque([{start}], maxlen=5)
RECORD = Record({start})
MINE = Table()
MINE[0] = MINE[1] = {start}
PUT, GET = cells({start})
Shared.kept = note.last = START

def f(n):
    global G, KEPT, TABLE, RECORD
    k = 0
    a = {made}
    b = {made}
    c = Node(a)
"""


class Kind(NamedTuple):
    """What things of a kind are made by, from a number, how they are changed, and what is read of them."""

    made: tuple[str, ...]
    changes: tuple[str, ...]
    read: str


KINDS = {
    "list": Kind(("[$n]",), ("$x.append($n)", "$x[0] += $n", "$x[0] = $n", "$x.insert(0, $n)"), "$x[0]"),
    "dict": Kind(("{'k': $n}",), ("$x['z'] = $n", "$x['k'] += $n", "$x.pop('z', None)"), "$x['k']"),
    "object": Kind(("Node($n)",), ("$x.v += $n", "$x.v = $n", "$x.after = Node($n)"), "$x.v"),
    "record": Kind(("Record($n)",), ("$x.v += $n", "$x.rows.append($n)", "$x.rows = [$n]"), "$x.v"),
    "array": Kind(("np.array([$n, 1])",), ("$x[0] += $n", "$x[:] *= 2", "$x[1] = $n"), "int($x[0])"),
    "set": Kind(("{$n}",), ("$x.add($n)", "$x.discard($n)"), "len($x)"),
    "deque": Kind(("collections.deque([$n])",), ("$x.append($n)", "$x[0] += $n"), "$x[0]"),
    "rows": Kind(("[[$n]]",), ("$x[0].append($n)", "$x.append([$n])", "$x[0] = [$n]"), "$x[0][0]"),
    "slotted": Kind(("Slotted($n)",), ("$x.v += $n", "$x.v = $n", "$x.after = [$n]"), "$x.v"),
    "frozen": Kind(("Frozen([$n])",), ("$x.v.append($n)", "$x.v[0] += 1"), "$x.v[0]"),
    "child": Kind(("Child($n)",), ("$x.v += $n", "$x.rows.append($n)", "$x.rows = [$n]"), "$x.v"),
    "holder": Kind(("Node([$n])",), ("$x.v.append($n)", "$x.v = [$n]", "$x.v[0] += 1"), "$x.v[0]"),
}  # fmt: skip

#: places that always hold a thing
PLACES = (
    "BOX.v", "G", "KEPT[-1]", "KEPT[0]", "TABLE['t']", "SHELF.thing", "QUEUE[0]", "RECORD.v", "GET()",
    "Shared.kept", "note.last", "MINE[0]", "KEPT[n % len(KEPT)]",
)  # fmt: skip
STORES = (
    "BOX.v = $x", "G = $x", "KEPT.append($x)", "KEPT[0] = $x", "TABLE['t'] = $x", "TABLE['u'] = ($x, n)",
    "SHELF.thing = $x", "QUEUE.append($x)", "QUEUE[0] = $x", "RECORD.v = $x", "RECORD.rows.append($x)",
    "PUT($x)", "Shared.kept = $x", "Shared.keep($x)", "Shared.rows.append($x)", "note.last = $x", "note($x)",
    "BOX.after = $x", "down(n, $x)", "BOX.v = SHELF.thing = $x", "BOX.after = [$x, b]",
    "KEPT.insert(0, $x)", "KEPT.extend([$x, b])",
    "QUEUE.appendleft($x)", "TABLE['v'] = TABLE['t']", "del KEPT[1:]",
    "QUEUE.rotate(1)", "KEPT.reverse()", "SHELF.thing, BOX.v = BOX.v, $x", "TABLE = {**TABLE, 't': $x}",
    "a, *rest = KEPT",
    "KEPT.append(KEPT[0])", "KEPT = [*KEPT, $x]", "KEPT = KEPT[-2:]", "KEPT.append((a, $x)[1])",
    "MINE[0] = $x", "MINE[n % 2] = $x", "MINE($x)", "MINE($x)[1] = b", "TABLE[n] = $x",
    "KEPT[n % len(KEPT)] = $x",
    "[KEPT.append(thing) for thing in (a, $x)]", "functools.partial(KEPT.append, $x)()",
    "[*map(KEPT.append, [a, $x])]",
    "note(thing=$x)", "note(*[$x])", "TABLE.update([('w', $x)])", "BOX.after = (lambda thing=$x: thing)()",
    "RECORD.rows += [$x]", "RECORD = dataclasses.replace(RECORD, v=$x)", "BOX.after, RECORD.rows = $x, [a]",
    "c = Node($x)", "c = Record(a, [$x])", "c = Node((n, $x))", "c.v = $x", "c = Node(c.v, $x)",
    "BOX.after = c.v",
    "setattr(BOX, 'v', $x)", "BOX.after = {'in': $x}", "KEPT[:] = [$x, b]", "TABLE.update(t=$x)",
)  # fmt: skip
#: ways to get at a thing that take it out, look for it, or copy it
TAKEN = (
    "KEPT.pop() if len(KEPT) > 1 else a", "KEPT.pop(0) if len(KEPT) > 1 else b", "TABLE.setdefault('t', a)",
    "max(KEPT, key=lambda thing: $r)", "sorted(KEPT, key=lambda thing: $r)[0]", "next(iter(KEPT))",
    "[*KEPT][0]",
    "list(QUEUE)[-1]", "KEPT[n % len(KEPT)]", "KEPT[-1:][0]", "copy.copy($x)", "copy.deepcopy($x)",
    "(a, $x)[n % 2]",
    "[$x, b][n > 1]", "{'x': a, 'y': $x}['x' if n > 1 else 'y']", "$x or b", "(lambda: $x)()",
    "getattr(BOX, 'v')",
    "next((thing for thing in KEPT if thing is a), $x)", "QUEUE.popleft() if len(QUEUE) > 1 else a",
    "[thing for thing in KEPT if $r > 2 or thing is b or True][-1]", "dict(TABLE)['t']", "(KEPT + [$x])[0]",
)  # fmt: skip
