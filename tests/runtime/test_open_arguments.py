"""A function that stores into a dict argument under ever new keys is traced three times, not at each call."""

import warnings

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from runtime.functions.retracing import RetracingWarning
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
#: more calls than traces may be made
NAMES = ["a", "b", "c", "d", "e", "b", "f"]


def test_no_trace_at_each_call():
    @rt.function
    def put(table, name, value):
        table[name] = value * 2
        return len(table)

    table = {}
    assert [put(table, name, 1.0) for name in NAMES] == [1, 2, 3, 4, 5, 5, 6]
    assert put.trace_count == 3
    assert table == dict.fromkeys("abcdef", 2.0)
    assert [put(table, f"g{i}", 1.0) for i in range(20)] == [*range(7, 27)]
    assert put.trace_count == 3
    put(table, "h", np.ones(2))  # which holds something else from now on
    put(table, "i", np.ones(2))
    put({}, "i", 3.0)
    assert put.trace_count <= 6
    assert put(table, name="j", value=2.0) == 29
    assert put.explain()


@pytest.mark.parametrize("grows", [True, False])
def test_concrete_functions_and_entries(grows):
    @rt.function
    def put(table, name, value):
        table[name] = value
        return value + 1

    for name in NAMES:
        assert put({name: 1.0, **({"z": 2.0} if grows else {})}, name + "x", 2.0) == 3.0
    table = {"a": 1.0}
    concrete = put.get_concrete_function(table, "k", 1.0)
    assert concrete(table, "m", 4.0) == 5.0
    assert table == {"a": 1.0, "m": 4.0}


def test_dicts_that_are_only_read_are_told_of():
    @rt.function
    def f(table):
        return sum(table.values())

    with pytest.warns(RetracingWarning, match="`table` keeps changing"):
        for i in range(9):
            assert f({f"k{i}": 1.0}) == 1.0


def test_what_has_to_be_known_while_tracing_stays_a_constant():
    @rt.function
    def f(table, how, x):
        table[how] = getattr(np, how)(x)
        return table[how]

    x = np.array([1.0, 2.0, 6.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RetracingWarning)
        assert [f({}, how, x) for how in ("sum", "mean", "max", "min", "prod")] == [9.0, 3.0, 6.0, 1.0, 12.0]


def test_what_is_refused_each_time():
    @rt.function
    def f(table, name):
        table[name] = open(name)

    for name in NAMES:
        with pytest.raises(StagingError):
            f({name: 1.0}, name)


def calls(make):
    """The same dict and several, with the names one after the other."""
    return [
        make(dict(zip(NAMES[:k], map(float, range(k)), strict=True)), name) for k, name in enumerate(NAMES)
    ]


@PROGRAMS.of(*calls(lambda table, name: (table, name, 1.5)))
def counted(table, name, x):
    table[name] = table.get(name, 0.0) + x
    return list(table.items()), name in table, name.upper()


@PROGRAMS.of(*calls(lambda table, name: (table, name)))
def raises_after_the_store(table, name):
    table[name + "!"] = 1.0
    return table[name]


@PROGRAMS.of(*calls(lambda table, name: (table, name, table)))
def the_same_dict_twice(table, name, other):
    table[name] = 3.0
    return other[name], len(other), other is table


test_open_arguments = PROGRAMS.test()


def test_texts_beside_dicts_that_a_branch_asks_for():
    def f(table, name, x):
        table[name] = x if name == "c" else -x
        return table

    check(f, *calls(lambda table, name: (table, name, 1.0)))
