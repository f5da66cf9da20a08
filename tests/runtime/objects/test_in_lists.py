"""Objects of the user's classes as items of lists, dicts and sets of which a run knows the length."""

import dataclasses
import heapq
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from tests.features.registry import floats
from tests.programs import Programs
from tests.runtime.objects.classes import Box, each

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def list_of_objects(function):
    class P:
        def __init__(self, x, y):
            self.x = x
            self.y = y

    @function
    def f(a):
        ps = []
        for v in a:
            if v > 0:
                ps.append(P(v, v * v))
        s = 0.0
        for p in ps:
            s += p.x + p.y
        return s, len(ps)

    return [f(floats(1, -2, 3)), f(floats(-1)), f(floats(1, 2, 3, 4))]


@scenario
def list_of_dataclass(function):
    @dataclass
    class P:
        x: float
        tags: list = field(default_factory=list)

    @function
    def f(a):
        ps = []
        for v in a:
            p = P(v)
            if v > 0:
                ps.append(p)
            p.tags.append(v)
        for p in ps:
            p.x *= 2
        return [p.x for p in ps], len(ps)

    return [f(floats(1, -2, 3)), f(floats(-1)), f(floats(1, 2, 3, 4))]


@scenario
def list_of_namedtuple(function):
    P = namedtuple("P", "x y")

    @function
    def f(a):
        ps = []
        for v in a:
            if v > 0:
                ps.append(P(v, v * v))
        best = None
        for p in ps:
            if best is None or p.y > best.y:
                best = p
        return ps, best

    return [f(floats(1, -2, 3)), f(floats(-1)), f(floats(1, 2, 3, 4))]


@scenario
def return_list_of_objects(function):
    class P:
        def __init__(self, x):
            self.x = x

    @function
    def f(a):
        ps = []
        for v in a:
            if v > 0:
                ps.append(P(v))
        return ps

    return [
        [p.x for p in f(floats(1, -2, 3))],
        [p.x for p in f(floats(-1))],
        [type(p).__name__ for p in f(floats(1, 2, 3, 4))],
    ]


@scenario
def event_obj(function):
    @dataclass(order=True)
    class Event:
        t: float
        kind: int = field(compare=False)

    @function
    def sim(arr, service):
        q = []
        for t in arr:
            heapq.heappush(q, Event(t, 0))
        free = 0.0
        served = 0
        while q:
            e = heapq.heappop(q)
            if e.kind == 0:
                start = max(e.t, free)
                free = start + service
                heapq.heappush(q, Event(free, 1))
            else:
                served += 1
        return served, free

    return [sim(floats(0, 1, 1.5, 4), 1.0), sim(floats(3, 2, 1), 0.5)]


@scenario
def alias(function):
    @function
    def f(a):
        ps = []
        last = Box(0.5)
        for v in a:
            if v > 0:
                last = Box(v)
                ps.append(last)
                ps.append(last)
        last.x = 100.0
        t = 0.0
        for p in ps:
            t += p.x
            p.x += 1
        return t, [p.x for p in ps], last.x, len(ps)

    return [f(floats(1, -2, 3)), f(floats(-1)), f(floats(2, -2))]


@scenario
def eq_default(function):
    @function
    def f(a):
        ps = [Box(0.0)]
        for v in a:
            if v > 0:
                ps.append(Box(v))
        first = ps[0]
        last = ps[-1]
        n = 0
        for p in ps:
            if p == last:
                n += 1
            if p != last:
                n += 10
            if p is first:
                n += 100
            if p is not first:
                n += 1000
        return n, first == last, first is last, last in ps, Box(1.0) in ps, ps.index(last), ps.count(first)

    return [f(floats(1, -2, 3)), f(floats(-1)), f(floats(2, -2))]


@scenario
def hash_set(function):
    @function
    def f(a):
        ps = each(Box, a)
        seen = set()
        for p in ps:
            seen.add(p)
            seen.add(p)
        d = {}
        for p in ps:
            d[p] = p.x * 2
        t = 0.0
        for p in ps:
            t += d[p]
        return len(seen), t

    return [f(floats(1, -2, 3)), f(floats(-1)), f(floats(2, -2))]


@scenario
def namedtuple_objs(function):
    Pt = namedtuple("Pt", "a b")

    @function
    def f(a):
        out = []
        for v in a:
            if v > 0:
                out.append(Pt(Box(v), [v, v]))
        for q in out:
            q.a.x += 1
            q.b.append(0.0)
        return [(q.a.x, q.b) for q in out], out

    r = []
    for v in (floats(1, -2, 3), floats(-1)):
        x, o = f(v)
        r.append(x)
        r.append([type(i).__name__ for i in o])
    return r


@scenario
def callable_in_list(function):
    class C:
        def __init__(self, k):
            self.k = k

        def __call__(self, x):
            return x * self.k

    @function
    def f(a):
        fs = each(C, a)
        t = 0.0
        for g in fs:
            t += g(2.0)
        return t

    return [f(floats(1, -2, 3)), f(floats(1))]


@scenario
def dict_of_objects(function):
    @function
    def f(keys, vals):
        d = {}
        for k, v in zip(keys, vals):
            k = int(k)
            if k in d:
                d[k].x += v
            else:
                d[k] = Box(v)
        t = 0.0
        for k, p in d.items():
            t += k * p.x
        return t, {k: p.x for k, p in d.items()}

    return [f(np.array([1, 2, 1]), floats(1, 2, 3)), f(np.array([5]), floats(1))]


@scenario
def init_registers(function):
    class R:
        def __init__(self, x, reg):
            self.x = x
            reg.append(self)
            self.n = len(reg)

    @function
    def f(a):
        reg = []
        for v in a:
            if v > 0:
                R(v, reg)
        return [(r.x, r.n) for r in reg]

    return [f(floats(1, -2, 3)), f(floats(1))]


@scenario
def mixed_outside_inside(function):
    origin = Box(0.0)

    @function
    def f(a):
        ps = [origin]
        for v in a:
            if v > 0:
                ps.append(Box(v))
        for p in ps:
            p.x += 1
        return sum(p.x for p in ps), ps[0] is origin, origin.x

    r = [f(floats(1, -2, 3)), origin.x, f(floats(1)), origin.x]
    origin.x = 50.0
    r.append(f(floats(1)))
    r.append(origin.x)
    return r


@scenario
def arg_list_of_objects(function):
    @function
    def f(ps, x):
        out = []
        for p in ps:
            if p.x > x:
                out.append(p)
        for p in out:
            p.x = p.x * 2
        return out

    r = []
    for n in range(5):
        ps = [Box(float(i)) for i in range(n)]
        o = f(ps, 1.5)
        r.append([p.x for p in ps])
        r.append([any(q is p for p in ps) for q in o])
    return r


@scenario
def outside_particles(function):
    @dataclass
    class Part:
        x: float
        v: float
        alive: bool = True

    world = [Part(0.0, 1.0), Part(5.0, -1.0)]

    @function
    def step(dt):
        for p in world:
            p.x += p.v * dt
            if p.x < 0:
                p.alive = False
        if len(world) < 5:
            world.append(Part(p.x, -p.v))
        k = 0
        while k < len(world):
            if not world[k].alive:
                world.pop(k)
            else:
                k += 1
        return len(world)

    r = []
    for _ in range(8):
        r.append(step(0.75))
        r.append([dataclasses.astuple(p) for p in world])
    return r


test_program = PROGRAMS.test()
