"""What lists hold: arrays, pairs, None, several kinds; and arrays made of them."""

from collections import namedtuple

import numpy as np

from tests.programs import Programs
from tests.runtime.containers.values import LONG, X, Y

PROGRAMS = Programs()


@PROGRAMS.of((X,), (Y,), (LONG,))
def stacked(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    return np.array(kept), np.stack(kept) if len(kept) else None


@PROGRAMS.of((X, 3), (X, 0))
def array_items(x, n):
    xs = []
    for i in range(n):
        xs.append(x * i)
    return xs, np.stack(xs) if xs else 0


@PROGRAMS.of((X, 3), (X, 1))
def aliased_items(x, n):
    xs = []
    for i in range(n):
        xs.append(x)
    xs[0][0] = 99.0
    return xs[n - 1][0], x


@PROGRAMS.of((X,), (LONG,))
def arrays_of(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    a = np.array(kept)
    return a * 2, np.sum(kept), np.mean(np.array(kept)), x.sum() * np.asarray(kept)


Point = namedtuple("Point", "x y")


@PROGRAMS.of((LONG,), (X,), (-X,))
def points(x):
    ps = []
    for i in range(len(x)):
        if x[i] > 0:
            ps.append(Point(i, x[i]))
    best = ps[0]
    for q in ps:
        if q.y > best.y:
            best = q
    return ps, best, best.x


@PROGRAMS.of((LONG,), (X,), (-X,))
def optional_items(x):
    xs = []
    for v in x:
        xs.append(None if v < 0 else v)
    n = 0
    for v in xs:
        if v is None:
            n += 1
    return xs, n, xs[0]


@PROGRAMS.of((5,), (0,), (40,))
def words(n):
    names = []
    for i in range(n):
        names.append("even" if i % 2 == 0 else "odd")
    k = 0
    for w in names:
        if w == "odd":
            k += 1
    return names, k


@PROGRAMS.of((5,), (1,))
def funcs(n):
    ops = [abs, len]
    fs = []
    for i in range(n):
        fs.append(i)
    return fs


@PROGRAMS.of((3,), (0,))
def fizz(n):
    out = []
    for i in range(1, n + 1):
        if i % 15 == 0:
            out.append("FizzBuzz")
        elif i % 3 == 0:
            out.append("Fizz")
        else:
            out.append(i)
    return out


@PROGRAMS.of((X, 2), (X, 0))
def list_of_arrays_write(x, n):
    xs = [x.copy() for _ in range(3)]
    for i in range(n):
        xs[i][0] += i + 1.0
        xs[i] *= 2
    return xs


@PROGRAMS.of((X,), (LONG,))
def print_items(x):
    kept = []
    for v in x:
        if v > 2:
            kept.append(v)
            print("kept", len(kept), kept)
    assert len(kept) > 0, kept
    return kept


@PROGRAMS.of((3,), (0,))
def printing(n):
    xs = []
    for i in range(n):
        xs.append(i)
        print(xs, len(xs))
    print(f"{xs} {len(xs):>3}")
    return str(xs), repr(xs)


@PROGRAMS.of((X,), (LONG,), (-X,))
def sort_for(x):
    out = []
    for v in sorted(x):
        out.append(v)
    return out


@PROGRAMS.of((X,), (LONG,), (-X,))
def sort_key(x):
    kept = [v for v in x if v > 0]
    return sorted(kept, key=lambda v: -v)


test_program = PROGRAMS.test()
