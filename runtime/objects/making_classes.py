"""Classes that a trace makes, by a `class` statement or by `type(name, bases, namespace)`.

Python makes them, as it does outside. What it asks the user's code for while it does may only read:
`__mro_entries__` and `__init_subclass__` of the bases, `__set_name__` of what the class holds. A metaclass
may be one of the standard library (`ABCMeta`, `EnumMeta`), or of the user's with methods for its classes.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CellType, CodeType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from autograph.config import is_excluded
from autograph.errors import user_frame
from runtime.objects import acting
from runtime.objects.function_objects import functions_in
from runtime.ops.instances import class_attribute
from runtime.tracer.known_items import as_plain
from runtime.tracer.trace import Trace


def makes_class(function: Any, args: tuple[Any, ...]) -> bool:
    """Is this `type(name, bases, namespace)`, or what a metaclass calls for it?"""
    if function is type:
        return len(args) == 3
    return function == type.__new__ and len(args) == 4


def make_class(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The class that such a call makes."""
    *first, bases, namespace = args
    namespace = as_plain(namespace)  # which is copied
    if not isinstance(bases, tuple) or not isinstance(namespace, dict):
        return function(*args, **kwargs)  # which raises
    frame = user_frame(sys._getframe(1))
    if "__module__" not in namespace and frame is not None:
        namespace = {**namespace, "__module__": frame.f_globals.get("__name__")}  # of who calls, not ours
    _require_plain(trace, type, bases, namespace)
    with _under_way(trace):
        return function(*first, bases, namespace, **kwargs)


def build_class(trace: Trace, body: Any, name: str, *bases: Any, **kwargs: Any) -> Any:
    """`__build_class__`."""

    def make(name: str, bases: tuple[Any, ...], namespace: Any, /, **kwargs: Any) -> Any:
        _require_plain(trace, chosen, bases, namespace)
        cell = namespace.get("__classcell__")  # `__class__` of its methods
        with _under_way(trace):
            made = chosen(name, bases, namespace, **kwargs)
        return _of_all_attempts(trace, body.__code__, made, cell)

    chosen = _metaclass(kwargs.pop("metaclass", type), bases)
    _require_plain(trace, chosen, bases, {})
    make.__prepare__ = chosen.__prepare__  # type: ignore[attr-defined]
    trace.outside.classes.bodies += 1
    try:
        return builtins.__build_class__(body, name, *bases, metaclass=make, **kwargs)
    finally:
        trace.outside.classes.bodies -= 1


def _of_all_attempts(trace: Trace, code: CodeType, made: type, cell: CellType | None) -> type:
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
        if not isinstance(value, MemberDescriptorType | GetSetDescriptorType):
            type.__setattr__(known, name, value)
    if cell is not None:
        cell.cell_contents = known
    return known


def _metaclass(given: Any, bases: tuple[Any, ...]) -> Any:
    """The metaclass, as CPython chooses it. Where the bases have none in common, it complains itself."""
    for base in bases:
        if isinstance(given, type) and isinstance(base, type) and issubclass(type(base), given):
            given = type(base)
    return given


def _require_plain(trace: Trace, metaclass: Any, bases: tuple[Any, ...], namespace: dict[str, Any]) -> None:
    """Refuse what Python calls of the user's while it makes a class, where that changes something."""
    asked: list[Any] = [class_attribute(type(base), "__mro_entries__") for base in bases]
    asked += [vars(cls).get("__init_subclass__") for base in bases for cls in getattr(base, "__mro__", ())]
    asked += [class_attribute(type(part), "__set_name__") for part in namespace.values()]
    if isinstance(metaclass, type):
        asked += [class_attribute(metaclass, name) for name in ("__prepare__", "__new__", "__init__")]
    else:
        asked.append(metaclass)
    for held in asked:
        method = next((one for one in functions_in(held) if acting.acts(one, type)), None)
        if method is not None and not is_excluded(method.__module__ or ""):
            raise trace.refuse(
                f"`{method.__qualname__}` changes something, and Python calls it where a class is made",
                "define the class outside the decorated function",
            )


@contextmanager
def _under_way(trace: Trace) -> Iterator[None]:
    """The ``with`` makes a class, of which the trace knows nothing before its end."""
    trace.outside.classes.under_way += 1
    try:
        yield
    finally:
        trace.outside.classes.under_way -= 1
