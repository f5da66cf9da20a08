"""What keeps a state: objects in objects and lists, methods, listeners."""

from tests.random_programs.object_parts import Part

STATE_PARTS = {
    "linked": Part(
        """\
class Node:
    def __init__(self, v, after=None):
        self.v = v
        self.after = after
        self.before = None
        if after is not None:
            after.before = self

    def last(self):
        node = self
        while node.after is not None:
            node = node.after
        return node

    def insert(self, v):
        if v > self.v:
            if self.after is None:
                self.after = Node(v)
            else:
                self.after.insert(v)
        else:
            self.after = Node(v, self.after)

    def total(self):
        return self.v + (self.after.total() if self.after is not None else 0.0)
""",
        ("nod = Node($v)", "nof = Node($v, nod)"),
        ("nod", "nof"),
        (
            "nod = Node($v, nod)",
            "nof = Node($v, nod)",
            "nod.insert($v)",
            "nod = $o.last()",
            "nod.last().v = $v",
            "if nod.after is not None:\n    nod = nod.after",
            "$o.before = nof",
            "nod.after = None",
            "$o.v += $v",
            "node = nod\nwhile node is not None and node.v > $v:\n    node = node.after\nk = node is nof",
            "nof = nod",
        ),
        ("$o.v", "$o.last().v", "$o.total()"),
        ("$o.after is None", "nod.before is nof", "$o.last() is nod", "$o.v > $v"),
        ("nod", "nof", "nod is nof"),
    ),
    "registry": Part(
        """\
class Item:
    def __init__(self, v, name):
        self.v = v
        self.name = name

    def better(self, other):
        return self if self.v > other.v else other


ITEMS = [Item(0.5, 'a'), Item(1.5, 'b')]
BY_NAME = {one.name: one for one in ITEMS}


def best(items):
    top = items[0]
    for one in items:
        if one.v > top.v:
            top = one
    return top
""",
        ("own = [Item($v, 'c'), ITEMS[0]]", "itm = ITEMS[1]"),
        ("itm", "itm", "own[0]", "ITEMS[-1]", "BY_NAME['a']", "best(own)", "best(ITEMS)"),
        (
            "$o.v = $v",
            "$o.v += $v",
            "itm = $o",
            "itm = Item($v, 'd')",
            "itm = $o.better($o)",
            "own.append(itm)",
            "own.append(Item($v, 'e'))",
            "own[0] = $o",
            "ITEMS[0] = $o",
            "BY_NAME['a'] = $o",
            "BY_NAME[itm.name] = itm",
            "if len(ITEMS) < 5:\n    ITEMS.append(itm)",
            "for one in own:\n    one.v *= 0.5",
            "for one in ITEMS:\n    if one.v > $v:\n        one.v -= 1.0\n        itm = one",
            "own.sort(key=lambda one: one.v)",
            "own = [one for one in own if one.v > $v] or [itm]",
            "a = BY_NAME[itm.name].v",
            "own = own[:3]",
            "ITEMS[0], ITEMS[1] = ITEMS[1], ITEMS[0]",
        ),
        (
            "$o.v",
            "sum(one.v for one in own)",
            "len(own)",
            "len(ITEMS)",
            "max(ITEMS, key=lambda one: one.v).v",
        ),
        ("$o is itm", "itm in own", "$o.v > $v", "itm.name == 'a'", "itm.name in BY_NAME", "itm is ITEMS[0]"),
        ("own", "itm", "list(ITEMS)", "dict(BY_NAME)"),
    ),
    "methods": Part(
        """\
import functools


class Acc:
    total = 0.0

    def __init__(self, step):
        self.step = step

    def add(self, v, times=1):
        self.total += v * times * self.step
        return self.total

    def take(self, v, times=1):
        self.total -= v * times
        return self.total

    @staticmethod
    def twice(v):
        return v * 2

    def chosen(self, v):
        return self.add if v > 0 else self.take


TABLE = {'add': Acc.add, 'take': Acc.take}
SHARED = Acc(0.5)
BOUND = functools.partial(SHARED.add, times=2)
""",
        ("adder = Acc($v)", "move = adder.add", "part = functools.partial(adder.take, times=2)"),
        ("adder", "SHARED"),
        (
            "a = move($v)",
            "a = part($v)",
            "b = BOUND($v)",
            "move = $o.take",
            "move = $o.chosen($v)",
            "move = functools.partial($o.add, 1.5)\nmove(times=$i)",
            "move = $o.add if $t else $o.take",
            "part = functools.partial(move, $v)\na = part()",
            "part = functools.partial($o.chosen($v), times=k)",
            "TABLE['add' if $t else 'take']($o, $v)",
            "adder = Acc($v)",
            "$o.step = $v",
            "adder.add = lambda v, times=1: v\na = adder.add($v)",
            "Acc.total = $v",
            "moves = [adder.add, SHARED.take, Acc.twice]\na = moves[$i % 3]($v)",
            "for one in [adder.add, SHARED.take]:\n    a += one($v)",
            "b = sum(map($o.add, [a, b]))",
            "b = functools.reduce(lambda p, q: p + adder.twice(q), [a, b], $v)",
        ),
        ("$o.total", "$o.add($v)", "part($v)", "Acc.twice($v)", "BOUND($v)", "move.__self__.total"),
        ("$o.total > $v", "move.__self__ is SHARED", "move($v) > 0"),
        ("adder", "SHARED", "Acc.total"),
    ),
    "listeners": Part(
        """\
class Subject:
    def __init__(self, v):
        self._v = v
        self.listeners = []
        self.history = [v]

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        old, self._v = self._v, value
        if value > old:
            for one in self.listeners:
                one(old, value)

    def listen(self, one):
        self.listeners.append(one)
        return one


class Sum:
    def __init__(self):
        self.total = 0.0
        self.subject = None

    def __call__(self, old, new):
        self.total += new - old

    def follow(self, subject):
        self.subject = subject
        subject.listen(self)
        return self
""",
        (
            "sub = Subject($v)",
            "smm = Sum().follow(sub)",
            "sub.listen(lambda old, new: sub.history.append(new))",
        ),
        ("sub",),
        (
            "sub.v = $v",
            "sub.v += $v",
            "smm = Sum().follow(sub)",
            "if len(sub.listeners) < 4:\n    sub.listen(smm)",
            "sub.listeners.pop()",
            "smm.subject.v = $v",
            "smm.subject = Subject($v)",
            "@sub.listen\ndef watch(old, new):\n    nonlocal a\n    a = old - new",
            "sub.history = sub.history[-2:]",
            "sub = smm.subject",
            "smm($v, $v)",
        ),
        ("sub.v", "smm.total", "len(sub.history)", "smm.subject.v"),
        ("sub.v > $v", "smm.total > $v", "smm.subject is sub", "len(sub.listeners) > 1"),
        ("sub.v", "sub.history", "len(sub.listeners)", "smm.total", "smm.subject is sub"),
    ),
}
