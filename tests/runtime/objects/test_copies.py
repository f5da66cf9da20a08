"""`copy.copy` and `copy.deepcopy` of objects, from outside and made inside."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph.errors import StagingError
from tests.differential import check, check_scenario
from tests.programs import Programs

X = np.arange(4)


class Plain:
    def __init__(self, *items):
        self.items = list(items)
        self.n = 1


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


CALLS = [(np.int64(n),) for n in (1, 3, 0)]


class Deep:
    def __init__(self, v):
        self.v = v

    def __deepcopy__(self, memo):
        return Deep(copy.deepcopy(self.v, memo))


class Shallow:
    def __init__(self, v):
        self.v = v

    def __copy__(self):
        return Shallow(self.v)


class Own(list):
    pass


@pytest.mark.parametrize(
    "made, words",
    [
        (Deep, "a Deep is copied, whose class says itself how: `__deepcopy__`"),
        (Shallow, "a Shallow is copied, whose class says itself how: `__copy__`"),
    ],
)
def test_what_no_attributes_tell_is_refused(made, words):
    with pytest.raises(StagingError, match=words):
        rt.function(lambda n: copy.deepcopy([made([n])]))(np.int64(1))
    with pytest.raises(StagingError, match=r"a Own is copied, which is more than its attributes \(a list\)"):
        rt.function(lambda items: copy.deepcopy(items))(Own([1.0]))


def mixed(n):
    found = ["a", 2.5]
    for i in range(n):
        found.append(i)
        found.append("b")
    return found


def copies_of_a_mixed_list(n):
    found = mixed(n)
    last = found[-1]
    return copy.deepcopy(found), [copy.deepcopy(one) for one in found], copy.deepcopy([last, last, str(n)])


def test_items_of_which_only_a_run_knows_the_class():
    assert check(copies_of_a_mixed_list, *CALLS)


PROGRAMS = Programs()

scenario = PROGRAMS.scenario


@scenario
def namespace_outer(function):
    st = SimpleNamespace(count=0, last=None)

    @function
    def f(x):
        st.count += 1
        if x > 0:
            st.last = x
        print(st, isinstance(st, SimpleNamespace), hasattr(st, "foo"), st == None)  # noqa: E711
        return st.count, st.last

    r = [f(1.0), f(-2.0), f(3.0)]
    return r, st


def test_one_that_is_made_inside_is_refused():
    with pytest.raises(autograph.StagingError, match=r"is made inside\n(.*\n)*hint: define a class outside"):
        rt.function(lambda x: SimpleNamespace(x=x))(1.0)


test_program = PROGRAMS.test()
