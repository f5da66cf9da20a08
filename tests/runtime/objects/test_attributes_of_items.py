"""Attributes of objects that stand in a list: missing, deleted, frozen, slotted, inherited, computed once."""

import copy
import dataclasses
import functools
from dataclasses import dataclass

from tests.differential import attempt
from tests.features.registry import floats
from tests.programs import Programs
from tests.runtime.objects.classes import Box, each

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def missing_attr(function):
    @function
    def f(a):
        ps = []
        for v in a:
            p = Box(v)
            if v > 0:
                p.extra = v
            if v != 0:
                ps.append(p)
        t = 0.0
        for p in ps:
            if hasattr(p, "extra"):
                t += p.extra
            t += getattr(p, "extra", 1000)
        for p in ps:
            t += p.extra
        return t

    r = []
    for v in (floats(1, 2, 0), floats(1, -2), floats(-1)):
        try:
            r.append(f(v))
        except AttributeError as e:
            r.append(str(e))
    return r


@scenario
def del_attr(function):
    @function
    def f(a):
        ps = each(Box, a)
        for p in ps:
            if p.x < 0:
                del p.x
        t = 0.0
        for p in ps:
            t += p.x
        return t

    return [attempt(f, v) for v in (floats(1, 2, 0), floats(1, -2), floats(5))]


@scenario
def frozen(function):
    @dataclass(frozen=True)
    class F:
        a: float
        b: int = 0

    @function
    def f(a):
        out = []
        for v in a:
            if v > 0:
                out.append(F(v, len(out)))
        try:
            out[0].a = 1.0
        except AttributeError as e:
            print(type(e).__name__, e)
        out.append(dataclasses.replace(out[0], b=7))
        return out, bool(out[0] == out[-1]), F(3.0, 1) in out

    return [repr(f(floats(1, -2, 3))), repr(f(floats(1)))]


@scenario
def slots(function):
    @dataclass(slots=True)
    class S:
        a: float
        b: int = 0

    class M:
        __slots__ = ("k", "m")

        def __init__(self, k):
            self.k = k

    @function
    def f(a):
        out = []
        ms = []
        for v in a:
            if v > 0:
                out.append(S(v, len(out)))
                ms.append(M(v))
        for s in out:
            s.a *= 2
        for m in ms:
            if m.k > 1:
                m.m = m.k
        t = 0.0
        for m in ms:
            t += m.m
        return out, t

    return [attempt(f, v) for v in (floats(2, -2, 3), floats(1))]


@scenario
def copies(function):
    @function
    def f(a):
        out = each(Box, a)
        c = copy.copy(out[0])
        c.x = 50.0
        d = copy.deepcopy(out[0])
        d.x = 60.0
        return [p.x for p in out], c.x, d.x

    return [f(floats(1, -2, 3)), f(floats(1))]


@scenario
def class_attr_default(function):
    class D:
        scale = 2.0

        def __init__(self, x):
            self.x = x

        def val(self):
            return self.x * self.scale

    @function
    def f(a):
        ds = each(D, a)
        for d in ds:
            if d.x > 0:
                d.scale = 10.0
        return [d.val() for d in ds]

    r = [f(floats(1, -2, 3)), f(floats(-1))]
    D.scale = 3.0
    r.append(f(floats(1, -2)))
    return r


@scenario
def cached_property(function):
    class D:
        def __init__(self, x):
            self.x = x

        @functools.cached_property
        def sq(self):
            print("computing")
            return self.x**2

    @function
    def f(a):
        ds = each(D, a)
        t = 0.0
        for d in ds:
            if d.x > 0:
                t += d.sq
        for d in ds:
            t += d.sq
        return t

    return [f(floats(1, -2, 3)), f(floats(-1))]


test_program = PROGRAMS.test()
