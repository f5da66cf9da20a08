"""What a program sees of its own classes, in place of what a trace has put there (`watched_classes.py`)."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

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


def program_namespace(cls: type) -> types.MappingProxyType[str, Any]:
    """``cls.__dict__`` without the hooks."""
    return types.MappingProxyType(namespace_of(cls))
