"""What a trace gives to a run: structures whose objects are those of the run, or that each run makes anew.

A list or a set that a function makes is another one at each call. So what a trace made of these does not
leave it: where it is returned or stored outside, each call makes its own, of the same parts.

>>> function, args = parts_of(slice(1, 2))
>>> function(*args)
slice(1, 2, None)
>>> parts_of("a text") is None
True
"""

from __future__ import annotations

import collections
import copy
import datetime
import enum
import functools
import operator
import re
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.code_objects import is_converted_code
from autograph.loading import loaded_classes
from runtime.control_flow.builtin_iterables import StagedRange
from runtime.control_flow.indexed import Indexed
from runtime.objects.containers import boxed_again
from runtime.ops.instances import parts, rebuild
from runtime.ops.item_patterns import same_again
from runtime.ops.template import Make, mapped, tuple_of
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice
from runtime.tracer.static_places import made_in_trace

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


Parts = tuple[Callable[..., Any], tuple[Any, ...]]

#: what never changes, or is the same wherever it is named
_IMMUTABLE = (
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range,
    np.generic,
    np.dtype, np.ufunc, type, types.ModuleType, types.BuiltinFunctionType, types.MethodDescriptorType,
    types.WrapperDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType, types.GenericAlias,
    types.UnionType, enum.Enum, datetime.date, datetime.time,
    datetime.timedelta, datetime.tzinfo, re.Pattern, re.Match, types.MappingProxyType,
)  # fmt: skip


def is_immutable(value: Any) -> bool:
    of_modules = loaded_classes("fractions.Fraction", "decimal.Decimal", "pathlib.PurePath")
    return isinstance(value, _IMMUTABLE) or isinstance(value, of_modules)


#: what a run makes anew, and which of several equal ones it is, no promise tells (docs/promise.md)
SAME_BY_VALUE = (frozenset, slice, functools.partial, types.MethodType)


class MayNotLeave(Exception):
    """This object belongs to the trace that made it. The argument says what it is."""


def parts_of(value: Any) -> Parts | None:
    """A function and arguments that make an equal object; None where the object itself will do.

    Raises MayNotLeave for what can be neither.
    """
    kind = type(value)
    if isinstance(value, Indexed) and not value.is_range:
        raise MayNotLeave(value.what)
    if kind in MAKERS:
        return MAKERS[kind](value)
    if isinstance(value, BaseException):
        return rebuild, parts(value)
    if isinstance(value, types.FunctionType):
        if is_converted_code(value.__code__) and made_in_trace(value):
            raise MayNotLeave("a function that is made inside")
        if value.__module__ and value.__module__.startswith("runtime.") and "<locals>" in value.__qualname__:
            raise MayNotLeave("a method of what only a run knows")
        return None
    if isinstance(value, type) and any(map(made_in_trace, vars(value).copy().values())):
        raise MayNotLeave("a class that is made inside")
    if is_immutable(value) or isinstance(value, types.MethodWrapperType):
        return None
    if isinstance(value, np.poly1d) or kind.__module__.startswith("numpy.polynomial"):
        return functools.partial(copy.deepcopy, value), ()
    if isinstance(value, np.ndarray):
        raise MayNotLeave(f"an array of class {kind.__name__} that no operation made")
    if "stands_for" in kind.__dict__:
        raise MayNotLeave(kind.stands_for)
    if hasattr(kind, "__next__"):
        raise MayNotLeave(f"an iterator (a {value.__class__.__name__})")
    if isinstance(value, list | dict | set | collections.deque | bytearray):
        raise MayNotLeave(f"a {kind.__name__}")
    return None


def _set(value: set[Any] | frozenset[Any]) -> Parts:
    again = same_again(value)
    return (type(value), (list(value),)) if again is None else (again, ())


MAKERS: dict[type, Callable[[Any], Parts]] = {
    set: _set,
    frozenset: _set,
    bytearray: lambda v: (bytearray, (bytes(v),)),
    slice: lambda v: (slice, (v.start, v.stop, v.step)),
    collections.deque: lambda v: (collections.deque, (list(v), v.maxlen)),
    collections.OrderedDict: lambda v: (collections.OrderedDict, (list(v.items()),)),
    functools.partial: lambda v: (_partial, (v.func, v.args, v.keywords, dict(vars(v)))),
    types.MethodType: lambda v: _method(v),
    StagedRange: lambda v: (range, v.bounds),
}


def _partial(function: Any, args: tuple[Any, ...], keywords: dict[str, Any], held: dict[str, Any]) -> Any:
    made = functools.partial(function, *args, **keywords)
    vars(made).update(held)
    return made


def _method(value: types.MethodType) -> Parts:
    """A method of a value of the trace is a function of ours: each run reads the one of its own value."""
    if isinstance(value.__self__, Staged):
        return getattr, (value.__self__, value.__name__.rstrip("_"))
    return types.MethodType, (value.__func__, value.__self__)


def with_objects(trace: Trace, structure: Any, stored: bool) -> Any:
    """A structure for a run, in which instances stand as objects of the run.

    ``stored``: who gets the structure keeps it, so that identity matters; else copies will do.
    """
    if isinstance(structure, tuple | Choice):
        held = structure.values if isinstance(structure, Choice) else structure
        parts = tuple([with_objects(trace, part, stored) for part in held])
        if all(map(operator.is_, parts, held)):
            return structure
        return Choice(structure.tag, parts) if isinstance(structure, Choice) else tuple_of(structure, parts)
    if isinstance(structure, Make) or type(structure) in (
        list,
        dict,
    ):  # of ours
        return mapped(structure, lambda part: with_objects(trace, part, stored))
    if isinstance(structure, Staged):
        trace.containers.check_leaves(structure)
        return boxed_again(structure)
    known = trace.outside.reference(structure)
    if known is not None:
        if isinstance(known, Staged):
            trace.containers.check_leaves(known)
        return known
    made = leaving(trace, structure, "stored outside")
    if made is None:
        return structure
    if stored and not isinstance(structure, SAME_BY_VALUE):
        raise trace.refuse(
            f"a {type(structure).__name__} that is made inside is stored outside",
            "return it, or make it outside",
        )
    return Make(made[0], tuple([with_objects(trace, part, stored) for part in made[1]]))


def leaving(trace: Trace, value: Any, how: str) -> Parts | None:
    """How each run makes an object that leaves the trace; None where it can be the object itself."""
    try:
        parts = parts_of(value)
        made = id(value) in trace.outside.made_by_libraries and not is_immutable(value)
        if parts is None and made:
            raise MayNotLeave(f"a {type(value).__name__}")
        return parts
    except MayNotLeave as problem:
        raise trace.refuse(
            f"{problem} is {how}, which belongs to the trace that made it",
            "return values, and make the object outside of them",
        ) from None
