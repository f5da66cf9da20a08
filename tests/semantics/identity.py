"""Identity: `is` between things that a staged condition chose."""

import enum

from tests.features.registry import floats
from tests.semantics.cases import case

X, Y, Z = floats(3, -1, 4), floats(-2, 7, -1), floats(0, 1, 2)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def up(v):
    return v + 1


def down(v):
    return v - 1


@case(X, Y, Z)
def a_chosen_function_is_that_function(x):
    g = up if x[0] > 0 else down
    if g is up:
        return g(x[0])
    return g(x[1])


@case(X, Y, Z)
def an_enum_member_is_the_state_of_a_machine(x):
    state = Color.RED
    for v in x:
        if state is Color.RED and v < 0:
            state = Color.BLUE
        elif state is not Color.RED and v > 0:
            state = Color.RED
    return state is Color.RED, state


@case(X, Y, Z)
def a_flag_is_true(x):
    flag = False
    for v in x:
        if float(v) > 3:
            flag = True
    if flag is True:
        return 1
    return 0 if flag is False else 5


@case(X, Y, Z)
def two_choices_are_the_same(x):
    first = up if x[0] > 0 else down
    second = up if x[1] > 0 else down
    return first is second, first is not second


@case(X, Y, Z)
def a_list_chosen_by_a_condition_is_that_list(x):
    a, b = [1.0], [2.0]
    c = a if x[0] > 0 else b
    c.append(x[1])
    return c is a, c is b, a, b
