"""Classes made inside: those that Python makes without code of the user's; the others are refused."""

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


REFUSED = "subclass_kept metaclass_new metaclass_prepare set_name subclass_printed mro_entries".split()


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in REFUSED])
def test_making_a_class_does_in_each_call_what_it_does_in_python(name):
    def scenario(decorate):
        f, found = decorate(PROGRAMS[name]), []
        for x in (1.0, 2.0, 1.0):
            found.append(repr(f(x)))
        return found

    check_scenario(scenario)


@pytest.mark.parametrize("name", REFUSED)
def test_code_of_the_users_that_python_calls_then_is_refused(name, capsys):
    with pytest.raises(autograph.StagingError, match="where a class is made|has the metaclass"):
        rt.function(PROGRAMS[name])(1.0)
    assert not made and not Base.subs and not capsys.readouterr().out


def test_type_that_makes_a_class_is_refused():
    with pytest.raises(autograph.StagingError, match="`type` makes a class here") as refused:
        rt.function(lambda x: type("K", (), {"a": x}).a)(1.0)
    assert refused.value.hint == "write a class statement, or make the class outside"
