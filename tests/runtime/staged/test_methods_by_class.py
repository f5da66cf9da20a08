"""Methods of numbers that are called by their class, or by their special name: right, or refused."""

import itertools

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.modules import module_of
from tests.programs import Programs

PROGRAMS = Programs()
ROWS = (np.array([1.5, -2.0, 3.0]),), (np.array([2.0, 7.0, 0.5]),), (np.array([4.0, 0.0, -1.0]),)


@PROGRAMS.of(*ROWS)
def texts_by_their_special_name(x):
    n = int(x[0])
    return n.__repr__(), x[0].__repr__(), (n > 2).__repr__(), n.__str__()


@PROGRAMS.of(*ROWS)
def bounds_of_slices(x):
    n = int(abs(x[0]))
    found = [list(itertools.islice([1, 2, 3], n)), list(itertools.islice([1, 2, 3], n > 1))]
    for bound in (x[0], float(x[0])):
        try:
            found.append(list(itertools.islice([1, 2, 3], bound)))
        except ValueError:
            found.append("no stop")
        try:
            found.append(list(itertools.islice([1, 2, 3], bound, 3)))
        except ValueError:
            found.append("no start")
    return found


test_program = PROGRAMS.test()


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (5).__sub__(int(x[0])),
        lambda x: int.__add__(int(x[0]), 1),
        lambda x: float.__mul__(2.0, x[0]),
        lambda x: list(map(float.__abs__, [float(x[0])])),
        lambda x: object.__repr__(x[0]),
        lambda x: float.hex(float(x[0])),
        lambda x: (x[0], 2).__repr__(),
        lambda x: ValueError(x[0]).__str__(),
        lambda x: Exception.__repr__(ValueError(x[0])),
        lambda x: dict.__repr__({1: x[0]}),
    ],
)
def test_what_knows_plain_numbers_only_is_refused(program):
    with pytest.raises(autograph.StagingError, match="is not converted|is not supported|no trace sees"):
        rt.function(program)(np.ones(2))


@pytest.mark.parametrize("program", [lambda flag: np.zeros(flag), lambda flag: np.ones((flag, 2))])
def test_a_bool_as_a_length_is_refused(program):
    with pytest.raises(TypeError):
        program(True)
    with pytest.raises(autograph.StagingError, match="a staged bool is given as a length"):
        rt.function(lambda x: program(bool(x[0] > 0)))(np.ones(2))


@pytest.mark.parametrize("name", ["__array_interface__", "__array_struct__", "__setstate__"])
def test_what_numpy_s_protocols_read_is_refused(name):
    f = module_of(f"def f(x):\n    return x[0].{name}\n")["f"]
    with pytest.raises(
        autograph.StagingError, match=f"the attribute `{name}` of a staged f64 is not supported"
    ):
        rt.function(f)(np.ones(2))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_the_memory_of_a_value_is_refused(kind):
    with pytest.raises(autograph.StagingError, match=rf"{kind.__name__}\(\) of a staged value"):
        rt.function(lambda x: kind(x))(np.ones(2))
