"""Objects that the body of a `try` makes, and that its handlers or what follows look at."""

import dataclasses

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


@dataclasses.dataclass
class Pair:
    x: float
    y: float = 0.0


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


@PROGRAMS.of(*CALLS)
def in_a_loop(x):
    for k in range(len(x)):
        try:
            pair = Pair(x[k], 2.0)
            pair.y = 1 / pair.x if pair.x != 0 else x[9]
        except IndexError as error:
            print("caught", error, pair)
            pair.y = -1.0
        print(pair)
    return pair


@PROGRAMS.of(*CALLS)
def an_exception_made_there_and_raised_later(x):
    try:
        late = ValueError(x[0])
        if x[1] < 0:
            raise late
        return x[5]
    except IndexError:
        return late.args
    except ValueError as error:
        return error is late, error == late, error in (late, None), len({error, late})


test_made_in_try = PROGRAMS.test()
