"""Which operations may raise an exception of the user's: those in which code of the user's may run.

Of what the others raise, a handler knows that its class is one of Python's or NumPy's own.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.containers.special_methods import is_of_containers, may_call_methods
from runtime.graph import Operation, Value
from runtime.specs.spec import Const, Leaf, Spec, Tuple, Variant
from runtime.staged.exceptions import RaisedByOperation
from runtime.tracer.builder import Staged
from runtime.types import CLASS, STR, ContainerType, ObjectType, Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: what Python itself shows, compares and hashes
_PLAIN = (str, bytes, bool, int, float, complex, np.generic, type(None))
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
    if isinstance(type, ContainerType):
        return any(one is not None and _may_run_code(one) for one in (type.element, type.key))
    return isinstance(type, ObjectType) and type not in (STR, CLASS)


def _may_run_code(spec: Spec) -> bool:
    match spec:
        case Leaf():
            return may_run_code(spec.type)
        case Const():
            return not isinstance(spec.value, _PLAIN)
        case Tuple():
            return any(map(_may_run_code, spec.items))
        case Variant():
            return any(map(_may_run_code, spec.alternatives))
    return True


def may_be_python_s_own(types: Any) -> bool:
    """May what Python and NumPy raise by themselves be an instance of these classes?"""
    if isinstance(types, tuple):
        return any(map(may_be_python_s_own, types))
    return type(types) is not type or types.__module__.partition(".")[0] in ("builtins", "numpy")


def _is_shown_by_python(trace: Trace, exception: Value) -> bool:
    """Does no code of the user's run where it is printed? What Python itself raises holds texts and ints."""
    for known in trace.outside.handled.get(exception, (None,)):
        if not isinstance(known, int):
            if known is not RaisedByOperation:
                return False
            continue
        if known not in trace.outside.births:
            return False
        error = trace.outside.local(known)
        ways = [getattr(type(error), name) for name in ("__str__", "__repr__", "__format__")]
        if any(isinstance(way, FunctionType) for way in ways) or not all(map(_is_plain, error.args)):
            return False
    return True


def _is_plain(part: Any) -> bool:
    if isinstance(part, Staged):
        return not may_run_code(part.type)
    if type(part) is tuple:
        return all(map(_is_plain, part))
    return isinstance(part, (np.ndarray, *_PLAIN)) and type(part).__module__ in ("builtins", "numpy")
