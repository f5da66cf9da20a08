"""A 0-d array on one path and a number on another: only one of the two can be written, so they stay apart."""

from __future__ import annotations

import numpy as np
import pytest

from tests.differential import ENGINES, Call, check
from tests.programs import Programs

PROGRAMS = Programs()
case = PROGRAMS.of((np.float64(1.0),), (-1.5,), (2.0,), (np.float64(-2.5),))


def array_or_number(x):
    return np.asarray(x * 2) if x > 0 else x + 1


def number_or_array(x):
    return np.float64(x * 2) if x > 0 else np.array(3.0)


@case
def is_returned(x):
    return array_or_number(x), [number_or_array(x)]


@case
def says_what_it_is(x):
    y, z = array_or_number(x), number_or_array(x)
    return type(y).__name__, isinstance(z, np.ndarray), hasattr(y, "shape"), repr(z), f"{y:.2f}", y.real


@case
def is_written_in_place(x):
    y = array_or_number(x)
    kept = y
    y += 1
    z = number_or_array(x)
    both = [z, z]
    both[0] *= 2
    return kept, y, both


@case
def is_a_key_where_it_is_a_number(x):
    return {array_or_number(x): 1}


@case
def is_found_by_a_loop(x):
    y = 0.0
    for i in range(3):
        if x < i:
            y = np.asarray(x)
    return y


def accumulated(x):
    total = np.array(0.0)
    for item in x:
        total = total + item
    return total


test_program = PROGRAMS.test()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sum_that_begins_as_an_array_ends_as_a_number(engine):
    check(accumulated, Call(np.arange(3.0)), Call(np.zeros(0)), engines=[engine])
