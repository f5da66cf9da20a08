"""Classes that a trace makes, by a `class` statement; calls of classes that are no plain constructors.

Python makes them, as it does outside. What is the user's, and would be asked for something then, is refused:
`__mro_entries__` and `__init_subclass__` of the bases, `__set_name__` of what the class holds, a metaclass.
"""

from __future__ import annotations

import builtins
import enum
import operator
import types
import typing
from collections.abc import Iterable
from typing import Any

from autograph.operators import call, fstr
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import truth
from runtime.objects.acting import users_function
from runtime.objects.comparing import compare, holds_unknown
from runtime.objects.user_classes import require_plain_metaclass
from runtime.ops.instances import class_attribute
from runtime.tracer.builder import Staged
from runtime.tracer.trace import Trace


def build_class(trace: Trace, body: Any, name: str, /, *bases: Any, **kwargs: Any) -> Any:
    """`__build_class__`."""

    def make(name: str, bases: tuple[Any, ...], namespace: Any, /, **kwargs: Any) -> Any:
        _require_unasked(trace, [class_attribute(type(part), "__set_name__") for part in namespace.values()])
        cell = namespace.get("__classcell__")  # `__class__` of its methods
        made = chosen(name, bases, namespace, **kwargs)
        return _of_all_attempts(trace, body.__code__, made, cell)

    require_plain_metaclass(trace, kwargs.get("metaclass", type))
    _require_unasked(trace, [class_attribute(type(base), "__mro_entries__") for base in bases])
    resolved = types.resolve_bases(bases)
    for base in resolved:
        require_plain_metaclass(trace, type(base))
        _require_unasked(trace, [vars(cls).get("__init_subclass__") for cls in getattr(base, "__mro__", ())])
    chosen: Any = types.prepare_class(name, resolved, kwargs)[0]
    make.__prepare__ = chosen.__prepare__  # type: ignore[attr-defined]
    return builtins.__build_class__(body, name, *bases, **{**kwargs, "metaclass": make})


def _of_all_attempts(trace: Trace, code: types.CodeType, made: type, cell: types.CellType | None) -> type:
    """The class that this statement made in an earlier attempt, which now holds what it holds in this one.

    What its instances hold is known by the class, from one attempt to the next.
    """
    classes = trace.outside.classes
    number = classes.statements[code] = classes.statements.get(code, 0) + 1
    known = trace.decisions.classes.setdefault((code, number), made)
    namespace = vars(made)
    is_alike = known.__bases__ == made.__bases__ and known.__basicsize__ == made.__basicsize__
    if known is made or type(made) is not type or not is_alike:
        return made
    for name in vars(known).keys() - namespace.keys():
        type.__delattr__(known, name)
    for name, value in namespace.items():
        if not isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType):
            type.__setattr__(known, name, value)
    if cell is not None:
        cell.cell_contents = known
    return known


def _require_unasked(trace: Trace, asked: Iterable[Any]) -> None:
    """Refuse code of the user's that Python calls while it makes a class."""
    for method in filter(None, map(users_function, asked)):
        raise trace.refuse(
            f"`{method.__qualname__}` is called by Python where a class is made, which no trace sees",
            "define the class outside the decorated function",
        )


def refuse_type(trace: Trace) -> Exception:
    """The error of `type(name, bases, namespace)`."""
    return trace.refuse("`type` makes a class here", "write a class statement, or make the class outside")


# -- calls of classes: members of an enum by their value, and generic classes --------------------------------

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
