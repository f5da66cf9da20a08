"""Classes made inside; what Python calls of the user's where it makes one may only read."""

from __future__ import annotations

import abc
import enum
import typing
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.differential import check_scenario

PROGRAMS: dict[str, Callable[..., Any]] = {}


def case(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS[function.__name__] = function
    return function


class Base:
    subs = []

    def __init_subclass__(cls, k=1, **kw):
        Base.subs.append(k)
        super().__init_subclass__(**kw)


made = []


class MetaNew(type):
    def __new__(m, n, b, d):
        made.append(n)
        return super().__new__(m, n, b, d)


class MetaPrepare(type):
    @classmethod
    def __prepare__(m, n, b, **k):
        made.append(n)
        return {"z": len(made)}


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
def module_of_a_class_made_by_type(x):
    return (
        type("K", (), {}).__module__,
        type("K", (), {"a": x}).a,
        repr(type("K", (), {})),
        list(type("K", (), {}).__dict__),
    )


#: what Python calls for these keeps a list, or prints
ACTS = (
    "subclass_kept metaclass_new metaclass_prepare set_name made_by_type subclass_printed mro_entries".split()
)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in ACTS])
def test_making_a_class_does_in_each_call_what_it_does_in_python(name):
    def scenario(decorate):
        f, found = decorate(PROGRAMS[name]), []
        for x in (1.0, 2.0, 1.0):
            found.append(repr(f(x)))
        return found

    check_scenario(scenario)


@pytest.mark.parametrize("name", ACTS)
def test_what_changes_something_where_a_class_is_made_is_refused(name, capsys):
    with pytest.raises(autograph.StagingError, match="Python calls it where a class is made"):
        rt.function(PROGRAMS[name])(1.0)
    assert not made and not Base.subs and not capsys.readouterr().out
