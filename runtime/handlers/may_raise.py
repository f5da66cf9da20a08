"""Which operations may raise an exception of the user's: those in which code of the user's may run.

Of what the others raise, a handler knows that its class is one of Python's or NumPy's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime.containers.special_methods import is_of_containers, may_call_methods
from runtime.graph import Operation, Value
from runtime.staged.exceptions import RaisedByOperation
from runtime.types import CLASS, STR, ContainerType, ObjectType, Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: operations that make texts of values
_SHOWING = ("print", "format", "str.percent")


def may_raise_anything(trace: Trace, operation: Operation) -> bool:
    """May it run code of the user's, which raises what it likes?"""
    if operation.name.startswith("call"):
        return True
    if operation.name.startswith(("store_", "delete_", "replace_", "exception.", "class")):
        return False
    if is_of_containers(operation):
        return may_call_methods(operation)
    shows = operation.name in _SHOWING
    return any(
        may_run_code(v.type) and not (shows and _is_shown_by_python(trace, v)) for v in operation.inputs
    )


def may_run_code(type: Type) -> bool:
    """May it be the user's code that shows such a value?"""
    return isinstance(type, ContainerType | ObjectType) and type not in (STR, CLASS)


def may_be_python_s_own(types: Any) -> bool:
    """May what Python and NumPy raise by themselves be an instance of these classes?"""
    if isinstance(types, tuple):
        return any(map(may_be_python_s_own, types))
    return type(types) is not type or types.__module__.partition(".")[0] in ("builtins", "numpy")


def _is_shown_by_python(trace: Trace, exception: Value) -> bool:
    """Is it what an operation raised? Python and NumPy put texts and numbers into their exceptions."""
    known = trace.outside.handled.get(exception, ())
    return bool(known) and all(one is RaisedByOperation for one in known)
