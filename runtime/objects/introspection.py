"""What a program sees of its own classes, in place of what a trace has put there (`watched_classes.py`)."""

from __future__ import annotations

import types
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from runtime.containers.default_factories import factory_of
from runtime.control_flow.choices import dispatch
from runtime.tracer.builder import Staged
from runtime.tracer.class_namespaces import program_attribute
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: what a class gives as it holds it
_AS_HELD = (types.FunctionType, types.WrapperDescriptorType, types.MethodDescriptorType, type(None))


def program_method(trace: Trace, owner: Any, name: str) -> Any:
    """``owner.__name__`` of a class, or of an object; NotImplemented where that is what Python gives."""
    if name in HELD:
        return _held(trace, owner, name)
    if isinstance(owner, Staged | Choice):
        return NotImplemented
    if name == "__dict__":
        if isinstance(owner, type):
            return program_namespace(trace, owner)
        return NotImplemented
    if isinstance(owner, type):
        found = program_attribute(owner, name, NotImplemented)
        return found if isinstance(found, _AS_HELD) else NotImplemented
    found = getattr(owner, name)
    method = getattr(getattr(found, "__func__", None), "__runtime_inline__", None)
    return found if method is None else types.MethodType(method, owner)


#: in the place of these attributes there may be something of the trace's
HELD = ("default_factory",)


def _held(trace: Trace, owner: Any, name: str) -> Any:
    """What a defaultdict calls for a new key."""
    if isinstance(owner, Choice):
        return dispatch(owner, lambda one: _held(trace, one, name))
    return factory_of(owner) if isinstance(owner, defaultdict) else getattr(owner, name)


def program_namespace(trace: Trace, cls: type) -> types.MappingProxyType[str, Any]:
    """``cls.__dict__``."""
    return types.MappingProxyType(trace.outside.classes.namespace(cls))
