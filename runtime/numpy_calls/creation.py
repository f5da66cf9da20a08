"""Making arrays: ``np.array`` of nested structures, ``np.zeros``, ``np.arange`` and their like."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.plain_items import plain_items
from runtime.control_flow.choices import dispatch
from runtime.numpy_calls.arguments import as_dtype, has_staged, length, no_operation, split_shape, static
from runtime.numpy_calls.table import NOT_GIVEN, implements
from runtime.ops.indexing import Dynamic
from runtime.staged.list_arrays import is_list, joined
from runtime.staged.numbers import StagedNumber
from runtime.staged.operands import Boxed, any_boxed, apply, array_of, box, operand
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.spec import Choice
from runtime.types import ArrayType, ScalarType, numeric

F64 = np.dtype("float64")


def _has_box(item: Any) -> bool:
    return isinstance(item, Boxed) or (
        isinstance(item, (list, tuple)) and any(map(_has_box, plain_items(item)))
    )


@implements(np.array)
def array(object: Any, dtype: Any = None, *, copy: Any = True, order: str = "K", ndmin: int = 0) -> Any:
    dtype = as_dtype(dtype)
    if is_list(object) and copy in (True, None):
        given = {"dtype": dtype, "ndmin": ndmin}
        return joined("array", object, **{k: v for k, v in given.items() if v})
    if not isinstance(object, Boxed | Staged):
        made = array_of(object, dtype)
    elif copy is None or not copy:
        made = _existing(object, dtype, order)
    else:
        made = apply("copy", [object], **_given(dtype=dtype, order=None if order == "K" else order))
    if copy is not None and not copy and made is not object:
        raise refuse("np.array(copy=False) of what has to be copied", "leave out `copy=False`")

    def finished(result: Any) -> Any:
        result = result if ndmin <= result.ndim else result[(None,) * (ndmin - result.ndim)]
        return box(result) if _has_box(object) else result

    return dispatch(made, finished) if isinstance(made, Choice) else finished(made)


def _given(**attributes: Any) -> dict[str, Any]:
    """Those attributes that are given."""
    return {name: value for name, value in attributes.items() if value is not None}


def _existing(a: Any, dtype: Any, order: Any) -> Any:
    """The array itself where it is one of that dtype, as np.asarray returns it."""
    dtype = as_dtype(dtype)
    if not isinstance(a, Staged) or is_list(a):
        return array(a, dtype)
    has_dtype = dtype is None or numeric(a.type).dtype == dtype  # `np.dtype(float) == None`
    if isinstance(a.type, ArrayType) and has_dtype and order in (None, "K", "A"):
        return a
    return apply("asarray", [a], **_given(dtype=dtype, order=order))


@implements(np.asarray, np.asanyarray)
def asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Any:
    if copy is not None:
        return array(a, dtype, copy=copy, order=order or "K")
    return _existing(a, dtype, order)


def _in_order(function: Any, order: str) -> None:
    @implements(function)
    def in_order(a: Any, dtype: Any = None) -> Any:
        result = _existing(a, dtype, order)
        return result if result.ndim else result.reshape(1)


_in_order(np.ascontiguousarray, "C")
_in_order(np.asfortranarray, "F")


@implements(np.copy)
def copy(a: Any, order: str = "K") -> Any:
    return array(a, order=order)


# -- of a shape ----------------------------------------------------------------------------------------


def _order(order: Any) -> dict[str, str]:
    """The memory order as an attribute; what is no order raises ValueError, in NumPy's words."""
    np.zeros(0, order=order)
    return {"order": "F"} if order in ("F", "f") else {}


def _filled(name: str) -> Any:
    def make(shape: Any, dtype: Any = None, order: str = "C") -> Any:
        target, dynamic = split_shape(shape)
        result = emit(name, dynamic, shape=target, dtype=as_dtype(dtype, F64), **_order(order))
        return box(result) if any_boxed(dynamic) else result

    return implements(getattr(np, name))(make)


zeros, ones, empty = _filled("zeros"), _filled("ones"), _filled("empty")


@implements(np.full)
def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> Any:
    target, dynamic = split_shape(shape)
    return apply("full", [fill_value, *dynamic], shape=target, dtype=as_dtype(dtype), **_order(order))


def _empty_like(name: str, a: Any, dtype: Any, order: str, shape: Any) -> Any:
    """An array of the shape and dtype of ``a``, and laid out in memory as a run finds ``a``."""
    x: Any = a if isinstance(a, Staged) and not isinstance(a, StagedNumber) else array(a)
    found = as_dtype(dtype, np.zeros((), x.type.dtype).dtype)
    if shape is None and x.ndim > 1 and order not in ("C", "F"):
        return emit("like", [x], name=f"{name}_like", dtype=found, order=order)
    target, dynamic = split_shape(x.shape if shape is None else shape)
    return emit(name, dynamic, shape=target, dtype=found, **_order("C" if order in ("K", "A") else order))


def _like(name: str) -> Any:
    def make(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Any:
        result = _empty_like(name, a, dtype, order, shape)
        return box(result) if _has_box(a) else result

    return implements(getattr(np, f"{name}_like"))(make)


zeros_like, ones_like, empty_like = _like("zeros"), _like("ones"), _like("empty")


@implements(np.full_like)
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Any:
    result = _empty_like("empty", a, dtype, order, shape)
    emit("copyto", [result, operand(fill_value)], casting="unsafe")
    return box(result) if _has_box(a) or _has_box(fill_value) else result


@implements(np.eye)
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float, order: str = "C") -> Any:
    (rows, columns), dynamic = split_shape((N, N if M is None else M))
    attributes = {"k": static(k, "k"), "dtype": as_dtype(dtype, F64), **_order(order)}
    return emit("eye", dynamic, rows=rows, columns=columns, **attributes)


@implements(np.identity)
def identity(n: Any, dtype: Any = None) -> Any:
    return eye(n, dtype=F64 if dtype is None else dtype)


@implements(np.indices)
def indices(dimensions: Any) -> Any:
    target, dynamic = split_shape(dimensions)
    return emit("indices", dynamic, shape=target)


# -- ranges --------------------------------------------------------------------------------------------


@implements(np.arange)
def arange(start: Any = NOT_GIVEN, stop: Any = NOT_GIVEN, step: Any = NOT_GIVEN, dtype: Any = None) -> Any:
    if start is None and (stop is NOT_GIVEN or stop is None):
        raise TypeError("there is no stop")
    if (stop is NOT_GIVEN or stop is None) and start is not NOT_GIVEN:
        start, stop = 0, start
    bounds = [start, stop, step]
    while bounds and (bounds[-1] is NOT_GIVEN or bounds[-1] is None):
        bounds.pop()
    if start is NOT_GIVEN:
        bounds[0] = 0
    attributes: dict[str, Any] = {} if dtype is None else {"dtype": as_dtype(dtype)}
    if not has_staged(bounds):
        attributes["length"] = len(np.arange(*bounds, dtype=dtype))
    return apply("arange", bounds, **attributes)


def _space(name: str) -> Any:
    function = getattr(np, name)

    @implements(function)
    def make(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, **others: Any) -> Any:
        arguments = (start, stop, num, endpoint)
        if function is np.linspace and others.get("retstep") is True and not has_staged(arguments):
            del others["retstep"]
            return make(*arguments, **others), np.linspace(*arguments, retstep=True)[1]
        if others.keys() - {"dtype"} or any(np.ndim(bound) for bound in (start, stop)):
            raise no_operation("these arguments of np.linspace() and its like have no staged form")
        number = length(num)
        dynamic = [number] if isinstance(number, Staged) else []
        attributes: dict[str, Any] = {"num": Dynamic(0) if dynamic else number}
        if others.get("dtype") is not None:
            attributes["dtype"] = as_dtype(others["dtype"])
        return apply(name, [start, stop, *dynamic], endpoint=static(endpoint, "endpoint"), **attributes)

    return make


linspace = _space("linspace")
_space("logspace")
_space("geomspace")


@implements(np.meshgrid)
def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> Any:
    if any(np.ndim(x) > 1 for x in xi):
        raise no_operation("these arguments of np.meshgrid() have no staged form")
    if len(xi) == 1:
        return (array(xi[0]).reshape(-1),)
    result = apply("meshgrid", xi, indexing=indexing, sparse=sparse)
    return result if isinstance(result, tuple) else (result,)


# -- scalars -------------------------------------------------------------------------------------------


def _scalar_class(cls: type[np.generic]) -> None:
    """``np.float32(x)``: a NumPy scalar of a number, an array of an array."""

    def convert(value: Any = 0) -> Any:
        dtype = np.dtype(cls)
        if isinstance(value, str | bytes):
            return cls(value)  # "nan"
        if not isinstance(value, (Staged, Boxed)):
            return apply("astype", [array(value)], dtype=dtype)
        if isinstance(operand(value).type, ArrayType):
            result = _existing(value, dtype, None)  # the array itself where it has the dtype
            return result if result.ndim else result[()]
        return apply("cast", [value], to=ScalarType(dtype))

    implements(cls)(convert)


@implements(np.datetime64, np.timedelta64)
def moment(*args: Any) -> Any:
    if not has_staged(args):
        return NotImplemented
    raise refuse(
        "a date or a span of time of a number that only a run knows", "make it outside the decorated function"
    )


#: functions of numbers alone, that are left to NumPy when nothing among their arguments is staged
SCALAR_CLASSES = frozenset({np.dtype(kind).type for kind in "?bhilBHILefdFD"})
for _cls in SCALAR_CLASSES:
    _scalar_class(_cls)
