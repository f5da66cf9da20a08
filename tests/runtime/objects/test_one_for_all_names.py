"""A container or an object that several names and places hold is one: changed through one, changed for all.

Each row is the body of a function of `n`. After each call, what it gave and what all places outside hold are
compared with plain Python: what is there, and who is who.
"""

import copy
import itertools

import pytest

from tests.differential import Refused, check_scenario
from tests.modules import module_of

HEAD = """
import collections
import contextlib

class Holder:
    def __init__(self, held=None, n=0):
        self.held, self.n, self.kept = held, n, []

class Slotted:
    __slots__ = ("held", "n")

    def __init__(self, held=None):
        self.held, self.n = held, 0

class Tree:
    def __init__(self, n):
        self.leaf, self.n = Holder(n), 0

class Asked(Holder):
    def __getattr__(self, name):
        asked.append(name)
        raise AttributeError(name)

class Parcel(Exception):
    def __init__(self, v):
        super().__init__("carried")
        self.v = v

class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

class Shelf:
    held = rows = None

ROW, OTHER, asked, G, kept, known = [7], [1], [], None, [], [[1], [2]]
shelf, box, table, deque = Holder(ROW), Holder(), {"t": ROW}, collections.deque([ROW, [1]])
Shelf.held, Shelf.rows = ROW, [[1]]
dicts, sets, counter = {7: 1}, {7}, collections.Counter([7])
box.held, members, head = (dicts, sets, counter), [sets], Asked(Asked(2), 1)
heads = [head]

def down(d):
    if d == 0:
        raise Parcel(shelf.held)
    down(d - 1)

def f(n):
    global G
    found = None
"""
PLACES = ("ROW", "OTHER", "asked", "G", "kept", "known", "shelf", "box", "table", "deque", "members", "heads")

#: made by the function, and stored outside
STORED = {
    "by a loop": "for i in range(n):\n    if i % 2: shelf.held = {'a': [i]}\nfound = shelf.held",
    "by a while that ends early": """
while n > 0:
    n -= 1
    if n == 1:
        shelf.held = [(n, [n])]
        break
found = shelf.held
""",
    "by a body, or its handler": """
try:
    shelf.held = (n, [n])
    if n > 2: raise ValueError
except ValueError:
    shelf.held = (-n, [-n])
found = shelf.held[1]
found.append(n)
""",
    "twice": "found = {'a': n}\nkept.append(found)\nshelf.held = found",
    "twice, or nothing": "found = [n] if n > 2 else None\nkept.append(found)\nshelf.held = (n, found)",
    "twice, a set or nothing": "found = {5, 7} if n > 2 else None\nshelf.held = found\nbox.held = (n, found)",
    "twice, in an order": "found = collections.OrderedDict(a=5)\nshelf.held = found\nbox.held = (n, found)",
    "a set, changed afterwards": "found = {5}\nshelf.held = found\nfound.discard(5)\nfound |= {n}",
    "a deque, rotated in each turn": """
found = collections.deque([5, n])
for i in range(2):
    kept.append(found)
    found.rotate(1)
""",
    "an ordered dict, on a path": """
found = collections.OrderedDict(a=5, b=1)
if n > 1: G = found
found.move_to_end('a')
found.setdefault('q', n)
""",
    "a counter, changed on a path": "found = collections.Counter('ab')\nG = found\nif n > 1: found['b'] += 1",
    "a dict with a factory": """
found = collections.defaultdict(int, a=5)
found['b'] += 1
G = found
found['z']
""",
    "first, and changed on the other path": """
found = Slotted()
if n > 1: shelf.held = found
else: found.held = 7
found.n += 1
""",
    "in a part of another": """
part = Holder(n)
found = Holder(part)
if n > 1: part.n = 6
else: shelf.held = found
found = found.held
""",
    "before a raise": """
made = Holder([n])
if n > 2:
    G = made
    made.held.append(5)
    raise ValueError(n)
""",
    "a change before a raise": """
made = Holder([[n]])
if n > 2:
    made.held.append(5)
    kept.append(made)
    raise ValueError(n)
""",
    "on one of two paths": "found = Holder([])\nif n > 2: found.held.append(5)\nelse: G = Holder(found)",
    "in a loop that is left": """
found = Holder([])
for i in range(n):
    found.held.append(i)
    if i == 2:
        kept.append(found)
        break
""",
    "in a body that may raise": """
found = Holder([n])
try:
    found.held.append(5)
    shelf.held = found
    if n > 2: raise KeyError(n)
except KeyError:
    found.held.append(6)
""",
    "in a handler": """
found = Holder([n])
try:
    if n > 2: raise KeyError(n)
    found.held.append(5)
except KeyError:
    G = found
""",
    "in a function": """
found = Holder([n])
def put():
    global G
    found.held.append(5)
    G = found
if n > 2: put()
""",
    "an object that the only path made": """
if n == n: box.held = Holder(n)
else: raise KeyError
found = box.held
with contextlib.suppress(KeyError):
    found.n += 5
    if n > 2: raise KeyError
    found.n += 1
""",
    "an object in a list of another": """
trunk = Holder(n)
if n == n: trunk.kept.append(Tree(n))
else: raise KeyError
tree = trunk.kept[0]
if n > 1:
    try:
        tree.n += 5
        if n > 2: raise KeyError
    except KeyError:
        tree.n += 10
found = trunk, tree
""",
    "a tree that a handler made": """
found = Holder(n)
try: raise KeyError
except KeyError: found = Tree(n)
def count(k):
    found.n += 1
    return k if k < 1 else count(k - 1)
count(n)
""",
    "with one of two made before": """
first, second, found = Holder(n), Holder(-n), Holder()
found.held = first if n > 2 else second
G = found
""",
    "with a part, or none": "found = Holder()\nfound.held = (n, Holder(n)) if n > 2 else None\nG = found",
    "in a list from outside, or what it holds": """
node = Asked(head, n)
if n > 2: heads.append(node.held)
else: heads.append(node)
found = heads[-1].n
""",
}
#: from outside, and held by what staged control flow makes
HELD = {
    "in a with": "with Manager():\n    print(n)\n    found = Holder(n)\n    found.held = shelf.held",
    "in both branches": "if n > 1: found = Holder((n, (shelf.held, 1)))\nelse: found = Holder(OTHER)",
    "in a loop, or nothing": """
for i in range(n):
    found = Holder(shelf.held if n > 1 else None)
    if i == 2: break
""",
    "in a body that raises": """
try:
    found = Holder(Holder(shelf.held))
    if n > 2: raise KeyError(n)
except KeyError:
    pass
if n > 3: shelf.held.clear()
""",
    "in a suppressed block": """
with contextlib.suppress(KeyError):
    found = Holder(shelf.held if n > 1 else OTHER)
    if n > 2: raise KeyError(n)
""",
    "in a finally": "try:\n    print(n)\n    found = Holder(shelf.held)\nfinally:\n    n += 1",
    "in a case": "match n:\n    case 1: found = Holder(OTHER)\n    case _: found = Holder(shelf.held)",
    "returned early": "if n > 1: return Holder(shelf.held)\nfound = Holder(shelf.held)",
    "by a place that a handler finds": """
if n > 1: shelf.held = [i for i in range(n)]
try:
    if n != 2: raise ValueError(n)
    shelf.held = [n]
    if n > 3: raise ValueError(n)
except ValueError:
    shelf.held.append(n)
    kept.append(shelf.held)
found = shelf.held
""",
    "by a dict that a handler finds": """
if n > 1: table['t'] = OTHER
try:
    if n != 2: raise ValueError(n)
    table['t'] = [n]
    if n > 3: raise ValueError(n)
except ValueError:
    return table['t']
""",
    "chosen before, or a tuple with one": """
box.held = shelf.held if n > 1 else (OTHER, n)
try:
    if n != 2: raise ValueError(n)
    box.held = None
except ValueError:
    pass
found = box.held
""",
    "chosen before, or None": """
box.held = shelf.held if n > 1 else None
try:
    if n != 2: raise ValueError(n)
    box.held = (n,)
except ValueError:
    kept.append(box.held)
found = box.held
""",
}
#: from outside, and carried by an exception
CARRIED = {
    "one of two": """
try:
    if n > 1: raise Parcel(shelf.held)
    elif n > 0: raise Parcel(OTHER)
except Parcel as e:
    e.v.append(n)
    found = e.v
""",
    "changed before and after": """
try:
    shelf.held.append(5)
    if n > 1: raise Parcel(shelf.held)
except Parcel as e:
    e.v.append(n)
""",
    "as an argument": """
try:
    if n > 1: raise ValueError(shelf.held)
except ValueError as e:
    found = e.args[0]
    found.append(n)
""",
    "in a tuple": """
try:
    if n > 1: raise Parcel((shelf.held, n))
except Parcel as e:
    e.v[0].append(n)
    found = e.v[0]
""",
    "in a loop": """
for i in range(n):
    try:
        if i == 1: raise Parcel(shelf.held)
    except Parcel as e:
        e.v.append(i)
""",
    "out of a recursion": "try:\n    down(n)\nexcept Parcel as e:\n    e.v.append(n)\n    found = e.v",
    "stored": """
try:
    if n > 1: raise Parcel(shelf.held)
except Parcel as e:
    box.held = e.v
found = box.held
""",
    "in another one": """
try:
    if n > 1: raise Parcel(shelf.held)
except Parcel as e:
    raise ValueError(e.v) from e
""",
    "raised again": """
try:
    if n > 1: raise Parcel(shelf.held)
except Parcel as e:
    if n > 2: raise
    e.v.append(n)
""",
    "not caught": "if n > 1: raise Parcel(shelf.held)",
}
#: from outside, at two places, of which the function changes one
TWO_PLACES = {
    "and a list of lists": "found = len(ROW)\nfor i in range(n): known[i % 2].append(n)\nkept.append(ROW)",
    "and a deque": "found = len(ROW)\nfor i in range(n): deque[i % 2].append(n)\nfound = found, len(ROW)",
    "and a deque that gets another": "deque[0].append(4)\ndeque[0] = [n]\nfound = len(ROW)",
    "and a list that grows": """
for i in range(n):
    known[i][0] = 4
    known.append([n])
known[n].append(2)
found = known[0]
""",
    "and a tuple in a list": """
kept.append((ROW, 1))
kept.append(([n], n))
kept[n % 2][0].append(5)
found = len(ROW)
""",
    "and an object of a list": """
kept.append(Holder(ROW))
kept.append(Holder([1]))
before = ROW[0]
kept[n % 2].held[0] += 1
found = before, ROW[0]
""",
    "a class's and an attribute's": """
Shelf.rows.append(1)
before = len(Shelf.held)
shelf.held.append(n)
found = before, len(Shelf.held)
""",
    "a global's and a class's": """
Shelf.rows.append(1)
for i in range(n): ROW.append(n)
Shelf.held.append(n)
found = len(shelf.held), Shelf.held is ROW
""",
    "a global's and a class's on a path": """
before = len(ROW)
if n > 1: Shelf.held.append(n)
found = before, len(shelf.held)
""",
    "a class gets an attribute's": """
before = len(Shelf.held)
Shelf.held = shelf.held
for i in range(n): ROW.append(n)
found = before, len(Shelf.held)
""",
    "sets in a list and in a tuple": """
before = len(box.held[1])
members.append({n})
members[n % 2].add(50)
found = before, len(box.held[1])
""",
    "dicts, sets and counters": """
for i in range(n): dicts[i] = n
before = len(box.held[0]), len(box.held[1])
sets.add(n)
counter[n] += 1
found = before, len(box.held[0]), len(box.held[1]), box.held[2][n]
""",
}
ROWS = {
    f"{kind}, {name}": body
    for kind, rows in (("stored", STORED), ("held", HELD), ("carried", CARRIED), ("two places", TWO_PLACES))
    for name, body in rows.items()
}


def scenario_of(body):
    source = HEAD + "".join(f"    {line}\n" for line in [*body.strip().splitlines(), "return found"])

    def scenario(function):
        module = module_of(source)
        f, seen = function(module["f"]), []
        for n in (3, 1, 4, 0, 2):
            try:
                found = f(n)
            except (ValueError, KeyError, module["Parcel"]) as error:
                found = type(error).__name__, error.args, getattr(error, "v", None)
            held = {place: module[place] for place in PLACES}
            seen.append(copy.deepcopy((found, held, module["Shelf"].held, module["Shelf"].rows)))
            if n == 1:
                exec("shelf.held = [7]", module)  # one of the places gets another
        return seen

    return scenario


@pytest.mark.parametrize(("name", "engine"), [*zip(ROWS, itertools.cycle(["numpy", "native"]))])
def test_it_is_one(name, engine):
    check_scenario(scenario_of(ROWS[name]), engines=[engine])


def test_a_bytearray_has_no_kind_of_a_run():
    with pytest.raises(Refused, match="a bytearray that is made inside is stored outside"):
        check_scenario(scenario_of("found = bytearray(b'ab')\nshelf.held = found\nfound[0] = 66"))


def test_it_may_lie_there_from_a_later_call_on():
    def scenario(function):
        rows, known = [[[1]], [[2]]], [5]

        @function
        def f(n):
            before = known[0]
            rows[n % 2][0][0] += 10
            return before, known[0]

        seen = [f(0), f(1)]
        rows[0][0] = known
        return [*seen, f(0), f(1), f(2), known]

    check_scenario(scenario)


def test_arguments_may_lie_in_each_other():
    def scenario(function):
        @function
        def f(rows, row, n):
            before = len(row)
            for i in range(n):
                rows[i % 2][0].append(n)
            return before, len(row)

        row = [1]
        return f([[row], [[2]]], row, 3), f([[[1]], [[2]]], row, 3), row

    check_scenario(scenario)
