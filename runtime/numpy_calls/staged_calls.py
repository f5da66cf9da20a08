"""The table of NumPy's functions, and calls by it.

``staged_call(function, args, kwargs)`` appends the operations of ``function`` and returns the staged result;
``NotImplemented`` for a function that is not in the table. It serves NumPy's protocols, the methods of
staged arrays, and the tracer, for calls with no staged argument that make arrays: ``np.zeros(3)``.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from runtime.allowed import is_hashable
from runtime.numpy_calls import builtins as builtins
from runtime.numpy_calls import functions as functions
from runtime.numpy_calls import reductions as reductions
from runtime.numpy_calls import shapes as shapes
from runtime.numpy_calls.callbacks import piecewise as piecewise  # the module is loaded now
from runtime.numpy_calls.creation import SCALAR_CLASSES
from runtime.numpy_calls.table import TABLE as TABLE
from runtime.numpy_calls.ufuncs import call_ufunc, call_ufunc_method
from runtime.numpy_calls.whole import call_whole as call_whole
from runtime.numpy_calls.whole import made_or_whole, module_of, name_of
from runtime.tracer.builder import refuse


def staged_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The staged result of ``function(*args, **kwargs)``, or NotImplemented."""
    if not is_hashable(function) and not isinstance(function, types.MethodType):
        return NotImplemented  # some compiled functions of others
    if isinstance(function, np.ufunc):
        if _are_numbers(args) and not kwargs:
            return NotImplemented  # the result is immutable: plain NumPy computes it
        return call_ufunc(function, "__call__", args, kwargs)
    if function in SCALAR_CLASSES and _are_numbers(args):
        return NotImplemented
    implementation = TABLE.get(function)
    if implementation is not None:
        return made_or_whole(implementation, function, args, kwargs)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return call_ufunc_method(owner, function.__name__, args, kwargs)
    return NotImplemented


def _are_numbers(args: tuple[Any, ...]) -> bool:
    return all(isinstance(a, (bool, int, float, complex, np.generic)) for a in args)


def staged_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``__array_function__`` returns: in operations where there are any, else called as a whole."""
    result = staged_call(function, args, kwargs)
    if result is NotImplemented:
        result = call_whole(function, args, kwargs)
    if result is NotImplemented:
        raise refuse(
            f"{module_of(function).replace('numpy', 'np', 1)}.{name_of(function)} has no staged form",
            "write it with supported functions, or call it outside the decorated function",
        )
    return result
