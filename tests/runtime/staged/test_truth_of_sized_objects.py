"""The truth of a range and of the views of a dict is that of their length; an iterator is always true."""

import itertools
import operator

import numpy as np

from tests.differential import check
from tests.modules import module_of
from tests.programs import Programs

PROGRAMS = Programs()
Y = np.array([1, 2])


@PROGRAMS.of((0,), (2,))
def of_a_range(n):
    no_more = [v for v in [0] if range(n)]
    return 1 if range(n) else 2, bool(range(n)), not range(n), range(n) or None, range(n) and 5, no_more


@PROGRAMS.of((0, 0, 1), (0, 3, 1), (3, 0, 1), (3, 0, -1))
def of_a_range_with_a_step(start, stop, step):
    return bool(range(start, stop, step))


@PROGRAMS.of((0,), (2,))
def in_a_while(n):
    r, turns = range(n), 0
    while r:
        r, turns = r[1:], turns + 1
    return turns


@PROGRAMS.of((0,), (2,))
def in_a_guard(n):
    match n:
        case int() if range(n):
            return 1
        case _:
            return 2


@PROGRAMS.of((0,), (2,))
def asked_by_a_function(n):
    known = [range(n)]
    asked = operator.truth(range(n)), operator.not_(range(n)), any(known), all(known)
    return *asked, list(filter(None, known)), list(map(bool, known))


@PROGRAMS.of((1,), (2,))
def of_a_range_or_none(n):
    r = range(n - 1) if n < 3 else None
    return 1 if r else 2


@PROGRAMS.of((0,), (2,))
def of_views(n):
    d = {i: i for i in range(n)}
    return (
        bool(d.keys()),
        bool(d.values()),
        not d.items(),
        any([d.keys()]),
        operator.truth(d.items()),
        bool(d),
    )


@PROGRAMS.of((0,), (2,))
def of_a_view_in_an_if(n):
    d = {i: i for i in range(n)}
    if not d.keys():
        raise ValueError
    return 1


@PROGRAMS.of((0,), (2,))
def of_iterators(n):
    d = {i: i for i in range(n)}
    yes = [bool(enumerate(range(n))), bool(zip(range(n))), bool(reversed(range(n))), bool(map(abs, range(n)))]
    return yes, 1 if iter(d) else 2, bool(iter(range(n))), not itertools.count(n)


@PROGRAMS.of((1, Y), (0, Y))
def any_stops_where_it_is_decided(n, y):
    return any([n, y])


@PROGRAMS.of((1, Y), (0, Y))
def all_stops_where_it_is_decided(n, y):
    return all((n, y))


@PROGRAMS.of((Y,))
def known_items_decide(y):
    return all([0, y]), any([1, y]), any({0: 1, 1: y}.values())


test_program = PROGRAMS.test()


def test_an_assert() -> None:
    # Made of a text, for pytest writes other messages into the asserts of its modules.
    check(module_of("def f(n):\n    assert range(n)\n    return 1\n")["f"], (0,), (2,))
