"""`==` and the operators of sets between containers that only a run knows and others like them."""

import collections
import collections.abc
import functools

import numpy as np
import pytest

from tests.differential import Refused, check
from tests.modules import module_of

CALLS = [(np.int64(n),) for n in (1, 3, 0)]


class Row(list):
    pass


class Table(dict):
    pass


class Sized:
    def __eq__(self, other):
        print("asked")
        return len(other) == 3

    def __ne__(self, other):
        return "ne"

    __hash__ = None


class Own(list):
    def __eq__(self, other):
        return "own"

    __hash__ = None


class Ids(collections.abc.Set):
    def __init__(self, ids):
        self.ids = ids

    def __contains__(self, one):
        return one in self.ids

    def __iter__(self):
        return iter(self.ids)

    def __len__(self):
        return len(self.ids)


class Same(Ids):
    def __eq__(self, other):
        print("same")
        return True


class Partial:
    __eq__ = functools.partialmethod(lambda self, found, other: found, "partial")


class Static:
    @staticmethod
    def __eq__(other):
        return "static"


Point = collections.namedtuple("Point", "a b")
KNOWN = {0: 0, 1: 2, 2: 4}
COUNTED = collections.Counter([0, 1])
GROWN = """
def f(n):
    items, table, members, ones = [], {{}}, set(), {{}}
    for i in range(n):
        items.append(i)
        table[i] = i * 2
        ones[i] = 1
        members.add(i)
    try:
        return {}
    except TypeError as error:
        return str(error)
"""


def checked(expression):
    names = {"KNOWN": KNOWN, "ROW": Row([0]), "TABLE": Table({0: 0}), "Sized": Sized, "OWN": Own([0])}
    names |= {
        "Point": Point,
        "COUNTED": COUNTED,
        "IDS": Ids([0]),
        "SAME": Same([7]),
        "PART": Partial(),
        "STATIC": Static(),
    }
    return check(module_of(GROWN.format(expression), **names)["f"], *CALLS)


VIEWS = """
table.keys() == KNOWN.keys(); table.keys() != {0, 1}; {0, 1} <= table.keys()
table.items() - {1}
KNOWN.keys() == table.keys(); members == table.keys(); table.keys() == SAME; table.items() == {}.items()
{(0, 0)} <= table.items(); table.keys().isdisjoint([1])
"""


OF_KEYS = "sorted(table.keys() & {1}); sorted(members | table.keys()); sorted(table.keys() - KNOWN.keys())"


@pytest.mark.parametrize("expression", OF_KEYS.split(";"))
def test_operators_of_keys(expression):
    assert checked(expression.strip())


@pytest.mark.parametrize("expression", VIEWS.replace("\n", ";").strip(";").split(";"))
def test_a_view_as_a_set_is_refused(expression):
    with pytest.raises(Refused, match=r"of this dict, as of a set\n(.*\n)*hint: make a set of it first"):
        checked(expression.strip())


EQUAL = """
members == frozenset([0, 1, 2]); frozenset([0]) != members
items == Sized(); Sized() == items
table != Sized(); members == Sized(); items == None; members == [0]; items == (0,); [0, 1, 2] == items
OWN == items; ones == COUNTED; COUNTED != ones
members == IDS; IDS == members; members != IDS
members == SAME; SAME != members
"""
#: `__eq__` is no function there, but something that gives one: no trace sees what it does
UNSEEN = "items == PART; members != PART; (table, 1) == (PART, 1); STATIC == items; items == STATIC"


@pytest.mark.parametrize("expression", EQUAL.replace("\n", ";").strip(";").split(";"))
def test_equal(expression):
    assert checked(expression.strip())


@pytest.mark.parametrize("expression", UNSEEN.split(";"))
def test_equal_by_what_is_no_function_is_refused(expression):
    with pytest.raises(Refused, match="asked for its `__eq__`"):
        checked(expression.strip())


DERIVED = "items == ROW; ROW != items; items + ROW; table == TABLE; items != OWN"


@pytest.mark.parametrize("expression", DERIVED.split(";"))
def test_a_container_of_a_derived_class_is_refused(expression):
    with pytest.raises(Refused, match="meets a (Row|Table|Own), whose class is derived from (list|dict)"):
        checked(expression.strip())
