"""Staged strings: what ``str`` has, as operations of the same names.

>>> sorted(strings.METHODS)[:3]
['capitalize', 'casefold', 'center']
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph.operators import call, percent
from runtime.ops import strings
from runtime.ops.instances import plain_value
from runtime.ops.methods import METHODS
from runtime.specs.spec import Leaf
from runtime.staged import containers, list_arrays
from runtime.staged.containers import ask as ask
from runtime.staged.foreign_operands import SWAPPED
from runtime.staged.objects import StagedObject, refuse_methods
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, require_trace
from runtime.types import STR, NumberType


class StagedString(StagedObject):
    """A string that only a run knows."""

    __slots__ = ()
    builder: Trace

    def __getattr__(self, name: str) -> Any:
        if has_method(name):
            return _method(self, name)
        return super().__getattr__(name)

    def __getitem__(self, key: Any) -> Any:
        return ask("str.getitem", self, containers.plain_index(key))

    def __mul__(self, times: Any) -> Any:
        return ask("str.mul", self, containers.plain_index(times))

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Any:
        if is_text(other):
            return emit("str.add", [self, plain_text(other)])
        if isinstance(type_of_staged(other), NumberType) or type(other).__module__ == "builtins":
            raise TypeError(f'can only concatenate str (not "{type(other).__name__}") to str')
        return NotImplemented

    def __radd__(self, other: Any) -> Any:
        return emit("str.add", [plain_text(other), self]) if is_text(other) else NotImplemented

    def __mod__(self, values: Any) -> Any:
        return percent(self, values)  # type: ignore[arg-type]

    def length(self) -> Any:
        return emit("str.len", [self])

    def letters(self) -> Any:
        """Its characters, as a list that a run makes."""
        return containers.new_list(self.builder.containers, "list.of", (self,), Leaf(STR))

    def join(self, items: Any, /) -> Any:
        if not hasattr(items, "__iter__") and not hasattr(items, "__getitem__"):
            raise TypeError("can only join an iterable")
        return list_arrays.join(require_trace(), self, call(list, items))

    def contains(self, other: Any) -> Any:
        return ask("str.contains", self, other)


def has_method(name: str) -> bool:
    """Is it a method of strings that a run can call?"""
    return name in strings.METHODS or f"str.{name}" in METHODS


def _comparison(name: str) -> Callable[[StagedString, Any], Any]:
    def compare(self: StagedString, other: Any) -> Any:
        if not is_text(other):
            return NotImplemented
        if name == "ne":
            return emit("py.not", [emit("str.eq", [self, plain_text(other)])])
        return emit(f"str.{name}", [self, plain_text(other)])

    return compare


refuse_methods(StagedString, dict.fromkeys(("truediv", "rtruediv"), "making a path of"))
for _name in SWAPPED:
    setattr(StagedString, f"__{_name}__", _comparison(_name))


# What Python says in its errors is the name of the class.
StagedString.__name__ = "str"


def is_text(value: Any) -> bool:
    """A string, staged or plain."""
    return isinstance(value, str) or (isinstance(value, Staged) and value.type == STR)


def plain_text(value: Any) -> Any:
    """A text without the class of an Enum or another subclass, whatever its own `__str__` says."""
    if isinstance(value, Staged) or type(value) is str:
        return value
    own = [getattr(type(value), f"__{name}__", None) for name in ("radd", *SWAPPED)]
    if any(isinstance(method, FunctionType) for method in own):
        raise refuse(
            "a text meets one of a class that answers operators itself", "make it a plain text first"
        )
    return plain_value(value)


def one_text(value: Any) -> Any:
    """One of several strings as one that only a run knows; any other value as it is."""
    if not isinstance(value, Choice):
        return value
    if not all(isinstance(text, Staged) and text.type == STR or type(text) is str for text in value.values):
        return value  # a subclass of str may be told from its text
    text = value.values[-1]
    for position in range(len(value.values) - 2, -1, -1):
        text = emit("py.select", [emit("py.eq", [value.tag, position]), value.values[position], text])
    return text


def _method(string: StagedString, name: str) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        args = _in_a_row(name, args, kwargs) if kwargs else args
        if f"str.{name}" in METHODS:  # which gives a list of texts
            return containers.new_list(builder.containers, f"str.{name}", (string, *args), Leaf(STR))
        return ask(f"str.{name}", string, *args)  # the operation is the real method, which checks them

    builder: Any = string.builder
    called.__self__ = string  # type: ignore[attr-defined]
    return called


def _in_a_row(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    try:
        bound = inspect.signature(getattr(str, name)).bind("", *args, **kwargs)
    except (TypeError, ValueError):  # ValueError: of a method in C that takes no names
        raise refuse(
            f"`str.{name}` is called with arguments that it does not take",
            "give them in a row, as str has them",
        ) from None
    bound.apply_defaults()
    return bound.args[1:]
