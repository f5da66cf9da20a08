"""Objects that the body of a `try` makes, and that its handlers or what follows look at."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
CALLS = ((np.array([0.0, -2.0, -2.0, 4.0]),), (np.array([1.0, 2.0, 3.0, 4.0]),))


class Box:
    made = 0

    def __init__(self, x):
        self.x = x


class Counted:
    made = 0

    def __init__(self, x):
        Counted.made += 1
        self.x = x


@PROGRAMS.of(*CALLS)
def with_two_names(x):
    items = []
    try:
        box = Box(x[0])
        other = box
        items.append(box)
        other.x += 1
        y = x[5]
    except IndexError:
        y = 0.0
        other.x += 1
    return box.x, other.x, y, box is other, items[0] is box


test_made_in_try = PROGRAMS.test()
