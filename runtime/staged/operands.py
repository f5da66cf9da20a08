"""What may stand beside a staged value, and how an operation is applied to such operands.

``apply`` is ``emit`` with two things more: lists become arrays, as NumPy makes them, and the result is a
Tensor where an operand is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.errors import StagingError
from autograph.plain_items import plain_items
from runtime.control_flow.choices import dispatch
from runtime.control_flow.indexed import Indexed
from runtime.ops.instances import plain_value
from runtime.ops.template import build
from runtime.specs.spec import NUMBERS
from runtime.staged import list_arrays
from runtime.staged.foreign_operands import is_no_sequence, refuse_own_reading
from runtime.tracer import spec
from runtime.tracer.builder import Staged, current, emit, refuse
from runtime.tracer.known_items import with_known_items
from runtime.tracer.spec import Choice
from runtime.tracer.trace import require_trace
from runtime.types import STR, ArrayType, ContainerType, ScalarType


class Boxed:
    """Base of rt.Tensor, concrete and staged."""

    boxed = True
    _array: Any


class ArrayHolder:
    """Base of rt.Variable: ``_storage`` is the array that it holds, and that it is to NumPy."""

    __slots__ = ()
    _storage: Any
    _trainable: bool


def storage_of(holder: ArrayHolder) -> Any:
    """The array of a variable, as a trace knows it where one is under way."""
    builder = current()
    return holder._storage if builder is None else builder.seen(holder)._storage


def is_trainable(holder: ArrayHolder) -> bool:
    """Does one take derivatives with respect to this variable, where nobody says which?"""
    builder = current()
    return (holder if builder is None else builder.seen(holder))._trainable


def array_held(holder: ArrayHolder) -> Any:
    """The array of a variable, read in a trace; while a tape records, a Tensor, of which the tape is told."""
    builder, array = current(), storage_of(holder)
    if builder is None or not builder.tapes:
        return array
    for tape in builder.tapes:
        tape.accessed(holder)
    return array.boxed_as_tensor()


#: what ``*`` with a number repeats
SEQUENCES = (list, tuple, str, bytes)


def is_sequence(x: Any) -> bool:
    """Is this what Python repeats, `x * 3`? A list or a text that only a run knows, too."""
    if isinstance(x, Staged):
        is_container = isinstance(x.type, ContainerType) and not is_no_sequence(x)
        return is_container or x.type == STR
    return isinstance(x, SEQUENCES)


def repeated(sequence: Any, times: Any, kind: str, is_int: bool) -> Any:
    """``sequence * times``; NotImplemented where Python's own repetition asks for ``times.__index__()``."""
    if not is_int:
        raise TypeError(f"can't multiply sequence by non-int of type '{kind}'")
    if isinstance(sequence, str):
        return emit("str.mul", [sequence, times])
    return NotImplemented


def is_operand(x: Any) -> bool:
    """May ``x`` be an operand of an operator beside a staged value?"""
    if isinstance(x, Staged):
        return not is_no_sequence(x)
    kinds = (*NUMBERS, np.generic, np.ndarray, Boxed, ArrayHolder, list, tuple, range)
    return isinstance(x, kinds) or is_range(x)


def is_range(x: Any) -> bool:
    """Is this a range with staged bounds?"""
    return isinstance(x, Indexed) and x.is_range


def _array_beside(items: Any) -> Any:
    made = array_of(items)
    if isinstance(made, Choice):
        raise refuse(
            "a list stands beside an array, and makes one type or another", "write np.array(...) of it"
        )
    return made


def operand(x: Any) -> Any:
    """``x`` as an operand of ``emit``: staged, a number, or a NumPy scalar. Raises StagingError."""
    if isinstance(x, Staged) and isinstance(x.type, ContainerType):
        return _array_beside(x)
    if isinstance(x, (Staged, np.generic)) or type(x) in NUMBERS:
        return x
    if isinstance(x, (list, tuple, range)) or is_range(x):
        refuse_own_reading(x)
        return _array_beside(x)
    if isinstance(x, Boxed):
        return operand(x._array)
    if isinstance(x, ArrayHolder):
        return operand(array_held(x))
    if isinstance(x, np.ndarray):
        if x.ndim == 0 and x.base is None:  # NumPy's own, of a scalar on the left of an operator
            return x[()]
        raise refuse(
            f"an array that the trace does not know ({x.dtype}{list(x.shape)}) meets a staged value",
            "pass the array as an argument, or read it from a variable of the decorated function",
        )
    if isinstance(x, Choice) and (known := spec.narrowed(x)) is not x:
        return operand(known)
    if isinstance(x, NUMBERS):  # a subclass: an IntEnum, a bool-like int
        refuse_own_reading(x)
        return plain_value(x)
    is_series = hasattr(type(x), "to_numpy")
    raise refuse(
        f"a value of type {type(x).__name__} cannot be an operand of a staged operation",
        "pass its values as an array: series.to_numpy()"
        if is_series
        else "convert it to a number or an array first, np.array(list(...)) say",
    )


def array_of(structure: Any, dtype: Any = None) -> Any:
    """A fresh array of a number, or of nested lists of numbers and staged values.

    A list that mentions a Tensor gives an array like any other: the box is the result's, not the items'.
    """
    plain, given = _without_boxes(with_known_items(structure)), {} if dtype is None else {"dtype": dtype}
    if list_arrays.is_list(plain):
        return list_arrays.joined("array", plain, **given)
    if isinstance(plain, Staged):
        return emit("copy", [plain], **given)
    has_several = lambda item: isinstance(item, Choice) and one_dtype(item) is None
    if dtype is None and isinstance(plain, list) and any(map(has_several, plain)):
        containers = require_trace().containers
        return list_arrays.joined("array", containers.make(plain, (containers.here(), "array")))
    return _array_of_numbers(_certain_items(plain, dtype), dtype)


def _certain_items(item: Any, dtype: Any) -> Any:
    """Nested lists, where one number stands for an item that is one of several, if the dtype is clear."""
    if isinstance(item, list):
        return [_certain_items(part, dtype) for part in item]
    if not isinstance(item, Choice):
        return item
    wanted = one_dtype(item) if dtype is None else dtype
    made = None if wanted is None else dispatch(item, lambda one: _array_of_numbers(one, wanted)[()])
    if isinstance(made, Staged):
        return made
    raise refuse(
        f"an item of a new array is {repr(item)[1:-1]}, of one type or another",
        "give it a dtype: np.array(items, dtype=float)",
    )


def one_dtype(item: Choice) -> Any:
    """The dtype that NumPy finds for each of these numbers; None where there are several."""
    kinds = [one.type if isinstance(one, Staged) else np.asarray(one) for one in item.values]
    found = {None if getattr(kind, "shape", ()) else getattr(kind, "dtype", None) for kind in kinds}
    return found.pop() if len(found) == 1 else None


def _array_of_numbers(structure: Any, dtype: Any = None) -> Any:
    template, values = build(structure, lambda item: isinstance(item, Staged))
    try:
        return emit("array", values, template=template, dtype=dtype)
    except (TypeError, ValueError) as error:  # ragged lists, numbers of more than 64 bits
        if isinstance(error, StagingError):
            raise
        raise refuse(f"no array of numbers can be made of a list: {error}", "make its items alike") from None


def _without_boxes(item: Any) -> Any:
    if isinstance(item, (list, tuple)):
        refuse_own_reading(item)
        return [_without_boxes(part) for part in plain_items(item)]
    if isinstance(item, range):
        return list(item)
    if isinstance(item, Choice):
        known = spec.narrowed(item)
        return item if known is item else _without_boxes(known)
    if is_range(item):
        raise refuse(
            "a range whose length only a run knows is made an array: its dtype hangs on whether it is empty",
            "write np.arange(...)",
        )
    return item if isinstance(item, Staged) and not isinstance(item, Boxed) else operand(item)


def any_boxed(items: Sequence[Any]) -> bool:
    if any(isinstance(item, Boxed) for item in items):
        return True
    builder = current()  # a variable counts as a Tensor while a tape records
    return bool(builder and builder.tapes) and any(isinstance(item, ArrayHolder) for item in items)


def box(value: Any) -> Any:
    """A staged array, or each of a tuple of them, as Tensor; other values as they are."""
    if isinstance(value, tuple):
        parts = [box(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_make") else tuple(parts)
    if isinstance(value, Staged) and isinstance(value.type, ArrayType | ScalarType):
        return value.boxed_as_tensor()  # type: ignore[attr-defined]
    return value


def apply(name: str, inputs: Sequence[Any], **attributes: Any) -> Any:
    """Append an operation. A list among the inputs becomes an array; the result is boxed if an input is."""
    result = emit(name, [operand(x) for x in inputs], **attributes)
    return box(result) if any_boxed(inputs) else result


@contextmanager
def writing(array: Any, how: str = "output") -> Iterator[None]:
    """Around the operation that writes ``array``: what the trace sees to be wrong raises.

    A run asks first whether the array may be written at all, as NumPy does.
    """
    try:
        yield
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:
        if not isinstance(error, StagingError) and isinstance(array.type, ArrayType):
            emit("check_writable", [array], how=how)
        raise
