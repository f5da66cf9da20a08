"""Objects of classes that no trace looks into: what is asked of one is right, or refused by name.

Each protocol of Python's, by a class in C and by one of a library in Python; each by every way in. None of
their special methods runs while a function is traced: what it gave would be kept.
"""

import functools
import itertools

import pytest

import runtime as rt
from autograph import config
from autograph.errors import StagingError
from tests.long import some
from tests.runtime.foreign import library
from tests.runtime.foreign.compiled import compiled
from tests.runtime.foreign.library import CALLED, Listed, held_of
from tests.runtime.foreign.protocols import PROTOCOLS
from tests.runtime.foreign.ways import WAYS

MAKERS = {"in_python": Listed, "in_c": compiled}
ENGINES = ("native", "numpy")
config.exclude(library.__name__)


def observed(run, o):
    """What a call gives, and what it leaves in the object."""
    try:
        value = run(o)
    except StagingError:
        raise
    except Exception as error:
        value = type(error), str(error)
    return repr(value), held_of(o)


#: refused by what was asked, whatever was given
BY_CALLEE = {"fspath": "posix.fspath", "hash of a tuple": "the hash of a tuple"}


def check(kind, way, name, engine):
    """Two objects, one of which changes before a third call. Is it right? False: it is refused by name."""
    make, program = MAKERS[kind], PROTOCOLS[name]
    decorated = WAYS[way](functools.partial(rt.function, engine=engine), program)
    plain = WAYS[way](lambda f: f, program)
    first, second = [(make(*held), make(*held)) for held in ((1.0, 2.0), (5.0, 6.0, 7.0))]
    CALLED.clear()
    is_right = True
    for change, (mine, theirs) in ((0, first), (0, second), (4, second)):
        for one in (mine, theirs):
            held_of(one)[0] += change
        try:
            assert observed(decorated, mine) == observed(plain, theirs), (kind, way, name, engine)
        except StagingError as error:
            assert BY_CALLEE.get(name, type(mine).__name__) in error.message and error.hint
            is_right = False
    assert not CALLED, ("a method of the object ran while tracing", kind, way, name, engine)
    return is_right


@pytest.mark.parametrize("kind", MAKERS)
def test_each_protocol(kind):
    right = {name for name in PROTOCOLS if check(kind, "argument", name, "native")}
    assert {"str", "f-string", "print"} <= right  # a run asks for them


@pytest.mark.parametrize("one_in", some([11, 1]))
@pytest.mark.parametrize("way", WAYS)
def test_each_way_in(way, one_in):
    """Of each way every eleventh combination, and one after the other; all of them are long."""
    start = [*WAYS].index(way) % one_in
    for kind, name, engine in [*itertools.product(MAKERS, PROTOCOLS, ENGINES)][start::one_in]:
        check(kind, way, name, engine)


#: protocols that give a number
NUMBERS = ("sum", "max", "for_loop", "len", "item", "float", "abs", "reduce", "call")


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("name", NUMBERS)
def test_under_a_derivative(kind, name):
    make, program = MAKERS[kind], PROTOCOLS[name]
    slope = rt.grad(lambda x, o: x * program(o))
    for held in ((1.0, 2.0), (5.0, 6.0)):
        with pytest.raises(StagingError, match=type(make()).__name__):
            slope(3.0, make(*held))
