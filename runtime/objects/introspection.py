"""What a program sees of its own classes, in place of what a trace has put there (`watched_classes.py`)."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from runtime.objects.anew import made_in_trace
from runtime.objects.watched_classes import namespace_of, program_attribute
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: what a class gives as it holds it
_AS_HELD = (types.FunctionType, types.WrapperDescriptorType, types.MethodDescriptorType, type(None))


def program_method(trace: Trace, owner: Any, name: str) -> Any:
    """``owner.__name__`` of a class, or of an object; NotImplemented where that is what Python gives."""
    if isinstance(owner, Staged | Choice):
        return NotImplemented
    if name == "__dict__":
        if isinstance(owner, type):
            return program_namespace(owner)
        trace.outside.attributes.check_namespace(owner)
        return NotImplemented
    if isinstance(owner, type):
        found = program_attribute(owner, name, NotImplemented)
        return found if isinstance(found, _AS_HELD) else NotImplemented
    found = getattr(owner, name)
    method = getattr(getattr(found, "__func__", None), "__runtime_inline__", None)
    return found if method is None else types.MethodType(method, owner)


def check_store(trace: Trace, owner: Any, name: str, code: types.CodeType) -> None:
    """Refuse a store to what Python itself keeps of an object, where not each run comes by: no slot holds it.

    ``code``: of the function that stores.
    """
    if isinstance(owner, Staged | Choice) or not _is_kept_by_python(owner, name):
        return
    if isinstance(owner, types.FunctionType) and owner.__code__ in code.co_consts:
        return  # made a line above
    outside = trace.outside
    if trace.references.is_reference(owner) and name in ("__cause__", "__context__"):
        return
    if isinstance(owner, types.FunctionType):
        inside = made_in_trace(owner)
    else:
        inside = outside.is_local(owner) or (isinstance(owner, type) and owner in outside.classes.inside)
    _, block = outside.births.get(id(owner), (None, None))
    if inside and (not trace.frames or block is trace.block):
        return
    raise trace.refuse(
        f"`{name}` of a {type(owner).__name__} is stored, which a trace would do once and for all",
        "store it where the object is made, or outside the decorated function",
    )


def _is_kept_by_python(owner: Any, name: str) -> bool:
    """Of other objects than functions and classes that is the class; a `__name__` is like any attribute."""
    if isinstance(owner, types.FunctionType | type) or name == "__class__":
        return True
    return isinstance(owner, BaseException) and name in ("__cause__", "__context__", "__suppress_context__")


def program_namespace(cls: type) -> types.MappingProxyType[str, Any]:
    """``cls.__dict__`` without the hooks."""
    return types.MappingProxyType(namespace_of(cls))
