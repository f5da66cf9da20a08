"""Lists in lists, in dicts and in attributes, that a branch makes and changes, or that have another name.

Each belongs to one place, or is known by a second name: a store through one is seen through the other.
"""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array(x),) for x in ([1.0, 2.0], [3.0, -6.0], [1.0, 6.0], [-1.0, 5.0], [-1.0, -1.0])]


class Box:
    pass


class Pair:
    def __init__(self, v, w=0.0):
        self.v = v
        self.w = w


@PROGRAMS.of(*CALLS)
def an_attribute(x):
    o = Box()
    o.l = [1.0, 2.0]
    if x[0] > 0:
        o.l = [x[0] * 2, 1.0]
        o.l[0] += 1
    return o.l


@PROGRAMS.of(*CALLS)
def in_a_handler(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    try:
        d[0] = [7.0, x[0]]
        if x[1] > 5:
            raise ValueError
        d[0][1] = 5.0
    except ValueError:
        d[1] = d[0]
    return d


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


@PROGRAMS.of(*((*call, n) for call in CALLS for n in (0, 2)))
def an_object_of_a_list_in_a_variable_of_a_loop(x, n):
    root = [Pair(1.0, 1.0)]
    two = root[0]
    for _ in range(n):
        two = Pair(x[0], 2.5)
    return root, two


test_program = PROGRAMS.test()
