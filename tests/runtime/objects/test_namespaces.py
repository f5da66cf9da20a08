"""`types.SimpleNamespace` from outside, and copies of objects."""

import copy
from types import SimpleNamespace

import pytest

import autograph
import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def namespace_outer(function):
    st = SimpleNamespace(count=0, last=None)

    @function
    def f(x):
        st.count += 1
        if x > 0:
            st.last = x
        print(st, isinstance(st, SimpleNamespace), hasattr(st, "foo"), st == None)  # noqa: E711
        return st.count, st.last

    r = [f(1.0), f(-2.0), f(3.0)]
    return r, st


@scenario
def copies(function):
    class Q:
        def __init__(self, x):
            self.x = x
            self.l = [x]

    @function
    def f(x):
        q = Q(x)
        w = copy.copy(q)
        w.x = 3
        w.l.append(2)
        z = copy.deepcopy(q)
        if x > 0:
            z.x = 7
            z.l[0] = 8
        return q.x, q.l, w.x, z.x, z.l

    return [f(1.0), f(-1.0)]


def test_one_that_is_made_inside_is_refused():
    with pytest.raises(autograph.StagingError, match=r"is made inside\n(.*\n)*hint: define a class outside"):
        rt.function(lambda x: SimpleNamespace(x=x))(1.0)


test_program = PROGRAMS.test()
