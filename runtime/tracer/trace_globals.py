"""The globals of a module as a trace sees them, and functions that have them: those made in the trace."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from runtime.guards.paths import Global

if TYPE_CHECKING:
    from runtime.tracer.trace_base import TraceBase


class TraceGlobals(dict[str, Any]):
    """The globals of one module as one trace sees them."""

    def __init__(self, trace: TraceBase, module: dict[str, Any]) -> None:
        super().__init__()
        self.trace = trace
        self.module = module
        self.held: set[str] = set()  # names that are in the storage unless the trace deletes them
        if "__name__" in module:  # a class takes it from the storage, for its `__module__`
            dict.__setitem__(self, "__name__", module["__name__"])

    def __getitem__(self, name: str) -> Any:
        value = self.peek(name)
        if isinstance(value, Undefined):
            if name not in self.module:  # a builtin, as long as no global hides it
                self.trace.outside.definitions.guard_absent(self.module, name)
            raise KeyError(name)
        return value

    def peek(self, name: str) -> Any:
        """The trace-time value, ``Undefined(name)`` where there is none."""
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        if name in self.held or name not in self.module:
            return Undefined(name)
        return self.trace.outside.import_value(self.module[name], Global(self.module, name))

    def put(self, name: str, value: Any) -> None:
        dict.__setitem__(self, name, value)


def made_in_trace(value: Any) -> bool:
    """A function that converted code defined under a trace: what is free in it are the trace's own values."""
    value = getattr(value, "__func__", value)
    value = getattr(value, "fget", value)
    return isinstance(value, types.FunctionType) and isinstance(value.__globals__, TraceGlobals)
