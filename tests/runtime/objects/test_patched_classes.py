"""Methods and descriptors that a function sets or deletes: a trace refuses that."""

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.modules import module_of

WORLD = """
class Tank:
    rate = 3

    @property
    def level(self):
        return 1

    def m(self):
        return 2

def seven(self):
    return 7

def helper(v):
    return v
"""

PATCHES = {
    "a method": ("Tank.m = seven", "`m` of the class Tank"),
    "a property": ("Tank.level = property(seven)", "`level` of the class Tank"),
    "a new method": ("Tank.new = seven", "`new` of the class Tank"),
    "a value that was a method": ("Tank.m = 5", "`m` of the class Tank"),
    "a method that was a value": ("Tank.rate = seven", "`rate` of the class Tank"),
    "a method for a while": ("m = Tank.m; Tank.m = seven; Tank().m(); Tank.m = m", "`m` of the class Tank"),
    "a namespace": ("helper.__dict__['called'] = 1", "the namespace of a function"),
    "by name": ("setattr(Tank, 'm', staticmethod(helper))", "`m` of the class Tank"),
    "a namespace of a class": ("vars(Tank)['m']", "the namespace of"),
}


@pytest.mark.parametrize("when", ("", "if x[0] > 0: "))
@pytest.mark.parametrize("patch", PATCHES)
def test_refused_and_undone(patch: str, when: str) -> None:
    statement, words = PATCHES[patch]
    names = module_of(f"{WORLD}\ndef f(x):\n    {when}{statement}\n    return x\n")
    before = dict(vars(names["Tank"])), dict(vars(names["helper"]))
    with pytest.raises(autograph.StagingError) as error:
        rt.function(names["f"])(np.ones(2))
    assert words in str(error.value) and "set" in str(error.value).partition("hint: ")[2]
    assert (dict(vars(names["Tank"])), dict(vars(names["helper"]))) == before


def seven(self):
    return 7


def patch_a_class_of_its_own(x):
    class Own:
        def m(self):
            return 1

    Own.m = seven
    return Own().m() + x


def test_patches_of_a_class_that_the_trace_makes() -> None:
    with pytest.raises(autograph.StagingError, match="`m` of the class Own is a method or descriptor"):
        rt.function(patch_a_class_of_its_own)(1.0)


class Rates:
    fast = 2.0


def rate(v):
    return v


rate.last = 1.0


@pytest.mark.parametrize("name", ["Rates.fast", "rate.last"])
def test_deleted_attributes(name: str) -> None:
    names = module_of(f"def f(x):\n    del {name}\n    return x\n")
    names.update(Rates=Rates, rate=rate)
    with pytest.raises(autograph.StagingError, match=f"`{name}` is deleted, which would be") as error:
        rt.function(names["f"])(1.0)
    assert "store None there" in str(error.value.hint) and (Rates.fast, rate.last) == (2.0, 1.0)
