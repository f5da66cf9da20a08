"""Containers that a body changes raise Python's own exceptions: of those of a `raise`, all stays known."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
ITEMS = ([1.0, 3.0, 9.0], 2), ([-1.0, 3.0, 9.0], 6), ([-1.0, 1.0, 1.0], 3)
case = PROGRAMS.of(*[(np.array(items), n) for items, n in ITEMS])


class Fault(ValueError):
    def __init__(self, code, v):
        super().__init__(f"fault {code}")
        self.code = code
        self.v = v


class Point:
    def __init__(self, x):
        self.x = x


@case
def a_list_of_kinds(x, n):
    items = [x[0], "x"]
    found = x[0]
    try:
        if x[1] > 2:
            items.append(n)
        for v in items:
            print(v)
        if x[0] > 0:
            raise Fault(n, x[1])
    except Fault as error:
        found = error.v
    return found, items


@case
def a_dict_and_a_set(x, n):
    counts, seen = {}, set()
    found = x[0]
    try:
        if x[1] > 2:
            counts[n] = x[1]
            seen.add(n)
        counts[n % 3] = counts.get(n, 0.0)
        if x[0] > 0 and n not in seen:
            raise Fault(n, x[1])
        counts[7] = counts[n + 1]
    except Fault as error:
        found = error.v
    except KeyError as error:
        print("missing", error.args)
    return found, counts, seen


@case
def a_list_of_objects(x, n):
    points = []
    found = x[0]
    try:
        for v in x:
            if v > 2:
                points.append(Point(v))
        if x[0] > 0:
            raise Fault(n, x[1])
        found = points[-1].x
        points[0].x += 1
    except Fault as error:
        found = error.v
    except IndexError:
        found = x[2]
    return found, [point.x for point in points]


test_program = PROGRAMS.test()
