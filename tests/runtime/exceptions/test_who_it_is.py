"""Python's own exceptions are objects of the run, whoever made them: what is who, and what each holds."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
case = PROGRAMS.of(*[(np.array(x),) for x in ([1.0, 2.0], [2.0, -1.0], [-3.0, 1.0])])


def caught(x):
    """An exception, and the one that is caught: the same, or an equal one."""
    made = ValueError("a", x[0])
    try:
        if x[1] > 0:
            raise made
        raise ValueError("a", x[0])
    except ValueError as error:
        return made, error


@case
def what_it_holds(x):
    made, error = caught(x)
    made.code = x[1]
    made.args = [*made.args, "more"]
    return getattr(error, "code", 0), error.args, made.args, str(error)


@case
def the_last_of_several(x):
    last = None
    for v in x:
        try:
            if v > 1.5:
                raise ValueError("big", v)
            if v < 0:
                raise KeyError(v)
        except (ValueError, KeyError) as error:
            last = error
    return last is None, str(last), type(last).__name__


test_as_python = PROGRAMS.test()


@pytest.mark.parametrize("kind", [ValueError, type("Own", (Exception,), {})])
def test_its_hash_is_refused(kind):
    def f(x):
        return hash(kind(x[0])) == 3

    with pytest.raises(StagingError, match=f"asks for the hash of a {kind.__name__} that only a run knows"):
        rt.function(f)(np.array([1.0]))


def test_no_object_is_made_for_a_raise_alone():
    def f(x):
        if x[0] > 5:
            raise ValueError("big", x[0])
        try:
            if x[0] > 0:
                raise KeyError(x[1])
        except KeyError:
            return x[1]
        return x[0]

    graph = rt.function(f).get_concrete_function(np.array([1.0, 2.0])).optimized
    assert not [op for op in graph.operations() if op.name.startswith("object.")]
