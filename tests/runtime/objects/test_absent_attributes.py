"""Attributes that one path makes or deletes: asked for, deleted, returned, stored, copied, raised."""

import numpy as np
import pytest

import runtime as rt
from tests.programs import Call, Programs

PROGRAMS = Programs()

of = PROGRAMS.of

SIZES = [(np.array([3]),), (np.array([0]),), (np.array([5]),)]


class Item:
    k = 5

    def __init__(self, v=0):
        self.v = v

    @property
    def checked(self):
        if self.v < 3:
            raise AttributeError("small")
        return self.v


class Dynamic(Item):
    def __getattr__(self, name):
        if name == "big":
            if self.v > 3:
                return self.v * 10
            raise AttributeError(name)
        if name.startswith("is_"):
            return name
        raise AttributeError(name)


def with_item(make):
    return [Call(np.array([n]), make()) for n in (3, 0, 5)]


@of(*SIZES)
def returned(x):
    n = int(x[0])
    made, deleted = Item(), Item()
    if n > 2:
        made.extra = n
        del deleted.v
    return made, deleted


@of(*with_item(Item))
def deleted(x, outside):
    said = []
    for item in (Item(), outside):
        if x[0] > 2:
            item.extra = 1
        for _ in range(2):
            try:
                del item.extra
            except AttributeError as error:
                said.append(str(error))
    return said


@of(*with_item(Item), *with_item(Dynamic))
def asked_for(x, outside):
    n = int(x[0])
    found = []
    for item in (Item(n), Dynamic(n), outside):
        item.v = n
        if n > 2:
            item.k = n
        found.append((hasattr(item, "checked"), getattr(item, "checked", "none")))
        found.append((hasattr(item, "k"), getattr(item, "k", 0), item.k))
        found.append((hasattr(item, "big"), getattr(item, "big", 0), getattr(item, "is_it", 1)))
    return found


@of(*SIZES)
def one_path_stores_what_getattr_gives(x):
    item = Dynamic(int(x[0]) + 4)
    if x[0] > 2:
        item.big = 1
    return item.big


KEPT = []


class Leaf:
    def __init__(self, v):
        self.v = v
        self.n = 0


def of_a_chosen_value(n):
    leaf = Leaf([n] if n > 1 else None)
    if n < 5:
        KEPT.append(leaf)
    return leaf


def of_one_that_a_path_sets_first(n):
    leaf = Leaf(n)
    if n > 1:
        leaf.first = 1
    KEPT.append(leaf)
    leaf.last = 2
    return leaf


@pytest.mark.parametrize("program", [of_a_chosen_value, of_one_that_a_path_sets_first])
def test_of_an_object_that_is_kept(program):
    decorated = rt.function(program)
    for n in (2, 0, 7):
        assert list(vars(decorated(np.int64(n)))) == list(vars(program(np.int64(n))))


test_program = PROGRAMS.test()
