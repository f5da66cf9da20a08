"""Calls of classes that are no plain constructors: members of an enum by their value, and generic classes.

Color(n % 3 + 1)        the member whose value that is, chosen at run time
Stack[float]()          a Stack
"""

from __future__ import annotations

import enum
import operator
import types
import typing
from typing import Any

from autograph.operators import call, fstr
from runtime.containers.comparing import compare, holds_unknown
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import truth
from runtime.tracer.builder import Staged
from runtime.tracer.trace import Trace

_GENERIC: tuple[Any, ...] = (types.GenericAlias, type(typing.List[int]))  # noqa: UP006  # what `Stack[float]` is


def call_of_class(trace: Trace, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result where ``cls`` is such a class; else NotImplemented."""
    if isinstance(cls, _GENERIC):
        made = call(cls.__origin__, *args, **kwargs)
        if hasattr(made, "__dict__") and not isinstance(made, Staged):
            made.__orig_class__ = cls
        return made
    if isinstance(cls, enum.EnumMeta) and len(args) == 1 and not kwargs:
        return _member(trace, cls, args[0])
    return NotImplemented


def _member(trace: Trace, cls: Any, value: Any) -> Any:
    """The member of this value, chosen at run time; NotImplemented where Python finds a known one."""
    members, is_of_run = list(cls), holds_unknown(value)
    is_there = not is_of_run and any(value is one or value == one.value for one in cls.__members__.values())
    finds_itself = any("_missing_" in vars(base) for base in cls.__mro__ if base.__module__ != "enum")
    if not is_there and (finds_itself or (is_of_run and issubclass(cls, enum.Flag))):
        raise trace.refuse(
            f"a {cls.__name__} is made of a value that no member has, or that is known only at run time",
            "choose the member by conditions, or put flags together with `|` under conditions",
        )

    def find(place: int) -> Any:
        if place < len(members):
            this_one = truth(compare(trace, operator.eq, value, members[place].value))
            return branch(this_one, lambda: members[place], lambda: find(place + 1))
        text = fstr((value, "r", ""), f" is not a valid {cls.__qualname__}")
        trace.raise_at_run_time(ValueError(text))
        return trace.end_path()

    return find(0) if is_of_run else NotImplemented
