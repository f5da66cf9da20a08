"""A list or dict of the function that is stored in two places outside is one object there."""

import collections

import pytest

from tests.differential import check_scenario
from tests.spread import spread


class Pair:
    def __init__(self, v, held=None):
        self.v = v
        self.held = held


class World:
    def __init__(self):
        self.first = self.second = None
        self.items = []
        self.table = {}


def an_attribute_and_a_list(world, held, n):
    world.items.append(held)
    world.first = held


def a_part_of_a_tuple(world, held, n):
    world.first = held
    world.second = (n, held)


STORES = [
    an_attribute_and_a_list,
    a_part_of_a_tuple,
]


def a_dict(n):
    return {"a": n}


def perhaps_a_list(n):
    return [n] if n > 2 else None


def perhaps_a_set(n):
    return {5, 7} if n > 2 else None


def an_ordered_dict(n):
    return collections.OrderedDict(a=5)


MAKERS = [a_dict, perhaps_a_list]
MAKERS += [perhaps_a_set, an_ordered_dict]


def reached(value, found):
    """All lists, dicts, sets and deques that hang on it."""
    if isinstance(value, Pair):
        reached(value.held, found)
    elif isinstance(value, list | dict | tuple | set | collections.deque):
        if not isinstance(value, tuple):
            found.append(value)
        for part in value.values() if isinstance(value, dict) else value:
            reached(part, found)
    return found


@pytest.mark.parametrize(("store", "make"), spread(STORES, MAKERS))
def test_it_is_one_object(store, make):
    def scenario(function):
        world = World()

        @function
        def f(n):
            store(world, make(n), n)

        seen = []
        for n in (3, 1, 4):
            f(n)
            found = reached([world.first, world.second, world.items, world.table], [])
            seen.append([[int(a is b) for a in found] for b in found])
            seen.append(repr(found))
        return seen

    check_scenario(scenario)
