"""A list or dict that staged control flow stores in something outside is one object for all its names."""

import pytest

from tests.differential import check_scenario
from tests.spread import spread


class Holder:
    def __init__(self, held):
        self.held = held


def stored_by_a_loop(n, o, make):
    for i in range(n):
        if i % 2:
            o.held = make(i)


def stored_by_a_while(n, o, make):
    while n > 0:
        n -= 1
        if n == 1:
            o.held = make(n)
            break


def stored_by_a_handler(n, o, make):
    try:
        o.held = make(n)
        if n > 2:
            raise ValueError
    except ValueError:
        o.held = make(-n)


STORES = [stored_by_a_loop, stored_by_a_while, stored_by_a_handler]
CONTAINERS = {
    "list": (lambda v: [v], lambda held: held),
    "list of known length": (lambda v: [1, 2], lambda held: held),
    "dict": (lambda v: {"a": v}, lambda held: held),
    "list in a tuple": (lambda v: (v, [v]), lambda held: held[1]),
    "list in a dict": (lambda v: {"a": [v]}, lambda held: held["a"]),
    "list in a tuple in a list": (lambda v: [(v, [v])], lambda held: held[0][1]),
}


@pytest.mark.parametrize(("kind", "store", "before"), spread([*CONTAINERS], STORES, [None, 0, "known"]))
def test_what_is_returned_is_what_is_held(store, kind, before):
    make, part = CONTAINERS[kind]

    def scenario(function):
        o = Holder(make(5) if before == "known" else before)

        @function
        def f(n):
            store(n, o, make)
            return part(o.held)

        seen = []
        for n in (3, 2, 4):
            found = f(n)
            seen += [found is part(o.held), repr(o.held)]
            found.clear()  # through one name, for both
            seen.append(repr(o.held))
            o.held = make(5)
        return seen

    check_scenario(scenario)


table: object = None
