"""Every case of nasty meaning: as plain Python, or in refused.py and refused properly."""

import numpy as np
import pytest

from tests.differential import ENGINES, check, decorator
from tests.semantics import (
    algorithms,
    arrays,
    attributes,
    effects,
    identity,
    iterators,
    leaving,
    numbers,
    objects,
    state,
)
from tests.semantics.cases import CASES
from tests.semantics.refused import REFUSED

MODULES = (algorithms, arrays, attributes, effects, identity, iterators, leaving, numbers, objects, state)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", sorted(CASES))
def test_case(name, engine):
    refused = name in REFUSED
    ran = CASES[name].run(engine, may_refuse=refused)
    assert ran != refused, f"{name!r} works now on {engine}: take it out of refused.py"


@pytest.mark.parametrize("name", sorted(CASES))
def test_converted_on_plain_values(name):
    CASES[name].run("convert")


def test_a_loop_is_staged_first_and_unrolled_after_all():
    """On one engine: what is unrolled takes the cube of the length, and both engines get the same graph."""
    assert check(objects.an_object_in_an_object, (objects.LONG[:33],), engines=["numpy"])


@pytest.mark.parametrize("engine", ENGINES)
def test_staged_ints_past_64_bits_are_an_error(engine):
    def power_of_two(n):
        value = 1
        for _ in range(n):
            value = value * 2
        return value

    f = decorator(engine)(power_of_two)
    assert f(np.int64(62)) == 2**62
    for n in (63, 64, 70):
        with pytest.raises(OverflowError, match="does not fit in 64 bits"):
            f(np.int64(n))


def test_refused_cases_are_cases():
    assert set(REFUSED) <= set(CASES)
