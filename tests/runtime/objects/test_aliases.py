"""Two names of one object, and names that are given another object."""

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


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

    return [f(floats(1, 2)), f(floats(-1, 2)), f(floats(5, 9))]


test_program = PROGRAMS.test()
