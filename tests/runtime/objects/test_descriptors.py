"""What stands between an object and its attributes: `__getattr__`, descriptors, defaults, None at first."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, attempt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


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

    return [attempt(f, v) for v in (1.0, 20.0, 2.0)], [attempt(g, v) for v in (1.0, -5.0)], acc.bal


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

    return [f(floats(1, -2, 3)), f(floats(1.0)), f(floats(-1, -1))]


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


class Doubling:
    reads = 0

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, cls=None):
        if owner is None:
            return self
        self.reads += 1
        return getattr(owner, self.name, 7)

    def __set__(self, owner, value):
        if value > 1000:
            raise ValueError(self.name)
        setattr(owner, self.name, value * 2)
        owner.writes = getattr(owner, "writes", 0) + 1


class Lazy:
    def __get__(self, owner, cls=None):
        return owner.total() if owner.a > 20 else "small"


class Doubled:
    a = Doubling()
    b = Doubling()
    lazy = Lazy()

    def total(self):
        return self.a + self.b


@PROGRAMS.of(*[Call(np.array([n]), Doubled()) for n in (3, 0, 5)])
def descriptors_of_the_user(x, outside):
    n = int(x[0])
    items = [Doubled() for _ in range(n + 1)]
    found = []
    for item in (outside, Doubled(), items[0]):
        if n > 2:
            item.a = n
        for i in range(n):
            item.b = item.a + i
        if n > 4:
            item.lazy = 1
        found.append((item.a, item.b, getattr(item, "writes", None), item.lazy, item.total()))
        try:
            item.b = n * 300
        except ValueError as error:
            found.append(str(error))
    return found


class Tank:
    low = Doubling()


def test_what_a_descriptor_gives_for_the_class():
    with pytest.raises(StagingError, match="`Tank.low` asks a descriptor of a class of yours") as refused:
        rt.function(lambda x: Tank.low.reads + x)(1.0)
    assert "read the attribute of an instance" in refused.value.hint


class Answers:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        print("asked for", name)
        return 2.0


ANSWERS = Answers()


class Silent:
    def __getattr__(self, name):
        raise AttributeError(name)


SILENT = Silent()


@PROGRAMS.of((1.0,), (np.float64(2.0),))
def an_operand_that_has_nothing(x):
    try:
        return x + SILENT
    except TypeError:
        return x


@PROGRAMS.of((1.0,), (2.0,), (3.0,), (4.0,))
def a_getattr_that_is_seen(x):
    return ANSWERS.anything * x


test_program = PROGRAMS.test()
