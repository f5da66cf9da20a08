"""An object that one path changes and another stores outside is one object, with the changes of its path."""

import dataclasses

import pytest

from tests.differential import check_scenario


class Node:
    def __init__(self, v, after=None):
        self.v = v
        self.after = after


class Slotted:
    __slots__ = ("after", "v")

    def __init__(self, v):
        self.v = v
        self.after = None


@dataclasses.dataclass
class Record:
    v: float
    after: object = None


class Shelf:
    kept = last = None


def branch(n, a, shelf):
    if n > 1:
        a.v += 5
    else:
        shelf.kept = a
    return a


def stored_first(n, a, shelf):
    if n > 1:
        shelf.kept = a
    else:
        a.after = 7
    a.v += 1
    return a


def nested(n, a, shelf):
    if n > 0:
        if n > 2:
            a.v = 9
        else:
            shelf.kept = a
    else:
        a.v = 3
    if n != 1:
        shelf.last = a
    return a


def matched(n, a, shelf):
    match n:
        case 1:
            a.v = 5
        case 3:
            shelf.kept = a
        case _:
            a.v = 8
            shelf.kept = a
    return a


def early_return(n, a, shelf):
    if n > 1:
        a.v = 5
        return a
    shelf.kept = a
    return a


def in_functions(n, a, shelf):
    def keep():
        shelf.kept = a

    def change():
        a.v = 4

    change() if n > 1 else keep()
    return a


def in_a_part_of_another(n, a, shelf):
    holder = Node(n, a)
    if n > 1:
        a.v = 6
    else:
        shelf.kept = holder
    return holder.after


def in_a_loop(n, a, shelf):
    for i in range(n):
        if i % 2:
            shelf.kept = a
        else:
            a.v += 1
    return a


def around_a_try(n, a, shelf):
    try:
        if n > 1:
            a.v = 5
            raise ValueError
        shelf.kept = a
    except ValueError:
        a.after = 1
    return a


def parts(one):
    """An object, and the one that it holds."""
    return [] if not hasattr(one, "after") else [one, *parts(one.after)]


FORMS = [
    branch,
    stored_first,
    nested,
    matched,
    early_return,
    in_functions,
    in_a_part_of_another,
    in_a_loop,
    around_a_try,
]


@pytest.mark.parametrize("cls", [Node, Slotted, Record])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_it_is_one_object_with_its_changes(form, cls):
    def scenario(function):
        shelf, seen = Shelf(), []

        @function
        def f(n):
            return form(n, cls(n), shelf)

        for n in (3, 1, 0, 2):
            found = f(n)
            held = [part for one in (shelf.kept, shelf.last) for part in parts(one)]
            seen.append([one.v for one in (found, *held)])
            seen.append([one is found for one in held])
        return seen

    check_scenario(scenario)
