"""Stores to attributes of what the trace does not know: nothing records them, so they are right only where
the object is made.

Python keeps `__class__`, `__cause__` and `__defaults__` itself; objects of C (`functools.partial`) come in as
they are, and those of libraries (`string.Template`) are known where they are from outside.
"""

from __future__ import annotations

import enum
import types
from typing import TYPE_CHECKING, Any

from autograph.analysis.static import KEPT_BY_PYTHON
from autograph.operators import Undefined
from runtime.ops.instances import class_attribute, has_dict
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice
from runtime.tracer.trace_globals import made_in_trace
from runtime.types import ContainerType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def check_store(trace: Trace, owner: Any, name: str, code: types.CodeType) -> None:
    """Refuse a store to an attribute that the trace would make once and for all.

    ``code``: of the function that stores.
    """
    is_container = isinstance(owner, Staged) and isinstance(owner.type, ContainerType)
    if isinstance(owner, Staged | Choice | Undefined) and not is_container:
        return
    kept = is_container or _is_kept_by_python(owner, name)
    if not kept and (_is_seen(trace, owner) or not _can_store(owner, name)):
        return
    if isinstance(owner, types.FunctionType) and owner.__code__ in code.co_consts:
        return  # made a line above
    if trace.references.is_reference(owner) and name != "__class__":
        return
    _, block = trace.outside.made_by_libraries.get(id(owner), (None, None))
    if block is not None and (not trace.frames or block is trace.block):
        return  # made on this path, so that no other one knows it: `float.__new__(cls, 2.0)`
    raise trace.refuse(
        f"`{name}` of a {type(owner).__name__} is stored, which a trace would do once and for all",
        "store it where the object is made, or outside the decorated function",
        name,
    )


def _is_kept_by_python(owner: Any, name: str) -> bool:
    """Of other objects than functions and classes that is the class; a `__name__` is like any attribute."""
    if name == "__class__":
        return True
    if isinstance(owner, types.FunctionType | type):
        return name in KEPT_BY_PYTHON
    return isinstance(owner, BaseException) and name in ("__cause__", "__context__", "__suppress_context__")


def _is_seen(trace: Trace, owner: Any) -> bool:
    """Does the trace see it, or compare what the object holds?"""
    cls, outside = type(owner), trace.outside
    if isinstance(owner, types.ModuleType) or trace.references.is_reference(owner):
        return True
    if isinstance(owner, type | types.FunctionType):
        is_made_here = isinstance(owner, types.FunctionType) and made_in_trace(owner)
        return is_made_here or owner in outside.classes.held
    stands_in = cls.__module__.partition(".")[0] == "runtime"  # for something: what is a store to that?
    return outside.is_watched(cls) or (stands_in and cls.__setattr__ is not object.__setattr__)


def _can_store(owner: Any, name: str) -> bool:
    """Has the object a place for the attribute? Where it has none, Python says so."""
    is_field = not isinstance(owner, tuple) and hasattr(type(class_attribute(type(owner), name)), "__set__")
    return has_dict(owner) or is_field


def class_that_makes(function: Any, args: tuple[Any, ...]) -> type | None:
    """The class of which this call makes an object: `partial(...)`, `int.__new__(Degrees, 3)`; or None."""
    if isinstance(function, types.BuiltinMethodType) and function.__name__ == "__new__" and args:
        function = args[0]
    return function if isinstance(function, type) else None


def note_made(trace: Trace, cls: type, made: Any) -> None:
    """Remember what a class of a library, or of C, has made just now: on this path it may get attributes."""
    if type(made) is cls and not isinstance(made, enum.Enum | Staged):
        if has_dict(made) and not trace.references.is_reference(made):
            trace.outside.made_by_libraries[id(made)] = (made, trace.block)
