"""The arguments of an exception are what `BaseException.__init__` stored last, on the path taken."""

import numpy as np

from tests.differential import Call, check
from tests.programs import Programs

PROGRAMS = Programs()
case = PROGRAMS.of((-1.0,), (2.0,), (7.0,), (-9.0,))


class Often(Exception):
    def __init__(self, v, detail=2):
        super().__init__(v, detail)
        self.v, self.detail = v, detail


def sink(v):
    if v < -3:
        raise Often(v)
    return v if v > 50 else sink(v * 2)


@case
def by_its_class_in_a_handler(x):
    try:
        return sink(x), "", ""
    except Often as e:
        Often.__init__(e, 3.0)
        return e.v, e.args, str(e)


@case
def operators_it_has_not(x):
    try:
        return sink(x), ""
    except Often as e:
        try:
            return -e, ""
        except TypeError as error:
            return 0.0, str(error)


test_program = PROGRAMS.test()


def test_what_is_matched_may_have_no_such_attribute():
    class Point:
        def __init__(self, v):
            self.v = v
            if v > 0:
                self.extra = v * 2

    def f(x):
        points = [Point(v) for v in x]
        for v in x:
            points.append(Point(v))
        match points[-1]:
            case Point(extra=extra):
                return extra
            case Point(v=v):
                return v

    check(f, Call(np.array([1.0, 2.0])), Call(np.array([1.0, -2.0])), may_refuse=True)
