"""Calls of ufuncs on staged values, with ``out``, ``where``, ``dtype``; and their methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.builder import Staged, emit
from runtime.numpy_calls.table import NOT_GIVEN
from runtime.numpy_calls.whole import call_whole
from runtime.ops.definition import REGISTRY
from runtime.staged.operands import any_boxed, apply, box, operand, refuse
from runtime.types import ArrayType

#: ufuncs whose operation bears another name
_NAMES = {"divide": "true_divide", "abs": "absolute", "mod": "remainder", "conj": "conjugate", "pow": "power"}


def operation_name(ufunc: np.ufunc) -> str | None:
    """The operation of one of NumPy's own ufuncs; others may bear the same name."""
    if getattr(np, ufunc.__name__, None) is not ufunc:
        return None
    name = _NAMES.get(ufunc.__name__, ufunc.__name__)
    return name if name in REGISTRY else None


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``__array_ufunc__`` does: ``ufunc.method(*inputs, **kwargs)`` in the graph."""
    name = operation_name(ufunc)
    if name is None:
        result = call_whole(ufunc if method == "__call__" else getattr(ufunc, method), inputs, kwargs)
        if result is not NotImplemented:
            return result
        raise refuse(f"the ufunc {ufunc.__name__} has no staged form", "write it with supported functions")
    if method != "__call__":
        return call_ufunc_method(ufunc, method, inputs, kwargs)
    kwargs = {k: v for k, v in kwargs.items() if v is not NOT_GIVEN}
    if len(inputs) > ufunc.nin:  # out given by position
        inputs, positional = inputs[: ufunc.nin], inputs[ufunc.nin :]
        kwargs.setdefault("out", positional if len(positional) > 1 else positional[0])
    out, where, dtype = kwargs.pop("out", None), kwargs.pop("where", True), kwargs.pop("dtype", None)
    kwargs.pop("casting", None) if kwargs.get("casting") == "same_kind" else None
    if kwargs:
        raise refuse(
            f"the argument `{next(iter(kwargs))}` of np.{ufunc.__name__}() is not supported here",
            "leave it out",
        )
    if isinstance(out, tuple):
        out = out[0] if len(out) == 1 else out
    if out is not None:
        return _into(name, inputs, out, where, dtype)
    if where is not True:
        raise refuse(
            f"np.{ufunc.__name__}(where=...) without `out` leaves items uninitialised",
            "give `out`, or write np.where(condition, result, other)",
        )
    if dtype is not None:
        return apply(name, inputs, dtype=np.dtype(dtype))
    return apply(name, inputs)


def _into(name: str, inputs: tuple[Any, ...], out: Any, where: Any, dtype: Any) -> Any:
    if isinstance(out, tuple) or dtype is not None:
        raise refuse(
            f"np.{name}() with several outputs, or with `dtype` beside `out`", "assign with x[...] = result"
        )
    if not isinstance(out, Staged):
        raise refuse(
            f"np.{name}(out=...) writes into an array that the trace does not know",
            "pass the array as an argument of the decorated function",
        )
    if not isinstance(out.type, ArrayType):
        raise TypeError("return arrays must be of ArrayType")
    if where is True:
        emit("ufunc_out", [out, *map(operand, inputs)], ufunc=name)
    else:
        emit("ufunc_masked", [out, operand(where), *map(operand, inputs)], ufunc=name)
    return out


def call_ufunc_method(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.add.reduce(x)``, ``accumulate``, ``outer``, ``at``."""
    name = operation_name(ufunc)
    kwargs = {k: v for k, v in kwargs.items() if v is not NOT_GIVEN and v is not None}
    if name is not None and method in ("reduce", "accumulate"):
        x, *axes = inputs
        attributes = {"axis": axes[0] if axes else kwargs.pop("axis", 0)}
        if method == "reduce" and kwargs.pop("keepdims", False):
            attributes["keepdims"] = True
        if not kwargs and len(axes) <= 1:
            return apply(f"ufunc_{method}", [x], ufunc=name, **attributes)
    if name is not None and method == "outer" and not kwargs:
        x, y = map(operand, inputs)
        wide = x[(..., *(None,) * np.ndim(y))] if np.ndim(x) and np.ndim(y) else x
        result = apply(name, [wide, y])
        return box(result) if any_boxed(inputs) else result
    if name is not None and method == "at" and not kwargs:
        target, index, *values = inputs
        if isinstance(index, tuple | slice):
            raise refuse(f"np.{name}.at() with a tuple or slice as index", "use one array of integers")
        emit("ufunc_at", [target, operand(index), *map(operand, values)], ufunc=name)
        return None
    raise refuse(
        f"np.{ufunc.__name__}.{method}() with these arguments has no staged form",
        "use the function of that meaning",
    )
