"""The errors for functions that cannot leave the process, at the lines that are to blame."""

from __future__ import annotations

import dis
from types import CellType
from typing import Any

from autograph.errors import AutographError, StagingError, error_at_definition
from runtime.engines.tracebacks import located
from runtime.functions.concrete import ConcreteFunction
from runtime.graph import Location, Operation

_HINT = "pass numbers and arrays, in lists, tuples and dicts, and keep them outside in rt.Variable"


def at_operation(concrete: ConcreteFunction, op: Operation, message: str, hint: str) -> AutographError:
    """The error (not raised) for an operation.

    Stores to globals and to variables of functions around are made where a function ends; what is to blame
    is where it binds the name.
    """
    holder = op if op.is_constant else op.inputs[0].owner if op.inputs else None
    if holder is None or not holder.is_constant:
        return located(StagingError(message, hint=hint), op.location)
    place = _place_of_store(concrete.function, _bound_name(concrete, holder))
    if place is None:
        return at_definition(concrete, message, hint)
    return located(StagingError(message, hint=hint), place)


def _bound_name(concrete: ConcreteFunction, holder: Operation) -> Any:
    """The variable of a store into a namespace or a cell, which is a constant of the graph."""
    held = holder.attributes["value"]
    if isinstance(held, CellType):
        function: Any = getattr(concrete.function, "__func__", concrete.function)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        return next((name for name, cell in cells if cell is held), None)
    users = (one for one in concrete.optimized.operations() if holder.output in one.inputs)
    return next((one.attributes["key"] for one in users if "key" in one.attributes), None)


def at_definition(concrete: ConcreteFunction, message: str, hint: str = _HINT) -> AutographError:
    """The error (not raised) for something about a function that is no operation."""
    code = getattr(getattr(concrete.function, "__func__", concrete.function), "__code__", None)
    if code is None:
        return StagingError(message, hint=hint)
    return error_at_definition(StagingError, message, code, hint=hint)


_BINDS = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"})


def _place_of_store(function: Any, name: Any) -> Location | None:
    """Where a function binds a global or a variable of a function around, if it does so itself."""
    code: Any = getattr(getattr(function, "__func__", function), "__code__", None)
    for step in dis.get_instructions(code) if code is not None else ():
        at = step.positions
        if step.opname not in _BINDS or step.argval != name or at is None:
            continue
        if at.lineno is not None and at.col_offset is not None:
            span = (at.col_offset, at.end_lineno or at.lineno, at.end_col_offset or at.col_offset)
            return Location(code.co_filename, at.lineno, code.co_qualname, span=span)
    return None
