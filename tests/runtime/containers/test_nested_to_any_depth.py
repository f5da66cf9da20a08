"""Lists and dicts that may lie in each other to any depth: a run makes them, and they are known as far as the
trace knows their items. Who reads one of which only a run knows the place is refused."""

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


CALLS = [(np.array(x),) for x in ([1.0, 2.0], [3.0, -6.0], [1.0, 6.0], [-1.0, 5.0], [-1.0, -1.0])]


class Box:
    pass


@PROGRAMS.of(*CALLS)
def an_attribute(x):
    o = Box()
    o.l = [1.0, 2.0]
    if x[0] > 0:
        o.l = [x[0] * 2, 1.0]
        o.l[0] += 1
    return o.l


@PROGRAMS.of(*CALLS)
def changed_in_a_handler(a):
    v0 = a[0]
    grid = [v0, v0]
    try:
        for x2 in a:
            if a[1] > 5:
                raise ValueError
            grid[1] = [1.0, v0]
    except ValueError as e:
        if isinstance(grid[1], list):
            grid[1][0] = np.float64("nan")
    return grid


@PROGRAMS.of(*CALLS)
def replaced_before_it_raises(a):
    v0 = a[0]
    grid = [v0, [1.0, 2.0]]
    try:
        if a[1] > 5:
            raise ValueError
        grid[1] = [1.0, v0]
        if a[1] > 4:
            raise ValueError
    except ValueError as e:
        grid[1][0] = a[1]
    return grid


test_program = PROGRAMS.test()
