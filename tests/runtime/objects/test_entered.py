"""A class whose instances machine code may call is the class that was written, in all that a program sees."""

import gc
import types
import weakref
from typing import Generic, TypeVar

import pytest

from runtime.objects import entered

T = TypeVar("T")


class Plain(entered.Entered, Generic[T]):
    """What it says."""

    __slots__ = ("__dict__", "__weakref__", "by")
    by: int

    def __init__(self, by=2):
        self.by = by

    def __call__(self, *args, **kwargs):
        return self.by, args, kwargs


Made = entered.with_entries(Plain)


class Sub(Made):
    def __call__(self, *args):
        return "sub", *super().__call__(*args)


class Holder:
    method = Made(5)


def test_the_class_says_what_was_written():
    assert (Made.__doc__, Made.__module__, Made.__qualname__) == ("What it says.", __name__, "Plain")
    assert Made.__name__ == "Plain" and Made.__annotations__ == {"by": int}
    assert repr(Made[int]).endswith("Plain[int]") and Made.__parameters__ == (T,)


def test_calls_go_to_python_as_long_as_there_is_no_entry():
    made = Made()
    assert made(1, x=2) == made.__call__(1, x=2) == Made.__call__(made, 1, x=2) == (2, (1,), {"x": 2})
    assert Sub(3)(1) == ("sub", 3, (1,), {})


def test_instances_are_methods_as_functions_are():
    holder = Holder()
    if entered.are_possible():
        assert type(holder.method) is types.MethodType and holder.method.__func__ is Holder.method
        assert holder.method(1) == (5, (holder, 1), {})
    assert Holder.method(1) == (5, (1,), {})


@pytest.mark.parametrize("cls", [Made, Sub])
def test_instances_are_freed(cls):
    made = cls(7)
    made.attribute = made._chain = (made,)  # a cycle by each of the two
    alone = weakref.ref(made)
    del made
    gc.collect()
    assert alone() is None


def test_where_it_is_not_possible_the_class_stays_as_it_is(monkeypatch):
    monkeypatch.setattr(entered, "are_possible", lambda: False)
    assert entered.with_entries(Plain) is Plain and not entered.can_be_entered(Plain())
