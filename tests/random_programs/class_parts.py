"""Classes whose special methods count, class attributes that change; callbacks, generators with a state."""

from tests.random_programs.object_parts import Part

CLASS_PARTS = {
    "counting": Part(
        """\
class Bag:
    made = 0
    asked = {'len': 0}
    scale = np.float64(1.0)

    def __init__(self, *values):
        self.values = list(values)
        self.reads = 0
        type(self).made += 1

    def __len__(self):
        Bag.asked['len'] += 1
        return len(self.values)

    def __getitem__(self, k):
        self.reads += 1
        return self.values[k] * self.scale

    def __setitem__(self, k, v):
        self.reads -= 1
        self.values[k] = v

    def __iter__(self):
        for one in self.values:
            self.reads += 1
            yield one

    def __contains__(self, v):
        self.reads += 10
        return any(one == v for one in self.values)

    def __call__(self, v, put=False):
        if put and len(self.values) < 4:
            self.values.append(v)
        return v * self.scale

    def __add__(self, other):
        return Bag(self.values[0], other.first)

    @property
    def first(self):
        self.reads += 100
        return self.values[0]

    @first.setter
    def first(self, v):
        if v < -3:
            raise ValueError('low')
        self.values[0] = v


class Odd(Bag):
    made = 0
    scale = np.float64(1.0)

    def __bool__(self):
        self.reads += 1000
        return bool(self.values[0] > 0)

    def __eq__(self, other):
        return self.values[0] == other.values[0]


SHARED = Bag(np.float64(0.5), np.float64(1.5))


""",
        ("bag = Bag($v, $v)", "odd = Odd($v)"),
        ("bag", "odd", "bag", "SHARED"),
        (
            "$o.first = $v",
            "$o.first += $v",
            "bag[$i % 2] = $v",
            "bag[0] += $v",
            "a = $o[0]",
            "a = $o[-1]",
            "a = $o($v)",
            "$o($v, put=True)",
            "$o($v, put=$t)",
            "bag = bag + $o",
            "bag = Bag($v, $v)",
            "odd = Odd($v)",
            "odd = odd or Odd($v)",
            "if $o:\n    a = $v\nelse:\n    b = $v",
            "if not odd:\n    odd.first = $v",
            "while odd:\n    odd.first -= 2.0",
            "for one in $o:\n    a += one\n    if one > $v:\n        break",
            "for one in $o:\n    b = one\nelse:\n    k = len($o)",
            "a, *_ = $o",
            "k = len($o)",
            "k = len($o) + len($o)",
            "Bag.scale = $v",
            "Odd.scale = $v",
            "bag.scale = $v",
            "Odd.made = n",
            "Bag.asked = {'len': n}",
            "k = $o.made",
            "a = sum($o, $v)",
            "a = max($o)",
            "row = [one * 2 for one in $o]\nb = row[0]",
            "b = sorted($o)[0]",
            "print(list($o) == [a], $v in $o, odd == Odd($v))",
            "k = $o.reads",
        ),
        ("$o[0]", "$o($v)", "$o.first", "max($o)", "np.float64(len($o))", "Odd.scale", "$o.scale"),
        ("$o", "not $o", "$v in $o", "len($o) > 1", "odd == odd", "Bag.made > 4", "$o.reads > 50"),
        ("bag.reads", "odd.reads", "bag.values", "odd.values", "Bag.made", "Odd.made", "Bag.asked['len']"),
    ),
    "callbacks": Part(
        """\
import functools
import itertools


def counting():
    calls = 0

    def key(v):
        nonlocal calls
        calls += 1
        return -v if calls % 3 else v

    def told():
        return calls

    return key, told


def stepping(v, n):
    for step in range(n):
        print('step', step)
        v = yield_value = v + step
        if yield_value > 6:
            return
        yield yield_value


def pairs(values):
    kept = None
    for one in values:
        if kept is not None:
            yield kept, one
        kept = one


def applied(function, *values):
    return [function(one) for one in values]


""",
        (
            "key, told = counting()",
            "hits = 0",
            "row = [$v, $v, $v]",
            "def hit(v):\n    nonlocal hits\n    hits += 1\n    return v > b",
            "def fold(p, q):\n    nonlocal hits\n    hits += 10\n    return p + q",
        ),
        ("row", "x", "[$v, $v]", "stepping($v, n)", "stepping($v, 3)"),
        (
            "row = sorted([$v, $v, $v], key=key)",
            "row.sort(key=key, reverse=True)",
            "a = max(row, key=key)",
            "b = min($v, $v, key=key)",
            "row = list(map(key, [$v, $v]))",
            "for one in map(key, row):\n    a += one\n    if one > $v:\n        break",
            "for one in filter(hit, row):\n    b = one\n    break",
            "k = len(list(filter(hit, row)))",
            "a = functools.reduce(fold, [$v, $v], $v)",
            "a = next(filter(hit, row), $v)",
            "k = any(hit(one) for one in row) + all(map(hit, row))",
            "for one in stepping($v, n):\n    a = one\n    if one > $v:\n        break",
            "for p, q in pairs($o):\n    a = p - q\n    if p > q:\n        break\nelse:\n    b = $v",
            "for p, q in zip($o, stepping($v, 2)):\n    b += p * q",
            "for one in itertools.islice(stepping($v, 4), 2):\n    a += one",
            "a = sum($o, $v)",
            "a = sum((one for one in $o if one > b), $v)",
            "row = applied(key, $v, $v)",
            "row = applied(lambda v: v + a, $v, $v)",
            "row.append($v)\ndel row[3:]",
            "key, told = counting()",
            "fns = [lambda v, d=b: v + d, lambda v: v - a]\na = fns[n % 2]($v)",
            "fun = lambda v: v + b\nb = $v\na = fun($v)",
            "gen = stepping($v, 3)\na = next(gen, $v)\nb = next(gen, a)",
            "for one in reversed(row):\n    if hit(one):\n        continue\n    a = one",
            "p, *q = map(key, row)\na = p",
            "k = told()",
            "a = key($v)",
        ),
        ("key($v)", "max(row, key=key)", "next(stepping($v, 2))", "np.float64(told())", "fold($v, $v)"),
        ("hit($v)", "told() > 3", "any(map(hit, row))", "hits > 5", "max(row) > $v"),
        ("row", "told()", "hits"),
    ),
}
