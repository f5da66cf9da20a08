"""The state of a random generator is no value of a trace: code that reads it is refused, where it stands."""

from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()


def state_of(rng: Any) -> Any:
    return rng.bit_generator.state["state"]["state"]


def test_of_a_generator_from_outside() -> None:
    rng = np.random.default_rng(3)

    @rt.function
    def from_outside(x: float) -> Any:
        return rng.random() + x, state_of(rng)

    @rt.function
    def argument(rng: Any, x: float) -> Any:
        return state_of(rng), x

    for call in (lambda: from_outside(1.0), lambda: argument(rng, 1.0)):
        with pytest.raises(StagingError, match="the state of `rng` is read, which no hook sees") as caught:
            call()
        assert caught.value.line == state_of.__code__.co_firstlineno + 1


def test_of_bits_and_of_a_generator_made_inside() -> None:
    bits = np.random.PCG64(3)
    with pytest.raises(StagingError, match="`bits` is a PCG64, and no change"):
        rt.function(lambda x: (bits.state["state"], x))(1.0)
    with pytest.raises(StagingError, match="reading `bit_generator` of a Python object"):
        rt.function(lambda x: (state_of(np.random.default_rng(3)), x))(1.0)


@PROGRAMS.scenario
def generators_are_drawn_from(function):
    rng = np.random.default_rng(3)

    @function
    def draw(rng, x):
        return rng.random() + x

    return draw(rng, 1.0), draw(rng, 2.0)


@PROGRAMS.of((1.0,))
def no_such_method(x):
    try:
        return np.random.default_rng(3).randomly() + x
    except AttributeError as error:
        return str(error)


test_program = PROGRAMS.test()
