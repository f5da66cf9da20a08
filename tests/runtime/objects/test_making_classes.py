"""What making a class calls of the user's: `__init_subclass__`, `__set_name__`, methods of the metaclass."""

from __future__ import annotations

import abc
import enum
import typing
from collections.abc import Callable
from typing import Any

import pytest

from tests.differential import check_scenario

PROGRAMS: dict[str, Callable[..., Any]] = {}


def case(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS[function.__name__] = function
    return function


class Base:
    subs = []
    n = 0

    def __init_subclass__(cls, k=1, **kw):
        Base.subs.append(k)
        super().__init_subclass__(**kw)


class Counted:
    n = 0

    def __init_subclass__(cls):
        Counted.n += 1


class ByName:
    reg = {}

    def __init_subclass__(cls):
        ByName.reg[cls.__name__] = cls


class Kept:
    reg = []

    def __init_subclass__(cls):
        Kept.reg.append(cls)


made = []


class MetaInit(type):
    def __init__(c, n, b, d):
        made.append(n)
        super().__init__(n, b, d)


class MetaNew(type):
    def __new__(m, n, b, d):
        made.append(n)
        return super().__new__(m, n, b, d)


class MetaPrepare(type):
    @classmethod
    def __prepare__(m, n, b, **k):
        made.append(n)
        return {"z": len(made)}


class MetaBoth(type):
    def __new__(m, n, b, d, k=0):
        made.append(k)
        d["k"] = k
        return super().__new__(m, n, b, d)

    def __init__(c, n, b, d, k=0):
        made.append(k)
        super().__init__(n, b, d)


class Named:
    def __set_name__(s, o, n):
        made.append(n)
        s.n = n

    def __get__(s, o, t=None):
        return s if o is None else s.n


class Printing:
    def __init_subclass__(cls):
        print("sub", cls.__name__)


class Entry:
    def __mro_entries__(s, b):
        made.append("m")
        return (Base,)


@case
def subclass_kept(x):
    class K(Base):
        pass

    return len(Base.subs)


@case
def subclass_with_an_argument(x):
    class K(Base, k=x):
        pass

    return Base.subs[-1], len(Base.subs)


@case
def subclass_counted(x):
    class K(Counted):
        pass

    return Counted.n


@case
def registry_by_name(x):
    class K(ByName):
        v = x

    return len(ByName.reg), ByName.reg["K"].v, ByName.reg["K"] is K


@case
def registry(x):
    class K(Kept):
        pass

    return len(Kept.reg), Kept.reg[-1] is K


@case
def metaclass_init(x):
    class K(metaclass=MetaInit):
        a = x

    return len(made), K.a, type(K).__name__


@case
def metaclass_new(x):
    class K(metaclass=MetaNew):
        a = x

    return len(made), K.a


@case
def metaclass_prepare(x):
    class K(metaclass=MetaPrepare):
        a = x

    return len(made), K.a, K.z


@case
def metaclass_with_an_argument(x):
    class K(metaclass=MetaBoth, k=3):
        a = x

    return len(made), K.a, K.k


@case
def set_name(x):
    class K:
        a = Named()
        b = Named()

    return len(made), K().a, K().b


@case
def made_by_type(x):
    type("K", (Base,), {})
    return len(Base.subs)


@case
def made_by_a_metaclass(x):
    MetaNew("K", (Base,), {"q": Named()})
    return len(Base.subs), len(made)


@case
def made_in_a_loop(x):
    for i in range(3):

        class K(Base):
            pass

    return len(Base.subs)


@case
def made_on_one_path(x):
    if x > 1:

        class K(Base):
            pass

    return len(Base.subs)


@case
def subclass_printed(x):
    class K(Printing):
        pass

    return x


@case
def mro_entries(x):
    class K(Entry()):
        pass

    return len(Base.subs), len(made), K.__orig_bases__ != K.__bases__


@case
def metaclass_that_is_a_function(x):
    class K(metaclass=lambda n, b, d: made.append(n)):
        pass

    return K, len(made)


@case
def metaclasses_in_conflict(x):
    class A(metaclass=MetaInit):
        pass

    class B(metaclass=MetaNew):
        pass

    try:

        class C(A, B):
            pass
    except TypeError as e:
        return str(e), len(made)


@case
def classes_of_the_standard_library(x):
    class A(abc.ABC):
        @abc.abstractmethod
        def f(self): ...

    class B(A):
        def f(self):
            return x

    class E(enum.Enum):
        a = 1

    class N(typing.NamedTuple):
        a: int

    class G(typing.Generic[typing.TypeVar("T")]):
        pass

    return B().f(), E(1).name, N(3), G[int]().__class__.__name__


@case
def base_made_inside(x):
    class P:
        def __init_subclass__(cls):
            made.append(cls.__name__)

    class Q(P):
        pass

    class Z(P):
        pass

    return len(made), made[-1]


@case
def unknown_argument(x):
    class K(Base, foo=3):
        pass


def reset():
    global made
    made.clear()
    Base.subs.clear()
    Counted.n = 0
    ByName.reg.clear()
    Kept.reg.clear()


@case
def module_of_a_class_made_by_type(x):
    return (
        type("K", (), {}).__module__,
        type("K", (), {"a": x}).a,
        repr(type("K", (), {})),
        list(vars(type("K", (), {}))),
    )


@case
def module_of_a_class_made_by_a_metaclass(x):
    return MetaInit("K", (), {}).__module__, MetaBoth("K", (), {}, k=2).k, list(vars(MetaBoth("K", (), {})))


@case
def wrong_bases(x):
    return type("K", [], {})


@case
def wrong_argument(x):
    return type("K", (int,), {}, foo=1)


def state():
    kept = [*made], [*Base.subs], Counted.n, [*ByName.reg], len(set(Kept.reg))
    for each in (made, Base.subs, ByName.reg, Kept.reg):
        each.clear()
    Counted.n = 0
    return kept


@pytest.mark.parametrize("name", PROGRAMS)
def test_making_a_class_does_in_each_call_what_it_does_in_python(name):
    def scenario(decorate):
        f, found = decorate(PROGRAMS[name]), []
        state()
        for x in (1.0, 2.0, 1.0):
            try:
                found.append(repr(f(x)))
            except TypeError as error:
                found.append(str(error))
        return found, state()

    check_scenario(scenario)
