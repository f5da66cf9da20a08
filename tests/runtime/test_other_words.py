"""Words of other libraries: each is answered with what to write, and that is tried."""

import numpy as np
import pytest

import runtime as rt
from autograph import ArgumentError
from runtime.arguments import NAMES, OPTIONS
from tests.modules import module_of

PROGRAM = """
import numpy as np
import runtime as rt

def f(x):
    return x * 2.0

def total(x):
    return (x * x).sum()

def program(x, xs, n):
    {code}
    return x
"""


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says_what_to_write(name):
    with pytest.raises(AttributeError, match=f"'runtime' has no attribute '{name}'; write `") as caught:
        getattr(rt, name)
    _, code, where = str(caught.value).split("`")
    program = module_of(PROGRAM.format(code=code))["program"]
    if where:
        program = rt.function(program)
    assert program(np.ones(3), np.ones((2, 3)), 2).shape == (3,)


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_says_what_to_write(name):
    with pytest.raises(ArgumentError, match=f"rt.function has no option {name}=") as caught:
        rt.function(lambda x: x, **{name: True})
    hint = str(caught.value).partition("hint: ")[2]
    given = hint.removeprefix("write ") if hint.startswith("write ") else ""
    options = eval(f"dict({given})", {"rt": rt})
    assert rt.function(lambda x: x * 2, **options)(np.ones(2)).tolist() == [2.0, 2.0]


def test_an_unknown_option_is_named():
    with pytest.raises(ArgumentError, match="has no option engin=; did you mean 'engine'"):
        rt.function(engin="numpy")


def test_other_names_say_nothing():
    with pytest.raises(AttributeError, match="has no attribute 'frobnicate'$"):
        rt.frobnicate
