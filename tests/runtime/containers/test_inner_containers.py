"""Lists in lists, in dicts and in attributes, that a branch makes and changes, or that have another name.

Each belongs to one place, or is known by a second name: a store through one is seen through the other.
"""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array(x),) for x in ([1.0, 2.0], [3.0, -6.0], [1.0, 6.0], [-1.0, 5.0], [-1.0, -1.0])]

A = np.array([1.0, 2.0])


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
def an_item_of_a_dict(x):
    d = {"a": [1.0, 2.0]}
    if x[0] > 0:
        d["a"] = [x[0] * 2, 1.0]
        d["a"][0] += 1
    return d


@PROGRAMS.of(*CALLS)
def a_dict_in_a_dict(x):
    d = {"a": {"b": 1.0}}
    if x[0] > 0:
        d["a"] = {"b": x[0]}
        d["a"]["b"] += 1
    return d


@PROGRAMS.of(*CALLS)
def in_an_unrolled_loop(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    for i in range(2):
        if x[i] > 0:
            d[i] = [x[0] * 2, 1.0]
            d[i][0] += 1
    return d


@PROGRAMS.of(*CALLS)
def in_a_long_loop(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    for i in range(40):
        d[1] = [x[0] * 2, 1.0]
        d[1][0] += i
    return d


@PROGRAMS.of(*CALLS)
def in_a_while_loop(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    i = 0
    while x[0] > i:
        row = [x[0] * 2, 1.0]
        row[0] += i
        d[1] = row
        i += 1
    return d


@PROGRAMS.of(*CALLS)
def under_another_name(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    if x[0] > 0:
        row = [x[0] * 2, 1.0]
        d[1] = row
        row[0] += 5
    return d


@PROGRAMS.of(*CALLS)
def in_a_branch_of_a_branch(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    if x[0] > 0:
        d[0][0] = x[0]
        d[1] = [x[0], 2.0]
        if x[1] > 0:
            d[1][0] += 5
    return d


@PROGRAMS.of(*CALLS)
def made_in_one_branch_changed_in_the_next(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    if x[0] > 0:
        d[1] = [x[0], 2.0]
    d[1][0] += 5
    if x[1] > 0:
        d[1][1] = x[1]
    return d


@PROGRAMS.of(*CALLS)
def changed_by_a_function(x):
    def fill(row, v):
        for j in range(len(row)):
            row[j] = v

    d = [[1.0, 2.0], [3.0, 4.0]]
    if x[0] > 0:
        d[0] = [0.0, 0.0]
        fill(d[0], x[0])
    return d


@PROGRAMS.of(*CALLS)
def a_grid_made_again(x):
    d = [[0] * 2 for _ in range(2)]
    if x[0] > 0:
        d = [[0] * 2 for _ in range(2)]
        d[0][1] = x[0]
    return d


@PROGRAMS.of(*CALLS)
def in_a_dict_of_a_loop(x):
    d = {}
    for v in x:
        if v > 0:
            d["k"] = [v, 0]
            d["k"][1] += 1
    return d


@PROGRAMS.of(*CALLS)
def a_row_with_another_name(x):
    row = [1.0, 2.0]
    d = [row, 3.0]
    if x[0] > 0:
        d[1] = x[0]
        row[0] = 9.0
    return d, row


@PROGRAMS.of(*CALLS)
def a_row_that_stays(x):
    row = [1.0, 2.0]
    d = [row, 3.0]
    if x[0] > 0:
        d[1] = x[0]
    row[0] = 9.0
    return d, row, d[0] is row


@PROGRAMS.of(*CALLS)
def a_row_put_in(x):
    row = [1.0, 2.0]
    d = [[0.0], 3.0]
    if x[0] > 0:
        d[0] = row
    row[0] = 9.0
    return d, row


@PROGRAMS.of(*CALLS)
def an_attribute_with_another_name(x):
    o = Box()
    o.l = [1.0, 2.0]
    row = o.l
    if x[0] > 0:
        o.l = [3.0, x[0]]
    row[0] = 9.0
    return o.l, row


@PROGRAMS.of(*CALLS)
def two_attributes(x):
    o = Box()
    o.l = [1.0, 2.0]
    if x[0] > 0:
        o.m = o.l
    else:
        o.m = [4.0, 5.0]
    o.l[0] = 9.0
    return o.l, o.m


@PROGRAMS.of(*CALLS)
def a_dict_with_another_name(x):
    d = {"a": [1.0, 2.0]}
    row = d["a"]
    if x[0] > 0:
        d["b"] = 3.0
    else:
        d["b"] = x[1]
    row[0] = 9.0
    return d


@PROGRAMS.of(*CALLS)
def rows_change_places(x):
    a = [1.0, 2.0]
    b = [3.0, 4.0]
    d = [a, b]
    if x[0] > 0:
        d[0], d[1] = d[1], d[0]
    d[0][0] = 9.0
    return a, b, d


@PROGRAMS.of(*CALLS)
def rows_change_places_in_a_loop(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    for i in range(len(x)):
        if x[i] > 0:
            d[0], d[1] = d[1], d[0]
        d[0][1] += x[i]
    return d


@PROGRAMS.of(*CALLS)
def rows_changed_in_a_while_loop(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    i = 0
    while x[0] > i:
        d[0][1] += x[i % 2]
        d[1][0] = d[0][0] + i
        i += 1
    return d


@PROGRAMS.of(*CALLS)
def rows_move_in_a_while_loop(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    i = 0
    while x[0] > i:
        d[0], d[1] = d[1], [x[0], 2.0]
        i += 1
    return d


@PROGRAMS.of(*CALLS)
def a_row_moves(x):
    d = [[1.0, 2.0], [3.0, 4.0]]
    if x[0] > 0:
        t = d[0]
        d[0] = [7.0, 8.0]
        t[1] = x[0]
        d[1] = t
    return d


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
def a_tuple_of_lists(x):
    p = ([1.0], [2.0])
    if x[0] > 0:
        p[0][0] = x[0]
        q = (p[0], [x[1]])
        q[1][0] += 1
    else:
        q = p
    return p, q


class Node:
    def __init__(self, v):
        self.v = v
        self.kids = [0.0, 0.0]


@PROGRAMS.of(*CALLS)
def an_object_in_an_object(x):
    n = Node(x[0])
    if x[0] > 0:
        n.kids = [x[0], 1.0]
        n.kids[1] += 2
        m = Node(x[1])
        m.kids[0] = 7.0
        n.kid = m
    else:
        n.kid = Node(1.0)
    return n.kids, n.kid.kids


@PROGRAMS.of(*CALLS)
def a_grid_in_two_loops(x):
    m = [[0.0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            if x[i] > j:
                m[i][j] = x[i]
            else:
                m[i] = [5.0, 5.0]
    return m


@PROGRAMS.of(
    (np.array([1.0, 2.0]), [[1.0, 2.0], [3.0, 4.0]]),
    (np.array([-1.0, 2.0]), [[1.0, 2.0], [3.0, 4.0]]),
)
def a_list_from_outside(x, d):
    if x[0] > 0:
        d[0] = [x[0], 1.0]
        d[0][1] += 1
    return d


@PROGRAMS.of((np.array([1.0, 2.0]), {"a": {"b": 1.0}}), (np.array([-1.0, 2.0]), {"a": {"b": 1.0}}))
def a_dict_from_outside(x, d):
    if x[0] > 0:
        d["a"] = {"b": x[0]}
        d["a"]["b"] += 1
        d["a"]["c"] = 2
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


@PROGRAMS.of(*((*call, 2) for call in CALLS))
def replaced_and_changed_before_it_raises(x, n):
    root = {"p": [x[1], x[2] * 2], "q": [x[2] * 2, x[0]]}
    try:
        root["q"] = [2.5, x[1]]
        root["q"][0] = x[0]
        if x[0] > 0:
            raise ValueError
    except ValueError:
        for v in x:
            print(v)
    return root


@PROGRAMS.of(*((*call, 2) for call in CALLS))
def changed_in_a_loop_of_a_try(x, n):
    root = {"q": [x[2] * 2, x[0]]}
    try:
        root["q"] = [2.5, x[1]]
        root["q"][0] = x[0]
        if x[0] > 0:
            raise ValueError
        for v in x:
            root["q"][1] = root["q"][1] + 1
    except ValueError:
        print("a")
    return root


@PROGRAMS.of(*((*call, 2) for call in CALLS))
def an_object_replaced_in_a_loop_of_a_branch(x, n):
    root = [Pair(1.0), Pair(1.0)]
    if x[0] > 0:
        for v in x:
            root[0] = Pair(2.5)
    for i in range(n):
        root[0].v = x[0]
    return root


@PROGRAMS.of(*((*call, 2) for call in CALLS))
def an_object_replaced_in_a_branch_changed_in_a_loop(x, n):
    root = [Pair(1.0), 1]
    if x[0] > 0:
        root[0] = Pair(2.5)
    for i in range(n):
        root[0].v = x[0]
    return root


@PROGRAMS.of(*((*call, 2) for call in CALLS))
def an_object_in_an_object_replaced_in_a_loop(x, n):
    o = Pair(Pair(1.0))
    if x[0] > 0:
        for v in x:
            o.v = Pair(2.5)
    for i in range(n):
        o.v.v = x[0]
    return o


@PROGRAMS.of(*((*call, n) for call in CALLS for n in (0, 2)))
def an_object_of_a_list_in_a_variable_of_a_loop(x, n):
    root = [Pair(1.0, 1.0)]
    two = root[0]
    for _ in range(n):
        two = Pair(x[0], 2.5)
    return root, two


test_program = PROGRAMS.test()
