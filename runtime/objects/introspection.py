"""What a program sees of its classes and functions, where a trace has something else in the place."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from runtime.control_flow.choices import dispatch
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def program_method(trace: Trace, owner: Any, name: str) -> Any:
    """``owner.__name__`` of a class, or of an object; NotImplemented where that is what Python gives."""
    if name in HELD:
        return _held(trace, owner, name)
    if name == "__dict__" and isinstance(owner, type):
        return program_namespace(trace, owner)
    return NotImplemented


#: in the place of these attributes there may be something of the trace's
HELD = ("default_factory",)


def _held(trace: Trace, owner: Any, name: str) -> Any:
    """What a defaultdict calls for a new key."""
    if isinstance(owner, Choice):
        return dispatch(owner, lambda one: _held(trace, one, name))
    return getattr(owner, name)


def program_namespace(trace: Trace, cls: type) -> types.MappingProxyType[str, Any]:
    """``cls.__dict__``."""
    return types.MappingProxyType(trace.outside.classes.namespace(cls))
