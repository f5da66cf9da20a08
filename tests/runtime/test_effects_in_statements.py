"""Calls that count themselves, wherever an expression may stand: each happens in each run, in its turn."""

import pytest

from tests.runtime.counting import check_effects, each, each_of

WORLD = """
@contextlib.contextmanager
def cm(v):
    tick()
    try:
        yield tick(v)
    finally:
        tick()
def deco2(f):
    @functools.wraps(f)
    def w(*a, **k):
        tick()
        return f(*a, **k) * scale
    return w
@deco2
def d2(x):
    return tick(x)
def default(x, v=tick()):
    return x * v
def gen(k):
    for i in range(k):
        got = (yield tick(i))
    return tick()
def outer():
    yield from gen(2)
    yield tick()
tbl = {'a': tick, 'b': lambda x: tick(x) + 1}
"""
EXPRESSIONS = """
(d2(x), d2.__wrapped__(x)); default(x); (list(outer()), x); (tbl['a'](x), tbl['b'](x))
x if tick() > 3 else -x
([tick(i) for i in range(3) if tick(i) > 2], x); {tick(i): x for i in range(2)}; (lambda a=tick(): a)() * x
(max(x, tick()), min([tick(i) for i in range(3)])); functools.reduce(lambda a, b: tick(a) + b, [1.0, x])
([v for v in itertools.chain(gen(2), gen(1))], x); dict(a=tick(), **{'b': tick(x)})
sorted([3.0, 1.0, x], key=lambda v: tick(v)); (next((tick(i) for i in range(5) if tick(i) > 3), None), x)
(any((tick(i) > 2 for i in range(5))), all((tick(i) < 3 for i in range(5))), x)
"""
PROGRAMS = """
def f(x):
    with cm(x) as v, cm(v) as w:
        return v * w
def f(x):
    with contextlib.suppress(ValueError):
        tick()
        raise ValueError
    return x * count
def f(x):
    g = gen(2)
    next(g)
    return next(g, tick()) * x
def f(x):
    def inner(a=tick()):
        return a * x
    return (inner(), inner())
def f(x):
    assert tick() > 3, tick()
    return x
def f(x):
    try:
        raise KeyError(tick(x))
    except KeyError as e:
        return e.args[0]
def f(x):
    try:
        return tick(x)
    finally:
        tick()
def f(x):
    for i in range(3):
        if tick(i) > x:
            break
    else:
        tick(100)
    return count * x
def f(x):
    match {'k': x}:
        case {'k': v} if tick(v) > 4:
            return v
        case _:
            return tick(x)
def f(x):
    a, *b = (tick(i) for i in range(3))
    return (a, b, x)
def f(x):
    x = y = tick(x) if x > 0 else tick(-x)
    return (x, y)
"""


@pytest.mark.parametrize("program", [*each(PROGRAMS), *each_of(EXPRESSIONS)])
def test_as_in_python(program, capsys):
    check_effects(WORLD, program, capsys)
