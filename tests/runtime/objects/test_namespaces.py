"""`types.SimpleNamespace` made inside a function, and copies of objects."""

import copy
import types
from types import SimpleNamespace

import numpy as np

from tests.differential import attempt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def namespace(function):
    @function
    def f(a):
        s = SimpleNamespace(total=np.float64(0.0), n=0)
        for v in a:
            if v > 0:
                s.total += v
                s.n += 1
        s.mean = s.total / s.n if s.n > 0 else None
        print(
            s,
            isinstance(s, SimpleNamespace),
            hasattr(s, "foo"),
            s == None,  # noqa: E711
            f"{s.n}",
        )
        return s

    return [f(floats(1, -2, 3)), f(floats(-1)), f(floats(1, 2))]


@scenario
def namespace_choice(function):
    @function
    def f(a):
        if a[0] > 0:
            s = SimpleNamespace(x=a[0], k="p")
        else:
            s = SimpleNamespace(x=-a[0], k="n")
        s.x *= 2
        t = s
        t.x += 1
        return s.x, s.k, s

    return [f(floats(1, -2, 3)), f(floats(-1))]


@scenario
def namespace_list(function):
    @function
    def f(a):
        out = []
        for v in a:
            if v > 0:
                out.append(types.SimpleNamespace(v=v, k=len(out)))
        for o in out:
            o.v += 1
        d = {o.k: o for o in out}
        return out, sum(o.v for o in out), len(d)

    return [f(floats(1, -2, 3)), f(floats(-1))]


@scenario
def namespace_outer(function):
    st = SimpleNamespace(count=0, last=None)

    @function
    def f(x):
        st.count += 1
        if x > 0:
            st.last = x
        st.inner = SimpleNamespace(x=x)
        st.inner.x = x * 2
        return st.count, st.last, st.inner.x

    r = [f(1.0), f(-2.0), f(3.0)]
    return r, st


@scenario
def namespace_del(function):
    @function
    def f(x):
        s = SimpleNamespace(a=x, b=2)
        if x > 0:
            del s.a
        try:
            return s.a
        except AttributeError as e:
            return str(e)

    return [f(1.0), f(-1.0)]


@scenario
def namespace_copy(function):
    class Q:
        def __init__(self, x):
            self.x = x
            self.l = [x]

    @function
    def f(x):
        s = SimpleNamespace(a=x, b=[x])
        t = copy.copy(s)
        t.a = 9
        t.b.append(x)
        u = copy.deepcopy(s)
        u.a = 10
        u.b.append(x)
        q = Q(x)
        w = copy.copy(q)
        w.x = 3
        w.l.append(2)
        z = copy.deepcopy(q)
        if x > 0:
            z.x = 7
            z.l[0] = 8
        return s, t, u, q.x, q.l, w.x, z.x, z.l

    return [f(1.0), f(-1.0)]


@scenario
def namespace_recursive(function):
    @function
    def f(a):
        root = None

        def insert(n, v):
            if n is None:
                return SimpleNamespace(v=v, l=None, r=None)
            if v < n.v:
                n.l = insert(n.l, v)
            else:
                n.r = insert(n.r, v)
            return n

        for v in a:
            root = insert(root, v)

        def walk(n):
            return [] if n is None else walk(n.l) + [n.v] + walk(n.r)

        return walk(root)

    return [
        f(floats(3, 1, 2)),
        f(
            floats(
                1,
            )
        ),
        f(floats(5, 4, 3, 2, 1, 9)),
    ]


@scenario
def namespace_bad(function):
    @function
    def f(x):
        return SimpleNamespace(x)

    return attempt(f, 1.0)


test_program = PROGRAMS.test()
