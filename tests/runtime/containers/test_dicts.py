"""Dicts and sets that staged loops change."""

from collections import OrderedDict

import numpy as np

from tests.programs import Programs
from tests.runtime.containers.values import LONG, X, Y

PROGRAMS = Programs()


@PROGRAMS.of((X, np.int64(2)), (Y, np.int64(1)), (X, np.int64(0)))
def new_key(x, n):
    state = {}
    for i in range(n):
        state["last"] = x[i]
    return state


@PROGRAMS.of((5,), (0,), (60,))
def hist(n):
    d = {}
    for i in range(n):
        k = (i * 7) % 5
        d[k] = d.get(k, 0) + 1
    return d, len(d)


@PROGRAMS.of((5,), (0,), (60,))
def hist2(n):
    d = {}
    for i in range(n):
        k = (i * 7) % 5
        if k in d:
            d[k] += 1
        else:
            d[k] = 1
    return d


@PROGRAMS.of((5,), (60,))
def iter_dict(n):
    d = {}
    for i in range(n):
        d[(i * 7) % 5] = i
    t = 0
    for k in d:
        t += k * d[k]
    for k, v in d.items():
        t += k - v
    for v in d.values():
        t += v
    return t, list(d), sorted(d), list(d.items()), list(d.values()), list(d.keys())


@PROGRAMS.of((5,), (60,), (0,))
def dict_methods(n):
    d = {}
    for i in range(n):
        d[(i * 7) % 5] = i
    a = d.pop(3, None)
    b = d.setdefault(17, 5)
    c = 2 in d, 99 not in d
    e = d.copy()
    e.clear()
    d.update({1: 77})
    return d, a, b, c, e, d == e, bool(e)


@PROGRAMS.of((5,), (0,))
def dict_missing(n):
    d = {}
    for i in range(n):
        d[i] = i
    return d[3]


@PROGRAMS.of((X,), (-X,))
def item_of_one_of_two_dicts(x):
    table = {"k": x[0]} if x[0] > 0 else {}
    found = table and table["k"]
    try:
        return found, table["k"]
    except KeyError as error:
        return found, error.args


@PROGRAMS.of((5,), (0,))
def dict_del(n):
    d = {1: 2, 3: 4}
    for i in range(n):
        if i in d:
            del d[i]
    return d


@PROGRAMS.of((5,), (0,), (60,))
def a_set(n):
    s = set()
    for i in range(n):
        s.add((i * 7) % 5)
    return s, len(s), 3 in s


@PROGRAMS.of((5,), (0,), (60,))
def set_unique(n):
    seen = set()
    out = []
    for i in range(n):
        k = (i * i) % 11
        if k not in seen:
            seen.add(k)
            out.append(k)
    return out


@PROGRAMS.of((5,), (0,))
def str_keys(n):
    d = {}
    for i in range(n):
        d[f"k{i % 3}"] = i
    return d


@PROGRAMS.of((5,), (0,))
def dict_of_lists(n):
    d = {}
    for i in range(n):
        k = i % 2
        if k not in d:
            d[k] = []
        d[k].append(i)
    return d


@PROGRAMS.of((5,), (0,))
def setdefault_append(n):
    d = {}
    for i in range(n):
        d.setdefault(i % 2, []).append(i)
    return d


@PROGRAMS.of((5,), (0,))
def dcomp(n):
    return {i: i * i for i in range(n)}, {i % 3 for i in range(n)}


@PROGRAMS.of((X, Y), (Y, Y), (X, X))
def pairs(x, y):
    ranks = dict((int(v), i) for i, v in enumerate(x))
    ordered = OrderedDict([[float(v), 1] for v in y])
    return ranks, ordered, dict(zip(x.tolist(), y, strict=False)), ranks.get(2), dict([("n", x[0]), ("m", 2)])


@PROGRAMS.of((5,), (0,))
def memo(n):
    cache = {0: 0, 1: 1}
    for i in range(2, n + 1):
        cache[i] = cache[i - 1] + cache[i - 2]
    return cache[n]


@PROGRAMS.of((LONG,), (-LONG,))
def dict_aug(x):
    c = {"a": 0, "b": 0.0}
    for v in x:
        if v > 0:
            c["a"] += 1
        c["b"] += v
    return c


class Bag:
    def __init__(self):
        self.items, self.seen = [], {}

    def add(self, v):
        if v not in self.seen:
            self.seen[v] = len(self.items)
            self.items.append(v)
        return self.seen[v]


@PROGRAMS.of((6,), (1,))
def bag(n):
    b = Bag()
    out = []
    for i in range(n):
        out.append(b.add((i * i) % 4))
    return out, b.items, b.seen


test_program = PROGRAMS.test()
