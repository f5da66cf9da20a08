"""Loops over lists and dicts whose items the trace knows, which the body changes."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array([3.0, 1.0, 2.0, 5.0]),), (np.array([-3.0, 2.0, 1.0, 1.0]),)]


class Held:
    """What an object holds is a list, or a dict, of the run."""

    def __init__(self):
        self.items = [1.0, 2.0, 3.0]
        self.table = {"a": 1.0, "b": 2.0, "c": 3.0}


@PROGRAMS.of(*CALLS)
def values_are_read_in_their_turn(x):
    held, found = Held(), []
    for key, value in held.table.items():
        found.append(value)
        if x[0] > 0:
            held.table["b"] = value + x[0]
        held.table["c"] = found[0] * 9
    for value in held.table.values():
        held.table["c"] += value
    return found, held.table, [key for key in held.table]


@PROGRAMS.of(*CALLS)
def a_key_under_a_condition(x):
    held = Held()
    for _ in held.table:
        if x[0] > 0:
            held.table["new"] = 1.0
    return held.table


@PROGRAMS.of(*CALLS)
def a_key_always(x):
    held = Held()
    for _ in held.table:
        held.table["new"] = x[0]
    return held.table


@PROGRAMS.of(*CALLS)
def left_after_the_new_key(x):
    held, count = Held(), 0
    for key in held.table:
        count += 1
        if key == "b" and x[0] > 0:
            held.table["new"] = 1.0
            break
    return count, held.table


@PROGRAMS.of(*CALLS)
def a_list_that_grows(x):
    held, found = Held(), []
    for value in held.items:
        found.append(value)
        if len(held.items) < 5:
            held.items.append(value + x[0])
    return found, [held.items.pop() + value for value in held.items]


@PROGRAMS.of(*CALLS)
def items_that_change_ahead(x):
    held, found = Held(), []
    for place, value in enumerate(held.items):
        found.append((place, value))
        held.items[2] = value * x[0]
    return found, held.items


test_program = PROGRAMS.test()


def taken_out(x):
    held = Held()
    for _ in held.table.keys():
        if x[0] > 0:
            held.table.pop("c", None)
    return held.table


def numbered(x):
    held = Held()
    for _ in enumerate(held.table):
        held.table["new"] = x[0]
    return held.table


def made_before(x):
    held = Held()
    pairs = enumerate(held.items)
    held.items.append(x[0])
    return list(pairs)


def of_a_run(x):
    items = []
    for value in x:
        if value > 0:
            items.append(value)
    pairs = zip(items, items, strict=False)
    items.append(4.0)
    return list(pairs)


@pytest.mark.parametrize("program", [taken_out, numbered, of_a_run])
def test_refused(program):
    with pytest.raises(StagingError, match="changes its length|has changed its length"):
        rt.function(program)(*CALLS[0])


def test_an_iterator_sees_what_is_added_after_it_was_made():
    check(made_before, *CALLS)
