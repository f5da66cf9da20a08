"""`copy.copy` and `copy.deepcopy` of objects from outside."""

import copy
import dataclasses

import numpy as np
import pytest

from autograph.errors import StagingError
from tests.differential import check_scenario

X = np.arange(4)


class Plain:
    def __init__(self, *items):
        self.items = list(items)
        self.n = 1


class Slotted:
    __slots__ = ("a", "b")


@dataclasses.dataclass(slots=True)
class Record:
    a: int
    b: list


class Numbers(list):
    def __init__(self, *items):
        super().__init__(*items)
        self.tag = 1


class Table(dict):
    pass


class Count(int):
    pass


def test_a_list_in_it_changes():
    def f(decorate):
        held = Plain(1)

        @decorate
        def f(x):
            for v in x:
                if v > 1:
                    held.items.append(v)
            deep, shallow = copy.deepcopy(held), copy.copy(held)
            deep.items.append(9)
            return deep.items, held.items, deep.n, shallow.items is held.items

        return f(X), f(X), held.items

    check_scenario(f)


def test_slots():
    def records(decorate):
        held = Record(1, [2])

        @decorate
        def f(x):
            other, deep = dataclasses.replace(held, a=5), copy.deepcopy(held)
            deep.b.append(x[0])
            held.b.append(3)
            return other, deep, copy.copy(held)

        return f(X), f(X), held

    def some_unset(decorate):
        held = Slotted()
        held.a = [1]

        @decorate
        def f(x):
            made = copy.copy(held)
            return made.a, hasattr(made, "b"), x[0]

        results = [f(X)]
        held.b = 3
        results.append(f(X))
        del held.a
        held.a = 2
        return [*results, f(X)]

    def set_in_the_call(decorate):
        held = Slotted()
        held.a = [1]

        @decorate
        def f(x):
            held.b = x.sum()
            if x[0] > 0:
                held.a.append(3)
            made = copy.deepcopy(held)
            made.a.append(7)
            return made.a, held.a, made.b

        return f(X), f(X + 1), f(X), held.a, held.b

    for scenario in (records, some_unset, set_in_the_call):
        check_scenario(scenario)


@pytest.mark.parametrize("made", [Numbers([1, 2]), Table(a=1), Count(5)], ids=repr)
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_what_a_builtin_holds_is_not_lost(made, way):
    """The copy of a list of the user's class had no items."""
    made.extra = 2

    def scenario(decorate):
        @decorate
        def f(x):
            return way(made), x[0]

        return f(X), f(X)

    assert not check_scenario(scenario, may_refuse=True)


def test_what_derives_from_a_list_is_refused():
    import runtime as rt

    items = Numbers([1])
    with pytest.raises(StagingError, match="a Numbers is copied, which is more than its attributes"):
        rt.function(lambda x: (copy.copy(items), x))(X)
