"""Equality, order, hashes and texts of a library's values: what Python would ask of them silently."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable
from functools import partial
from types import FunctionType
from typing import Any

from autograph.operators import all_true, call, not_
from autograph.staging import Stage

_ORDERS = (operator.lt, operator.le, operator.gt, operator.ge)


class ComparingStage(Stage):
    """A stage that sees each comparison and each display of a set or dict."""

    #: the classes of the library's values
    types: tuple[type, ...] = ()
    #: Python's values that the library takes in place of its own
    plain: tuple[type, ...] = (bool, int, float)

    def is_plain(self, value: Any) -> bool:
        """Does the library take this value of Python's (or number of NumPy's) in place of its own?"""
        kind = type(value)
        return kind in self.plain or (kind.__module__ == "numpy" and isinstance(value, self.plain))

    def holds(self, value: Any, depth: int = 4) -> bool:
        """Is this a value of the library's, or a tuple, list or dict that has one in it?"""
        if self.claims(value):
            return True
        return depth > 0 and any(self.holds(part, depth - 1) for part in parts_of(value))

    def equal(self, a: Any, b: Any) -> Any:
        """`a == b`, where either is claimed. By default as the library's `==` says."""
        return a == b

    def compared(self, function: Any, a: Any, b: Any) -> Any:
        """`==`, `!=` and the orders, where a value is in them; else NotImplemented."""
        if function is operator.eq or function is operator.ne:
            if not (self.holds(a) or self.holds(b)):
                return self.equal_objects(function, a, b)
            found = self.equal_values(a, b)
            return found if function is operator.eq else not_(found)
        if function in _ORDERS and not self.claims(a) and not self.claims(b) and self.holds([a, b]):
            self.refuse("an order of tuples or lists that hold values", "compare the items")
        return NotImplemented

    def equal_values(self, a: Any, b: Any) -> Any:
        """`a == b`, where one of them is a value, or holds some."""
        if self.claims(a) or self.claims(b):
            found = self.equal(a, b)
            both = all(self.claims(value) or self.is_plain(value) for value in (a, b))
            if type(found) is bool and both and a is not b:
                hint = "give the stage a method `equal`"
                self.refuse("`==`, which asks whether two terms are written alike,", hint)
            return found
        if type(a) is not type(b) or not isinstance(a, (tuple, list)):
            if self.holds(a) or self.holds(b):
                self.refuse(f"`==` of a {type(a).__name__} and a {type(b).__name__}", "compare the items")
            found = self.equal_objects(operator.eq, a, b)
            return a == b if found is NotImplemented else found
        if len(a) != len(b):
            return False
        return self.all_equal(list(zip(a, b, strict=True)))

    def equal_objects(self, function: Any, a: Any, b: Any) -> Any:
        """Objects of the program's classes: their own `__eq__` is converted, that of a dataclass is known."""
        asked = getattr(type(a), "__eq__", None)
        if not isinstance(asked, FunctionType) or type(a) is not type(b):
            return NotImplemented
        if "__dataclass_fields__" in type(a).__dict__ and asked.__code__.co_filename == "<string>":
            names = [f.name for f in dataclasses.fields(a) if f.compare]
            found = self.all_equal([(getattr(a, name), getattr(b, name)) for name in names])
        else:
            found = call(asked, a, b)
        return found if function is operator.eq or found is NotImplemented else not_(found)

    def all_equal(self, pairs: list[tuple[Any, Any]]) -> Any:
        """Are the two of each pair equal, as containers compare?"""
        found: Any = True
        for a, b in pairs:
            found = all_true(found, partial(self.alike, a, b))
        return found

    def alike(self, a: Any, b: Any) -> Any:
        """As containers compare: one object, or equal."""
        return True if a is b else self.equal_values(a, b)

    def set_of(self, items: list[Any]) -> Any:
        return self.hashed(items)

    def dict_of(self, pairs: list[tuple[Any, Any]]) -> Any:
        return self.hashed([key for key, _ in pairs])

    def hashed(self, keys: Iterable[Any]) -> Any:
        """NotImplemented, or a refusal where a value is to be the key of a dict."""
        if any(map(self.holds, keys)):
            self.refuse("a set or dict whose keys are values", "use a list, and compare")
        return NotImplemented

    def text(self, value: Any, conversion: str, spec: str) -> Any:
        if self.holds(value):
            self.refuse("the text of something that holds values")
        return NotImplemented

    def percent(self, text: str, values: Any) -> Any:
        return self.text(values, "", "")


def parts_of(value: Any) -> Iterable[Any]:
    """What a plain tuple, list or dict holds."""
    if type(value) is dict:
        return (*value, *value.values())
    return value if isinstance(value, (tuple, list)) else ()
