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


def two_attributes(world, held, n):
    world.first = held
    world.second = held


def an_attribute_and_an_item(world, held, n):
    world.first = held
    world.table["k"] = held


def an_attribute_and_a_list(world, held, n):
    world.items.append(held)
    world.first = held


def a_part_of_a_tuple(world, held, n):
    world.first = held
    world.second = (n, held)


def a_part_of_an_object(world, held, n):
    world.first = held
    world.second = Pair(n, held)


def twice_in_one(world, held, n):
    world.first = [held, held]


def in_two_turns(world, held, n):
    for _ in range(2):
        world.items.append(held)


def on_a_path(world, held, n):
    world.first = held
    if n > 2:
        world.items.append(held)


STORES = [
    two_attributes,
    an_attribute_and_an_item,
    an_attribute_and_a_list,
    a_part_of_a_tuple,
    a_part_of_an_object,
    twice_in_one,
    in_two_turns,
    on_a_path,
]


def a_list(n):
    return [n]


def a_dict(n):
    return {"a": n}


def one_of_two_lists(n):
    if n > 2:
        return [n]
    return [n, n]


def perhaps_a_list(n):
    return [n] if n > 2 else None


def a_list_in_a_list(n):
    return [[n]]


def a_deque(n):
    return collections.deque([n])


def a_set_of_constants(n):
    return {5, 7}


def perhaps_a_set(n):
    return {5, 7} if n > 2 else None


def an_ordered_dict(n):
    return collections.OrderedDict(a=5)


def a_counter(n):
    return collections.Counter("aba")


def a_defaultdict(n):
    return collections.defaultdict(int, a=5)


MAKERS = [a_list, a_dict, one_of_two_lists, perhaps_a_list, a_list_in_a_list, a_deque]
MAKERS += [a_set_of_constants, perhaps_a_set, an_ordered_dict, a_counter, a_defaultdict]


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
