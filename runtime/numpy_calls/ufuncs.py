"""Calls of ufuncs on staged values, with ``out``, ``where``, ``dtype``; and their methods."""

from __future__ import annotations

from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from runtime.numpy_calls.arguments import as_dtype
from runtime.numpy_calls.shapes import array_from
from runtime.numpy_calls.table import NOT_GIVEN, call_into, given_outputs
from runtime.numpy_calls.whole import call_whole, wrong_call
from runtime.ops.definition import REGISTRY
from runtime.staged.operands import any_boxed, apply, box, operand, writing
from runtime.tracer.builder import emit, refuse, type_of_staged
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
    if method != "__call__":
        return call_ufunc_method(ufunc, method, inputs, kwargs)
    kwargs = {k: v for k, v in kwargs.items() if v is not NOT_GIVEN}
    outputs = inputs[ufunc.nin :]  # given by position
    if not ufunc.nin <= len(inputs) <= ufunc.nargs or (outputs and "out" in kwargs):
        raise wrong_call(ufunc, inputs, kwargs)
    inputs = inputs[: ufunc.nin]
    out, where, dtype = kwargs.pop("out", outputs), kwargs.pop("where", True), kwargs.pop("dtype", None)
    if kwargs.get("casting") == "same_kind":
        del kwargs["casting"]
    given = kwargs if dtype is None else {"dtype": dtype, **kwargs}
    if any(True for _ in given_outputs(out)):
        return _into(ufunc, inputs, out, where, given)
    if where is not True:
        raise refuse(
            f"np.{ufunc.__name__}(where=...) without `out` leaves items uninitialised",
            "give `out`, or write np.where(condition, result, other)",
        )
    if kwargs or name is None:
        return _whole(ufunc, inputs, given)
    return apply(name, inputs, **({} if dtype is None else {"dtype": as_dtype(dtype)}))


#: methods of ufuncs that are an operation of another name
_METHODS = {
    "reduce": {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"},
    "accumulate": {"add": "cumsum", "multiply": "cumprod"},
}
#: what `ufunc.at` takes for an index besides arrays and integers
_INDICES = (tuple, slice, bool, EllipsisType, NoneType)


def _whole(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    result = call_whole(function, args, kwargs)
    if result is NotImplemented:
        raise refuse(
            f"the ufunc method or library function {function.__name__}() has no staged form",
            "use the function of that meaning",
        )
    return result


def _into(ufunc: np.ufunc, inputs: tuple[Any, ...], out: Any, where: Any, given: dict[str, Any]) -> Any:
    """The call with ``out``; with other arguments, or several outputs, NumPy makes it."""
    outputs = list(given_outputs(out))
    result = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    name = operation_name(ufunc)
    if isinstance(result, tuple) and len(outputs) != len(result):
        raise refuse(
            f"np.{ufunc.__name__}() with an array for one output and None for another",
            "give arrays for all of them",
        )
    if given or name is None or len(outputs) > 1 or not isinstance(type_of_staged(outputs[0]), ArrayType):
        given |= {"out": out} if where is True else {"out": out, "where": where}
        call_into(ufunc, inputs, given, *outputs)
        return result
    with writing(outputs[0]):
        if where is True:
            emit("ufunc_out", [*outputs, *map(operand, inputs)], ufunc=name)
        else:
            emit("ufunc_masked", [*outputs, operand(where), *map(operand, inputs)], ufunc=name)
    return result


def call_ufunc_method(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.add.reduce(x)``, ``accumulate``, ``reduceat``, ``outer``, ``at``."""
    name = operation_name(ufunc)
    kwargs = {k: v for k, v in kwargs.items() if v is not NOT_GIVEN and (v is not None or k == "axis")}
    called = getattr(ufunc, method)
    if method == "at":
        if name is not None and not kwargs and not isinstance(inputs[1], _INDICES):
            target, index, *values = inputs
            emit("ufunc_at", [target, operand(index), *map(operand, values)], ufunc=name)
        else:
            call_into(called, inputs, kwargs, inputs[0])
        return None
    if kwargs.get("out") is not None:
        outputs = list(given_outputs(kwargs["out"]))
        call_into(called, inputs, kwargs, *outputs)
        return outputs[0]
    if name is not None and method in ("reduce", "accumulate"):
        simple = {key: value for key, value in kwargs.items() if key != "axis"}
        keepdims = simple.pop("keepdims", False) if method == "reduce" else False
        x, *axes = inputs
        axis = axes[0] if axes else kwargs.get("axis", 0)
        if not simple and len(axes) <= 1 and (axis is None or isinstance(axis, int | tuple)):
            attributes = {"axis": axis, **({"keepdims": True} if keepdims else {})}
            is_plain = np.ndim(x) and isinstance(axis, int if method == "accumulate" else int | tuple)
            if is_plain and name in _METHODS[method]:
                return apply(_METHODS[method][name], [x], **attributes)
            return apply(f"ufunc_{method}", [x], ufunc=name, **attributes)
    if name is not None and method == "outer" and not kwargs:
        x, y = map(array_from, inputs)
        wide = x[(..., *(None,) * np.ndim(y))] if np.ndim(x) and np.ndim(y) else x
        result = apply(name, [wide, y])
        return box(result) if any_boxed(inputs) else result
    return _whole(called, inputs, kwargs)
