"""Lists and dicts that may lie in each other to any depth: a run makes them, and they are known as far as the
trace knows their items. Who reads one of which only a run knows the place is refused."""

from __future__ import annotations

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()


@PROGRAMS.of((np.arange(6.0).reshape(3, 2),))
def an_array_as_lists_in_a_tuple(x):
    if x[0, 0] == 0:
        r = x.tolist(), 2
    else:
        r = 1, 2
    return r


@PROGRAMS.of((3.0,), (1.0,))
def a_list_that_holds_itself_in_a_tuple(x):
    r = 1, 2
    if x > 2:
        a = [x * 2]
        a.append(a)
        r = a, 1
    return r[1], (r[0][1] is r[0] if x > 2 else 0)


test_program = PROGRAMS.test()
