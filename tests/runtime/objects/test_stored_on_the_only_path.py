"""An object that is made and stored outside on the only path that goes on, and is used after it."""

import pytest

from tests.differential import check_scenario


class Leaf:
    def __init__(self, v):
        self.v = v


last: object = None


def guarded_by_a_raise(n):
    global last
    if n > 2:
        raise ValueError(n)
    else:
        last = Leaf(n)
    return last


def guarded_by_an_inner_raise(n):
    global last
    made = None
    if n > 2:
        if n != 3:
            raise AssertionError("too large")
        made = Leaf(-n)
    else:
        made = Leaf(n)
        last = made
    return made


def guarded_by_what_fails(n):
    global last
    if n > 2:
        return last.nothing
    last = Leaf(n)
    last.v += 1
    return last


def guarded_by_an_index(n):
    global last
    made = None
    if n > 2:
        _ = [][n]
    else:
        made = Leaf(n)
        last = made
    made.v += 1
    return made


PROGRAMS = [guarded_by_a_raise, guarded_by_an_inner_raise, guarded_by_what_fails, guarded_by_an_index]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_is_one_object(program):
    def scenario(function):
        global last
        last = None
        f, seen = function(program), []
        for n in (1, 3, 2, 5):
            try:
                found = f(n)
            except (ValueError, AssertionError, AttributeError, IndexError) as error:
                seen.append(repr(error))
            else:
                seen += [found is last, found.v, last and last.v]
        return seen

    check_scenario(scenario)
