"""Variables and modules in a trace: what NumPy's functions take of them, and what the trace notes.

A variable is an object with an array, ``_storage``, which the trace reads and writes as any attribute.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

import numpy as np

from autograph.operators import Undefined
from runtime.callees.builtin_calls import handles
from runtime.guards.paths import Guard
from runtime.staged.operands import ArrayHolder
from runtime.state.hooks import attribute_names, note_created
from runtime.tracer.builder import Staged
from runtime.tracer.spec import maybe_absent
from runtime.tracer.trace import Trace

#: packages whose functions take a variable for its array
_OF_ARRAYS = frozenset({"numpy", "scipy", "math", "cmath"})


def with_arrays(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call; of NumPy's and its like with the arrays of variables in their place."""
    if not _takes_arrays(function) or not _holds_variable((args, kwargs)):
        return args, kwargs
    return tuple(map(_array_in, args)), {name: _array_in(value) for name, value in kwargs.items()}


def _takes_arrays(function: Any) -> bool:
    if isinstance(function, np.ufunc) or function is range:
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(function, MethodType) and isinstance(owner, Staged):
        return True
    module = type(owner).__module__ if isinstance(owner, np.ufunc) else getattr(function, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in _OF_ARRAYS


def _holds_variable(value: Any) -> bool:
    if type(value) in (tuple, list):
        return any(map(_holds_variable, value))
    if type(value) is dict:
        return any(map(_holds_variable, value.values()))
    return isinstance(value, ArrayHolder)


def _array_in(value: Any) -> Any:
    if type(value) in (tuple, list) and _holds_variable(value):
        return type(value)(map(_array_in, value))
    return value._storage if isinstance(value, ArrayHolder) else value


@handles(note_created)
def _note_created(trace: Trace, variable: Any) -> None:
    if trace.frames:
        raise trace.refuse(
            "a variable is made where only a run knows whether, or how often",
            "make it before the `if`, `try` or loop, or outside of the decorated function",
        )
    trace.variables_made.append(trace.here())


@handles(attribute_names)
def _attribute_names(trace: Trace, owner: Any) -> list[str]:
    """Which attributes an object has, also of one from outside: a guard says that it still has these."""
    outside = trace.outside
    if not outside.is_outside(owner):
        outside.attributes.check_namespace(owner)
        return attribute_names(owner)
    names = attribute_names(owner)
    condition = lambda s, n: f"{n.of(attribute_names)}({s}) == {names!r}"
    outside.guards.append(Guard(outside.attributes.path(owner), condition, f"with attributes {names}"))
    found = dict.fromkeys(names)
    for key, value in trace.overlay.items():
        if isinstance(key, tuple) and key[:2] == ("attribute", id(owner)):
            if maybe_absent(value):
                raise outside.attributes.refuse_namespace(owner)
            found[key[2]] = value
    return [name for name, value in found.items() if not isinstance(value, Undefined)]
