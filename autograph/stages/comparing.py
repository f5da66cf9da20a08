"""Equality, order, hashes and texts of a library's values: what Python would ask of them silently."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from functools import partial
from types import FunctionType
from typing import Any

from autograph.operators import any_true, call, not_
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
        """Is this a value of the library's, or a tuple, list, dict or dataclass that has one in it?"""
        if self.claims(value):
            return True
        return depth > 0 and any(self.holds(part, depth - 1) for part in parts_of(value))

    def equal(self, a: Any, b: Any) -> Any:
        """`a == b`, where either is claimed. By default as the library's `==` says."""
        return a == b

    def compared(self, function: Any, a: Any, b: Any) -> Any:
        """`==`, `!=` and the orders, where a value is in them; else NotImplemented."""
        if function is operator.eq:
            return self.equal_values(a, b)
        if function is operator.ne:
            found = self.equal_values(a, b)
            return found if found is NotImplemented else not_(found)
        if function in _ORDERS and not self.claims(a) and not self.claims(b) and self.holds([a, b]):
            self.refuse("an order of tuples or lists that hold values", "compare the items")
        return NotImplemented

    def equal_values(self, a: Any, b: Any) -> Any:
        """`a == b`, where either is a value, or of a class of the program's; NotImplemented for others."""
        if self.claims(a) or self.claims(b):
            found = self.equal(a, b)
            both = all(self.claims(value) or self.is_plain(value) for value in (a, b))
            if type(found) is bool and both and a is not b:
                hint = "give the stage a method `equal`"
                self.refuse("`==`, which asks whether two terms are written alike,", hint)
            return found
        if self.holds(a) or self.holds(b):
            self.refuse(f"`==` of a {type(a).__name__} that holds values", "compare the items")
        asked = getattr(type(a), "__eq__", None)
        return call(asked, a, b) if type(a) is type(b) and isinstance(asked, FunctionType) else NotImplemented

    def in_(self, item: Any, container: Any) -> Any:
        asked = getattr(type(container), "__contains__", None)
        if isinstance(asked, FunctionType):  # of the program's, which looks at the item
            return call(asked, container, item)
        found: Any = False
        for other in container:
            found = any_true(found, partial(self._alike, item, other))
        return found

    def _alike(self, a: Any, b: Any) -> Any:
        """As containers compare: one object, or equal."""
        found = a is b or self.equal_values(a, b)
        return a == b if found is NotImplemented else found

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
    """What a plain tuple, list, dict or dataclass holds."""
    if type(value) is dict:
        return (*value, *value.values())
    if "__dataclass_fields__" in type(value).__dict__:
        return [getattr(value, name, None) for name in type(value).__dataclass_fields__]
    return value if isinstance(value, (tuple, list)) else ()
