"""Trees, linked lists and graphs of objects, made inside or found outside, and functions that walk them."""

from tests.programs import Programs

PROGRAMS = Programs()

scenario = PROGRAMS.scenario


@scenario
def tree_outside(function):
    class T:
        def __init__(self, v, *kids):
            self.v = v
            self.kids = list(kids)

    def total(t, x):
        s = t.v if t.v > x else 0.0
        for k in t.kids:
            s += total(k, x)
        return s

    root = T(1.0, T(2.0), T(3.0, T(4.0)))

    @function
    def f(x):
        return total(root, x)

    r = [f(0.0), f(2.5)]
    root.kids.append(T(10.0))
    r.append(f(0.0))
    root.kids[1].kids[0].v = 7.0
    r.append(f(0.0))
    root.kids.pop(0)
    r.append(f(0.0))
    return r


test_program = PROGRAMS.test()
