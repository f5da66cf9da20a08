"""What a metaclass gives to its classes runs in each run, as what a class gives to its instances does."""

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import Call, attempt, check, check_scenario

SCALE = 2.0
COUNT = 0


class Meta(type):
    KIND = 1.0

    @property
    def scale(cls):
        global COUNT
        COUNT += 1
        return SCALE * cls.KIND

    @scale.setter
    def scale(cls, value):
        global SCALE
        SCALE = value

    def __getitem__(cls, place):
        global COUNT
        COUNT += 1
        return place * SCALE

    def __len__(cls):
        global COUNT
        COUNT += 1
        return 3

    def __add__(cls, other):
        global COUNT
        COUNT += 1
        if other > 1:
            return other + SCALE
        return other - SCALE


class Base(metaclass=Meta):
    pass


class Derived(Base):
    KIND = 3.0


def stores(x):
    Base.scale = x
    return SCALE + x


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Derived[3] * x,
        lambda x: len(Base) * x,
        lambda x: Base + x,
    ],
)
def test_as_in_plain_python(f):
    """It was asked once while tracing, and its answer kept for good."""

    def program(function):
        global SCALE, COUNT
        SCALE, COUNT = 2.0, 0
        g = function(f)
        found = [g(1.0), g(1.0), g(2.0), COUNT]
        SCALE = 0.5
        found += [g(1.0), COUNT, SCALE]
        SCALE, COUNT = 2.0, 0
        return found

    check_scenario(program)


def test_what_a_metaclass_holds_is_guarded():
    def program(function):
        f = function(lambda x: Base.KIND * x)
        first = f(1.0)
        Meta.KIND = 4.0
        second = f(1.0)
        Meta.KIND = 1.0
        return first, second, f(1.0)

    check_scenario(program)


class Lazy(type):
    def __getattr__(cls, name):
        return SCALE


class Found(metaclass=Lazy):
    pass


class Checks(type):
    def __instancecheck__(cls, item):
        return SCALE > 1


class Checked(metaclass=Checks):
    pass


class Holds(type):
    def __iter__(cls):
        return iter([1.0, SCALE])


class Held(metaclass=Holds):
    pass


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Found.anything * x,
        lambda x: x * isinstance(x, Checked),
        lambda x: [x * y for y in Held],
    ],
)
def test_what_our_own_code_would_ask_for_is_refused(f):
    assert not check(f, (np.array([1.0]),), may_refuse=True)


def test_metaclasses_that_make_classes():
    made = []

    class Registry(type):
        def __init__(cls, name, bases, namespace):
            super().__init__(name, bases, namespace)
            made.append(name)

        def __call__(cls, *args):
            return super().__call__(*args)

    class Item(metaclass=Registry):
        def __init__(self, value):
            self.value = value

    check(lambda x: Item(x).value + len(made), (1.0,), (2.0,))
    assert made == ["Item"] and attempt(Item, 1.0)[0] == "returned"


class Alike(type):
    def __eq__(cls, other):
        return True

    __hash__ = None


class OneOfAll(metaclass=Alike):
    pass


class Storing(type):
    def __setattr__(cls, name, value):
        type.__setattr__(cls, name, value * SCALE)


class Stored(metaclass=Storing):
    k = 1.0


def test_classes_that_say_which_are_equal_are_refused():
    with pytest.raises(autograph.StagingError, match="the metaclass Alike says which classes are equal"):
        rt.function(lambda x: x * isinstance(x, OneOfAll))(1.0)


def stores_to_one_that_sees_it(x):
    Stored.k = x
    return Stored.k


@pytest.mark.parametrize(
    "f", [lambda x: Base.scale * x, lambda x: type(Derived()).scale * x, stores, stores_to_one_that_sees_it]
)
def test_attributes_that_a_metaclass_computes_are_refused(f):
    with pytest.raises(
        autograph.StagingError, match=r"the metaclass \w+ says what .* is, or how it is stored"
    ):
        rt.function(f)(1.5)


class Marking(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.mark = cls.__name__
        return made


class Single(type):
    known = {}

    def __call__(cls, *args):
        if cls not in Single.known:
            Single.known[cls] = super().__call__(*args)
        return Single.known[cls]


class Marked(metaclass=Marking):
    def __init__(self, v):
        print("made")
        if v > 0:
            self.v = v
        else:
            self.v = -v


class MarkedToo(Marked):
    pass


class Settings(metaclass=Single):
    def __init__(self, v):
        self.v = v if v > 0 else -v


def test_objects_that_a_metaclass_makes():
    def marked(x):
        a, b = Marked(x[0]), MarkedToo(x[1])
        return a.mark, a.v, b.mark, b.v

    def single(x):
        Single.known.clear()
        a, b = Settings(x[0]), Settings(x[1])
        return a is b, a.v, len(Single.known)

    for f in (marked, single):
        check(f, Call(np.array([1.0, -2.0])), Call(np.array([-1.0, 2.0])))
