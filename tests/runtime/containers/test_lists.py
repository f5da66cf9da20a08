"""Lists that staged loops and branches change."""

import numpy as np

from tests.programs import Programs
from tests.runtime.containers.values import LONG, X, Y

PROGRAMS = Programs()


@PROGRAMS.of((X,), (Y,), (LONG,))
def append_conditional(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    return kept


@PROGRAMS.of((X,), (Y,), (LONG,))
def stack_push_pop(x):
    stack = [0.0]
    for v in x:
        if v > 0:
            stack.append(v)
        elif len(stack) > 1:
            stack.pop()
    return stack[-1], len(stack)


@PROGRAMS.of((5,), (0,), (50,))
def range_append(n):
    out = []
    for i in range(n):
        out.append(i * i)
    return out


@PROGRAMS.of((X,), (Y,), (LONG,))
def alias(x):
    a = []
    b = a
    for v in x:
        if v > 0:
            b.append(v)
    return a, b, a is b


@PROGRAMS.of((X,), (Y,), (LONG,))
def pairs(x):
    kept = []
    for i in range(len(x)):
        if x[i] > 0:
            kept.append((i, x[i]))
    j, w = kept[0]
    return kept, j, w


@PROGRAMS.of((np.array([-1.0, -2]),), (X,))
def first_fails(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    return kept[0]


@PROGRAMS.of((5,), (0,), (12,))
def summed(n):
    xs = []
    for i in range(n):
        xs.append(i * 1.5)
    return sum(xs), len(xs)


@PROGRAMS.of((5,), (1,), (12,))
def minmax(n):
    xs = []
    for i in range(n):
        xs.append((i * 7) % 5)
    return min(xs), max(xs), sorted(xs), sorted(xs, reverse=True)


@PROGRAMS.of((5,), (0,))
def min_empty(n):
    xs = []
    for i in range(n):
        xs.append((i * 7) % 5)
    return min(xs)


@PROGRAMS.of((5,), (1,), (12,))
def methods(n):
    xs = []
    for i in range(n):
        xs.append((i * 7) % 5)
    xs.insert(0, 9)
    xs.extend([1, 2])
    ys = xs.copy()
    ys.reverse()
    xs.sort()
    zs = xs[1:]
    del ys[0]
    ys[0] = 77
    return xs, ys, zs, xs.index(9), xs.count(1), 9 in xs, 4 not in xs, xs == ys, xs != ys, xs + ys, xs[:2] * 2


@PROGRAMS.of((5,), (1,), (12,))
def slices(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return xs[1:3], xs[:], xs[::-1], xs[n // 2 :], xs[-2:]


@PROGRAMS.of((5,), (1,), (0,))
def truthy(n):
    xs = []
    for i in range(n):
        xs.append(i)
    if xs:
        a = 1
    else:
        a = 2
    b = 3 if not xs else 4
    return a, b, bool(xs), xs and 5, xs or 6


@PROGRAMS.of((5,), (0,))
def setitem(n):
    xs = [0, 0, 0, 0]
    for i in range(n):
        xs[i % 4] += i
    return xs


@PROGRAMS.of((5,), (0,), (9,))
def setitem_out(n):
    xs = [0, 0, 0, 0, 0]
    for i in range(n):
        xs[i] = i * i
    return xs


@PROGRAMS.of((5,), (3,))
def pops(n):
    xs = [1.0, 2.0, 3.0, 4.0]
    t = 0.0
    for i in range(n):
        t += xs.pop(0)
    return t, xs


@PROGRAMS.of((3,), (2,))
def removes(n):
    xs = [1, 2, 3, 2]
    for i in range(n):
        xs.remove(i + 1)
    return xs


@PROGRAMS.of((3,), (0,))
def cleared(n):
    xs = [1, 2, 3, 2]
    if n > 2:
        xs.clear()
    return xs


@PROGRAMS.of((3,), (0,))
def iadd(n):
    xs = [1, 2]
    ys = xs
    for i in range(n):
        xs += [i, i + 1]
    return xs, ys


@PROGRAMS.of((3,), (0,))
def concat(n):
    xs = [1, 2]
    ys = xs
    for i in range(n):
        xs = xs + [i]
    return xs, ys


@PROGRAMS.of((3,), (0,))
def repeat(n):
    xs = [0] * n
    for i in range(n):
        xs[i] = i
    return xs


@PROGRAMS.of((3,), (0,))
def isinst(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return isinstance(xs, list), type(xs) is list, isinstance(xs, tuple)


@PROGRAMS.of((40,), (0,))
def tolist(n):
    xs = list(range(n))
    xs.append(5)
    ys = list(xs)
    zs = tuple(xs)
    return xs, ys, zs


@PROGRAMS.of((40,), (0,))
def maxkey(n):
    xs = []
    for i in range(n):
        xs.append((i * 37) % 11)
    return max(xs, default=-1)


@PROGRAMS.of((3,), (50,))
def two_lists(n):
    evens, odds = [], []
    for i in range(n):
        if i % 2:
            odds.append(i)
        else:
            evens.append(float(i))
    return evens, odds


@PROGRAMS.of((3,), (50,))
def choose_list(n):
    evens, odds = [], []
    for i in range(n):
        target = odds if i % 2 else evens
        target.append(i)
    return evens, odds


def helper(acc, v):
    if v > 0:
        acc.append(v)


@PROGRAMS.of((X,), (LONG,))
def via_helper(x):
    acc = []
    for v in x:
        helper(acc, v)
    return acc


class Stack:
    def __init__(self):
        self.items = []

    def push(self, v):
        self.items.append(v)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)


@PROGRAMS.of((X,), (LONG,))
def obj_list(x):
    s = Stack()
    for v in x:
        if v > 0:
            s.push(v)
    return s.items, len(s.items)


@PROGRAMS.of((X, 3), (Y, 1))
def in_branch(x, n):
    if x[0] > 0:
        out = []
        for i in range(n):
            out.append(x[i])
    else:
        out = [x.sum()]
    return out


@PROGRAMS.of((X,), (Y,))
def two_lists_branch(x):
    if x[0] > 0:
        out = [1, 2, 3]
    else:
        out = [4]
    out.append(9)
    return out


@PROGRAMS.of((X,), (Y,))
def nested_if(x):
    out = []
    if x[0] > 0:
        out.append(1)
        if x[1] > 0:
            out.append(2)
    for i in range(len(out)):
        out[i] += 10
    return out


@PROGRAMS.of((X,), (LONG,))
def lists_in_dict(x):
    groups = {"pos": [], "neg": []}
    for v in x:
        if v > 0:
            groups["pos"].append(v)
        else:
            groups["neg"].append(v)
    return groups


@PROGRAMS.of((X,), (LONG,))
def lists_in_tuple(x):
    a, b = [], []
    pair = (a, b)
    for v in x:
        if v > 0:
            pair[0].append(v)
        else:
            pair[1].append(v)
    return pair, a


@PROGRAMS.of((3,), (0,))
def multi_return(n):
    xs = []
    for i in range(n):
        if i == 2:
            return xs, "early"
        xs.append(i)
    return xs, "late"


@PROGRAMS.of((3,), (0,))
def tup_concat(n):
    t = ()
    for i in range(n):
        t = t + (i,)
    return t


@PROGRAMS.of((X,), (Y,))
def chooses_a_list(x):
    a, b = [1.0], [2.0]
    c = a if x[0] > 0 else b
    c.append(5.0)
    return c is a, c is b, c is not a, a, b


@PROGRAMS.of((LONG,), (-LONG,))
def item_aug(x):
    counts = [0, 0.0]
    for v in x:
        if v > 0:
            counts[0] += 1
        counts[1] += v
    return counts


@PROGRAMS.of((LONG,), (-LONG,))
def list_index(x):
    c = [0] * 3
    for i in range(len(x)):
        c[i % 3] += 1
    return c


@PROGRAMS.of((3,), (0,), (-2,))
def early(n):
    xs = []
    for i in range(10):
        if i > n:
            return xs
        xs.append(i)
    return xs


@PROGRAMS.of((3,), (-1,), (-2,))
def raising(n):
    xs = []
    for i in range(10):
        if i > n:
            raise ValueError(f"bad {xs}")
        xs.append(i)
    return xs


@PROGRAMS.of((3,), (0,))
def tried(n):
    xs = []
    try:
        for i in range(n):
            xs.append(i)
            if i == 1:
                raise KeyError(i)
    except KeyError:
        xs.append(-1)
    finally:
        xs.append(-2)
    return xs


test_program = PROGRAMS.test()
