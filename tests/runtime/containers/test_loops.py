"""Loops over lists that a run knows, comprehensions, unpacking."""

from tests.programs import Programs
from tests.runtime.containers.values import LONG, X, Y

PROGRAMS = Programs()


@PROGRAMS.of((X,), (Y,), (LONG,))
def loop_over(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    s = 0.0
    for k in kept:
        s += k
    return s


@PROGRAMS.of((X,), (LONG,), (-X,))
def enum(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    out = []
    for i, k in enumerate(kept):
        out.append((i, k))
    return out


@PROGRAMS.of((X,), (LONG,))
def zipped(x):
    kept = []
    idx = []
    for i, v in enumerate(x):
        if v > 0:
            kept.append(v)
            idx.append(i)
    s = 0.0
    for i, k in zip(idx, kept):
        s += i * k
    return s, idx


@PROGRAMS.of((X,), (LONG,))
def rev(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    s = 0.0
    for k in reversed(kept):
        s = s * 0.5 + k
    return s


@PROGRAMS.of((5,), (0,), (12,))
def growing(n):
    xs = [n]
    for v in xs:
        if v > 1:
            xs.append(v // 2)
    return xs


@PROGRAMS.of((5,), (0,), (9,))
def comp(n):
    xs = [i * i for i in range(n) if i % 2 == 0]
    return xs


@PROGRAMS.of((X,), (LONG,), (-X,))
def comp2(x):
    kept = [v for v in x if v > 0]
    return [k * 2 for k in kept], len(kept)


@PROGRAMS.of((X,), (LONG,), (-X,))
def anyall(x):
    return any(v > 3 for v in x), all(v > 0 for v in x)


@PROGRAMS.of((X,), (LONG,), (-X,))
def filt(x):
    s = 0.0
    for v in filter(lambda v: v > 0, x):
        s += v
    return s


@PROGRAMS.of((3,), (0,))
def unpack(n):
    xs = []
    for i in range(3):
        xs.append(i * n)
    a, b, c = xs
    return a, b, c


@PROGRAMS.of((40,), (0,))
def unpack2(n):
    xs = []
    for i in range(n):
        xs.append(i * n)
    a, *b = xs
    return a, b


@PROGRAMS.of((40,), (0,), (3,))
def unpack_n(n):
    xs = []
    for i in range(n):
        xs.append(i * n)
    a, b, c = xs
    return a, b, c


@PROGRAMS.of((40,), (1,), (3,))
def unpack_star(n):
    xs = []
    for i in range(n):
        xs.append(i * n)
    a, *b = xs
    *c, d = xs
    e, *f, g = xs
    return a, b, c, d, e, f, g


@PROGRAMS.of((LONG,), (X,), (-X,))
def unpack_mask(x):
    a, *b = x[x > 0]
    return a, b


test_program = PROGRAMS.test()
