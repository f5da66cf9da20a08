"""The methods of staged arrays: mostly NumPy's functions of the same name, with the array first."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.numpy_calls.arguments import as_dtype, new_list, split_shape, static
from runtime.numpy_calls.creation import F64
from runtime.numpy_calls.functions import clipped
from runtime.numpy_calls.table import NOT_GIVEN, TABLE, call_into, into_out
from runtime.numpy_calls.whole import made_or_whole
from runtime.staged.indexing import is_sequence_of_items
from runtime.staged.list_arrays import list_of
from runtime.staged.operands import apply, operand
from runtime.tracer.builder import emit, refuse
from runtime.types import ArrayType

METHODS: dict[str, Callable[..., Any]] = {}


def _same_as(name: str) -> Callable[..., Any]:
    """The method that means the same as NumPy's function of the same name."""
    function = TABLE[getattr(np, name)]

    def found(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    found.__name__ = name  # a run knows by it what to return, where the method itself is returned
    return found


METHODS.update(
    {
        name: _same_as(name)
        for name, found in vars(np.ndarray).items()
        if callable(found) and not name.startswith("__") and getattr(np, name, None) in TABLE
    }
)


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    METHODS[function.__name__.rstrip("_")] = function
    return function


@method
def copy(self: Any, order: str = "C") -> Any:
    if order not in ("C", "F", "A", "K"):
        raise TypeError("order")
    if not isinstance(self.type, ArrayType):
        return self  # a scalar is immutable
    return apply("copy", [self], **({} if order == "K" else {"order": order}))


@method
def clip(self: Any, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    return clipped(self, min, max, out, **kwargs)


@method
def astype(
    self: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    attributes: dict[str, Any] = {"dtype": as_dtype(dtype, F64)}
    if casting != "unsafe":
        attributes["casting"] = casting
    if not copy and isinstance(self.type, ArrayType) and self.type.dtype == attributes["dtype"]:
        return self if order in ("K", "A") else apply("asarray", [self], order=order)
    result = apply("astype", [self], **attributes)
    is_ordered = order == "K" or not isinstance(self.type, ArrayType)
    return result if is_ordered else apply("copy", [result], order=order)


@method
def reshape(self: Any, *shape: Any, order: str = "C") -> Any:
    if not shape:
        raise TypeError("no shape")
    given = shape[0] if len(shape) == 1 else shape
    if given is None:
        return self[...] if isinstance(self.type, ArrayType) else self
    target, dynamic = split_shape(given)
    return apply("reshape", [self, *dynamic], shape=target, **({} if order == "C" else {"order": order}))


@method
def transpose(self: Any, *axes: Any) -> Any:
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        (axes,) = axes
    return apply("transpose", [self], axes=static(axes, "axes") or None)


@method
def flatten(self: Any, order: str = "C") -> Any:
    return apply("flatten", [self], **({} if order == "C" else {"order": order}))


@method
def conj(self: Any) -> Any:
    return apply("conjugate", [self]) if self.dtype.kind == "c" else self


METHODS["conjugate"] = conj


@method
def compress(self: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    if out is not None:
        return into_out(np.compress, (condition, self, axis), {"out": out}, out)
    return apply("compress", [condition, self], **({} if axis is None else {"axis": static(axis, "axis")}))


@method
def partition(self: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
    call_into(np.ndarray.partition, (self, kth, axis, kind, order), {}, self)


@method
def sort(self: Any, axis: int = -1, kind: Any = None, *, stable: Any = None) -> None:
    np.empty(0).sort(kind=kind)  # which kind it is makes no difference; a wrong one raises
    axis = static(axis, "axis")
    emit("sort_inplace", [self], axis=int(axis) if isinstance(axis, bool) else axis, stable=stable)


@method
def fill(self: Any, value: Any) -> None:
    if is_sequence_of_items(value):
        raise refuse("an array is filled with a list", "write x[...] = value")
    emit("fill", [self, operand(value)])


PYTHON_KIND = {"b": "py.bool", "i": "py.int", "u": "py.int", "f": "py.float", "c": "py.complex"}


@method
def item(self: Any, *args: Any) -> Any:
    """The Python number of an item."""
    if args:
        if None in args:
            raise TypeError("None is no index")
        key = args[0] if len(args) == 1 else args
        if self.ndim > 1 and not isinstance(key, tuple):
            return item(apply("ravel", [self])[key])
        return item(self[key])
    if isinstance(self.type, ArrayType) and self.ndim:
        if None in self.type.shape:
            raise refuse("x.item() of an array of unknown length", "index the item: x[0]")
        if self.size != 1:
            raise ValueError("of one item only")
        return item(self[(0,) * self.ndim])
    return emit(PYTHON_KIND[self.dtype.kind], [self])


#: longer arrays are not written out as lists
MAX_LIST = 1000


@method
def tolist(self: Any) -> Any:
    """Nested lists of Python numbers: plain ones where the lengths are known and few, else those of a run."""
    if not self.ndim:
        return item(self)
    if None in self.type.shape or self.size > MAX_LIST:
        return list_of(self)
    return new_list([tolist(self[k]) for k in range(self.type.shape[0])], "tolist", self.ndim)


@method
def view(self: Any, dtype: Any = NOT_GIVEN) -> Any:
    """The same memory, as another dtype where one is given."""
    if dtype is not NOT_GIVEN:
        return apply("view_as", [self], dtype=as_dtype(dtype, F64))
    return self[...] if isinstance(self.type, ArrayType) else self


@method
def is_integer(self: Any) -> Any:
    return emit("py.is_integer", [emit("py.float", [self])])


def _of_numpy(name: str) -> Callable[..., Any]:
    def theirs(owner: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(type(owner), name)(owner, *args, **kwargs)  # as Python itself calls `x.sum()`

    theirs.__name__, theirs.__module__ = name, "numpy"
    return theirs


def _or_whole(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The method, or a call of NumPy's own in each run."""
    theirs = _of_numpy(name)

    @functools.wraps(function)
    def called(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return made_or_whole(function, theirs, (self, *args), kwargs, is_method=True)

    return called


METHODS.update({name: _or_whole(name, function) for name, function in METHODS.items()})
