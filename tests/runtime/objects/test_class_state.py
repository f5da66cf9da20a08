"""Attributes of classes and functions that converted code changes, and what instances inherit of them."""

import dataclasses
import functools
import typing

from tests.differential import attempt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def class_counter(function):
    class C:
        count = 0
        total = 0.0
        names = []

        def __init__(self, x):
            C.count += 1
            type(self).total += x
            self.id = C.count
            C.names.append(self.id)

        @classmethod
        def reset(cls):
            cls.count = 0

    @function
    def f(a):
        for v in a:
            if v > 0:
                C(v)
        return C.count, C.total, len(C.names)

    r = [f(floats(1, -2, 3)), f(floats(2.0))]
    C.reset()
    r.append(f(floats(5.0)))

    @function
    def g(x):
        C.reset()
        if x > 0:
            C.count = 10
        return C.count

    return r + [g(1.0), g(-1.0), C.count, C.total, C.names]


@scenario
def class_attr_loop(function):
    class Cfg:
        lr = 0.1
        steps = 0
        best = None

    @function
    def f(a):
        for v in a:
            Cfg.steps += 1
            Cfg.lr *= 0.5
            if Cfg.best is None or v > Cfg.best:
                Cfg.best = v
        return Cfg.lr, Cfg.steps, Cfg.best

    return [f(floats(1, 2, 3)), f(floats(7.0)), f(floats(0.5)), Cfg.lr, Cfg.steps, Cfg.best]


@scenario
def class_attr_raise(function):
    class K:
        n = 0

    @function
    def f(x):
        K.n += 1
        try:
            K.n += 10
            if x < 0:
                raise ValueError(K.n)
            K.n += 100
        except ValueError as e:
            K.n += 1000
        if x > 5:
            raise KeyError(K.n)
        return K.n

    return [(attempt(f, v), K.n) for v in (1.0, -1.0, 6.0, 2.0)]


@scenario
def class_recursion(function):
    class K:
        calls = 0

    def fib(n):
        K.calls += 1
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    @function
    def f(n):
        return fib(n), K.calls

    return [f(5), f(7), K.calls]


@scenario
def subclass_attr(function):
    class B:
        k = 1.0

        def get(self):
            return self.k

    class D(B):
        pass

    b, d = B(), D()

    @function
    def f(x):
        if x > 0:
            B.k = x
        return b.get(), d.get()

    r = [f(2.0), f(-1.0)]
    D.k = 50.0
    r.append(f(3.0))
    r.append(f(-3.0))
    del D.k
    r.append(f(4.0))
    return r


@scenario
def class_mutual(function):
    class K:
        n = 0
        deepest = None

    def even(n, d):
        K.n += 1
        if K.deepest is None or d > K.deepest:
            K.deepest = d
        return True if n == 0 else odd(n - 1, d + 1)

    def odd(n, d):
        K.n += 100
        return False if n == 0 else even(n - 1, d + 1)

    @function
    def f(n):
        return even(n, 0), K.n, K.deepest

    return [f(4), f(7), f(2), K.n, K.deepest]


@scenario
def class_rec_try(function):
    class K:
        n = 0

    def walk(k):
        K.n += 1
        if k < 0:
            raise ValueError(K.n)
        return 0 if k == 0 else walk(k - 2)

    @function
    def f(k):
        try:
            return walk(k), K.n
        except ValueError as e:
            return -1, K.n

    return [f(4), f(5), f(2), K.n]


@scenario
def class_nested_if(function):
    class K:
        n = 0
        m = 0

    def bump(k):
        K.n += k
        if K.n > 5:
            K.m += 1

    @function
    def f(a):
        for v in a:
            if v > 0:
                bump(1)
                if v > 2:
                    bump(2)
            else:
                K.n = 0
        return K.n, K.m

    return [f(floats(1, 3, -1, 3)), f(floats(3, 3, 3)), K.n, K.m]


@scenario
def static_method_registry(function):
    class Reg:
        items = {}
        order = []

        @classmethod
        def add(cls, k, v):
            cls.items[k] = v
            cls.order.append(k)

        @staticmethod
        def total():
            return sum(Reg.items.values())

    @function
    def f(x):
        Reg.add("a", x)
        if x > 0:
            Reg.add("b", x * 2)
        return Reg.total(), len(Reg.order)

    return [f(1.0), f(-1.0), f(3.0), Reg.items, Reg.order]


@scenario
def func_attr(function):
    def g(x):
        g.calls += 1
        return x * 2

    g.calls = 0

    @function
    def f(a):
        t = 0.0
        for v in a:
            if v > 0:
                t += g(v)
        return t, g.calls

    return [f(floats(1, -2, 3)), f(floats(1.0)), g.calls]


@scenario
def inst_shadows_class(function):
    class K:
        lim = 2.0

        def __init__(self):
            self.x = 0.0

        def step(self, v):
            if v > self.lim:
                self.lim = v
            self.x += self.lim
            return self.x

    k = K()
    j = K()

    @function
    def f(v):
        return k.step(v) + j.x, k.lim, j.lim, K.lim

    r = [f(1.0), f(5.0), f(1.0)]
    K.lim = 100.0
    r.append(f(1.0))
    del k.lim
    r.append(f(1.0))

    @function
    def g(v):
        m = K()
        m.step(v)
        return m.lim, m.x

    return r + [g(1.0), g(500.0)], k.lim, j.lim


@scenario
def made_by_the_function(function):
    class B:
        k = 1.0

        @classmethod
        def above(cls):
            return cls.k

    class D(B):
        @classmethod
        def above(cls):
            return super().above() + super().k

    @function
    def f(x):
        B.fresh = x
        seen = [D.fresh, D().fresh, hasattr(B(), "fresh"), getattr(D, "fresh", 5)]
        setattr(B, "k", x)
        setattr(B, "j", x + 1)
        return *seen, B.k, D.j, D.above(), D().above()

    return f(1.5), f(2.5), B.k, B.j


@scenario
def where_a_class_is_read(function):
    class C:
        n = 1.0
        rows = [1.0]

    @function
    def f(x):
        C.n = x
        C.rows.append(x)
        if x > 2:
            C.rows = [x]

        class Body:
            m = C.n
            k = len(C.rows)
            g = lambda self, y=C.n: y

        for C.n in range(3):
            if x > C.n:
                C.rows.append(C.n)
        C.n, y = x, C.n
        return Body.m, Body.k, Body().g(), y, str(C.rows)

    return f(1.5), f(2.5), f(0.5), C.n, C.rows


@scenario
def tuples_and_dataclasses(function):
    class Pair(typing.NamedTuple):
        a: float
        b: float
        scale = [2.0]

        @property
        def size(self):
            Pair.asked += 1
            return (self.a + self.b) * self.factor

    Pair.asked, Pair.factor = 0, 3.0

    @dataclasses.dataclass(frozen=True)
    class Item:
        a: float = 1.5
        total = 0.0

        def __post_init__(self):
            Item.total += self.a

    @function
    def f(x):
        p = Pair(x, 1.0)
        Pair.scale.append(x)
        if x > 2:
            Pair.factor = 7.0
        made = Item(x), Item(), dataclasses.replace(Item(), a=x)
        return p.size, p.scale[-1], p._replace(b=x).size, Pair.asked, made[2].total, Item.a

    return f(1.5), f(2.5), Pair.asked, Pair.scale, Item.total


@scenario
def attributes_that_wraps_copies(function):
    def g(x):
        return x

    g.calls, g.last = [0], None

    @function
    def f(x):
        g.last = x

        @functools.wraps(g)
        def h(y):
            return y

        h.calls[0] += 1
        h.own = x
        return h.calls[0], g.calls[0], h.last, hasattr(g, "own"), g.last

    return f(1.5), f(2.5), g.calls, g.last


test_program = PROGRAMS.test()
