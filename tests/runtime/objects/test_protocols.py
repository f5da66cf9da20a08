"""Descriptors, mixins, iterators, machines with callbacks, aliases: what classes are made of."""

import abc
import enum
from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.differential import ENGINES, check_scenario

SCENARIOS = []


def scenario(function):
    SCENARIOS.append(function)
    return function


def A(*values):
    return np.array(values, dtype=float)


@scenario
def getattr_method(function):
    class Lazy:
        def __init__(self):
            self.d = {"a": 1.0, "b": 2.0}

        def __getattr__(self, n):
            if n.startswith("_"):
                raise AttributeError(n)
            return self.d[n] * 2

    l = Lazy()

    @function
    def f(x):
        return l.a * x if x > 0 else l.b * x

    r = [f(1.0), f(-1.0)]
    l.d["a"] = 10.0
    r.append(f(1.0))
    l.b = 7.0
    r.append(f(-1.0))

    @function
    def g(x):
        z = Lazy()
        z.c = x
        return z.a + z.c

    return r + [g(1.0), g(2.0)]


@scenario
def descriptor(function):
    class Pos:
        def __set_name__(self, o, n):
            self.n = "_" + n

        def __get__(self, o, t=None):
            return self if o is None else getattr(o, self.n)

        def __set__(self, o, v):
            if v < 0:
                raise ValueError(f"{self.n} {v}")
            setattr(o, self.n, v)

    class Acc:
        bal = Pos()
        rate = Pos()

        def __init__(self, b, r):
            self.bal = b
            self.rate = r

    acc = Acc(10.0, 0.1)

    @function
    def f(x):
        acc.bal = acc.bal - x
        return acc.bal * acc.rate

    @function
    def g(x):
        a = Acc(x, 0.5)
        a.bal += 1
        return a.bal

    r = []
    for v in (1.0, 20.0, 2.0):
        try:
            r.append(f(v))
        except ValueError as e:
            r.append(str(e))
    for v in (1.0, -5.0):
        try:
            r.append(g(v))
        except ValueError as e:
            r.append(str(e))
    return r + [acc.bal]


@scenario
def mixin(function):
    class Scale:
        def apply(self, x):
            return super().apply(x) * self.k

    class Shift:
        def apply(self, x):
            return super().apply(x) + self.b

    class Base:
        def apply(self, x):
            return x

    class M(Scale, Shift, Base):
        def __init__(self, k, b):
            self.k = k
            self.b = b

    m = M(2.0, 1.0)

    @function
    def f(x):
        if x > 0:
            m.k += 1
        return m.apply(x)

    r = [f(1.0), f(-1.0), f(2.0)]
    m.b = 10.0
    r.append(f(1.0))
    return r, m.k


@scenario
def abc_enum(function):
    class Op(enum.Enum):
        ADD = 1
        MUL = 2

    class Sh(abc.ABC):
        @abc.abstractmethod
        def area(self): ...

    class Sq(Sh):
        def __init__(self, s):
            self.s = s

        def area(self):
            return self.s**2

    @function
    def f(x, y):
        op = Op.ADD if x > 0 else Op.MUL
        shapes = []
        if y > 0:
            shapes.append(Sq(y))
        shapes.append(Sq(x))
        t = sum(s.area() for s in shapes)
        return (x + y if op is Op.ADD else x * y), op, t, op.name

    return [f(1.0, 2.0), f(-1.0, 2.0), f(1.0, -2.0)]


@scenario
def state_machine(function):
    class FSM:
        def __init__(self):
            self.state = "idle"
            self.table = {"idle": self.idle, "run": self.run, "stop": self.stop}
            self.n = 0

        def idle(self, x):
            return "run" if x > 0 else "idle"

        def run(self, x):
            self.n += 1
            return "stop" if x < 0 else "run"

        def stop(self, x):
            return "idle" if x == 0 else "stop"

        def feed(self, x):
            self.state = self.table[self.state](x)

    m = FSM()

    @function
    def f(a):
        for v in a:
            m.feed(v)
        return m.state, m.n

    @function
    def g(a):
        q = FSM()
        for v in a:
            q.feed(v)
        return q.state, q.n

    return [f(A(0, 1, 2)), f(A(1, -1)), f(A(0.0)), g(A(1, 2, -1)), g(A(1, 1, 1, 1))]


@scenario
def callback_dict(function):
    hits = {"a": 0, "b": 0}

    def on_a(v):
        hits["a"] += 1
        return v * 2

    def on_b(v):
        hits["b"] += 1
        return v + 100

    table = {"a": on_a, "b": on_b}

    @function
    def f(a):
        t = 0.0
        for v in a:
            k = "a" if v > 0 else "b"
            t += table[k](v)
        return t

    r = [f(A(1, -2, 3)), f(A(-1.0))]
    table["a"] = lambda v: v * 1000
    r.append(f(A(1, -2, 3)))
    return r, hits


@scenario
def default_factory(function):
    @dataclass
    class S:
        xs: list = field(default_factory=list)
        d: dict = field(default_factory=dict)
        n: int = 0

        def add(self, v):
            self.xs.append(v)
            self.n += 1
            self.d[self.n] = v
            return self

    @function
    def f(a):
        s = S()
        t = S()
        for v in a:
            (s if v > 0 else t).add(v)
        return s.xs, s.n, t.xs, t.d, s == t

    return [f(A(1, -2, 3)), f(A(1.0)), f(A(-1, -1))]


@scenario
def iterator_class(function):
    class Count:
        def __init__(self, n):
            self.n = n
            self.i = 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.i >= self.n:
                raise StopIteration
            self.i += 1
            return self.i

    class Span:
        def __init__(self, a, b):
            self.a = a
            self.b = b

        def __iter__(self):
            x = self.a
            while x < self.b:
                yield x
                x += 1

        def __len__(self):
            return int(self.b - self.a)

        def __contains__(self, v):
            return self.a <= v < self.b

        def __reversed__(self):
            return iter(range(5))

        def __getitem__(self, i):
            return self.a + i

    @function
    def f(n):
        t = 0
        for v in Count(n):
            t += v * v
        return t

    @function
    def g(x):
        s = Span(x, x + 4)
        t = 0.0
        for v in s:
            t += v
        return t, len(s), x + 1 in s, s[2], list(s), sum(s)

    return [f(3), f(0), f(5), g(1.0), g(2.5)]


@scenario
def nonlocal_counter(function):
    def make():
        n = 0

        def inc(k=1):
            nonlocal n
            n += k
            return n

        def get():
            return n

        return inc, get

    inc, get = make()

    @function
    def f(a):
        for v in a:
            if v > 0:
                inc()
            else:
                inc(int(-v))
        return get()

    return [f(A(1, -3)), f(A(1.0)), get(), inc(), f(A(1.0))]


@scenario
def alias_objects(function):
    class B:
        def __init__(self):
            self.v = 0.0
            self.peer = None

    x, y = B(), B()
    x.peer = y
    y.peer = x

    @function
    def f(p, q, k):
        p.v += k
        q.v += 10
        p.peer.v += 100
        if k > 0:
            p, q = q, p
        p.v *= 2
        return p.v, q.v, p is q

    return [f(x, y, 1.0), f(x, x, 1.0), f(y, x, -1.0), f(y, y, 2.0), x.v, y.v]


@scenario
def lazy_none(function):
    class Cache:
        def __init__(self):
            self.v = None
            self.hits = 0

        def get(self, x):
            if self.v is None:
                self.v = x * x
            else:
                self.hits += 1
            return self.v

    c = Cache()

    @function
    def f(x):
        if x > 0:
            return c.get(x)
        c.v = None
        return -1.0

    r = [f(2.0), f(3.0), f(-1.0), f(4.0), c.v, c.hits]
    c.v = 7
    r.append(f(1.0))
    c.v = None
    r.append(f(5.0))
    return r


@scenario
def replace_two_names(function):
    class Vec:
        def __init__(self, x, y):
            self.x = x
            self.y = y

    @function
    def f(a):
        v = Vec(a[0], a[1])
        w = v
        if a[0] > 0:
            v = Vec(a[1], a[0])
        w.x += 10
        k = 0
        while k < 3:
            if v.x > k:
                v = Vec(v.x - 1, v.y)
            else:
                w = v
                w.y += 1
            k += 1
        return v.x, w.x, v is w, v.y, w.y

    return [f(A(1, 2)), f(A(-1, 2)), f(A(5, 9))]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", SCENARIOS, ids=lambda program: program.__name__)
def test_scenario(program, engine):
    check_scenario(program, engines=(engine,), promotes=True)
