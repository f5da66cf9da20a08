"""What may stand beside a staged value, and how an operation is applied to such operands.

``apply`` is ``emit`` with two things more: lists become arrays, as NumPy makes them, and the result is a
Tensor where an operand is one.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.converted_code import is_converted_code
from autograph.errors import StagingError, is_standard_library
from runtime.iteration.indexed import Indexed
from runtime.ops.instances import plain_value
from runtime.staged import array_making, numpy_protocols
from runtime.tracer import implied
from runtime.tracer.builder import Staged, current, emit, refuse
from runtime.tracer.spec import Choice
from runtime.types import STR, ArrayType, ContainerType, ScalarType

NUMBERS = (bool, int, float, complex)


class Boxed:
    """Base of rt.Tensor, concrete and staged."""

    boxed = True


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


def is_iterable(value: Any) -> bool:
    """Does it give items, and is it nothing that NumPy makes an array of?"""
    kind = type(value)
    if isinstance(value, str | bytes | Choice) or hasattr(kind, "__array__"):
        return False
    return hasattr(kind, "__iter__")


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
        name = f"numpy.{kind}" if hasattr(np, kind) and kind not in ("float", "complex") else kind
        raise TypeError(f"can't multiply sequence by non-int of type '{name}'")
    if isinstance(sequence, str):
        return emit("str.mul", [sequence, times])
    return NotImplemented


def is_operand(x: Any) -> bool:
    """May ``x`` be an operand of an operator beside a staged value?"""
    if isinstance(x, Staged):
        return not is_no_sequence(x)
    if isinstance(x, ArrayHolder):
        return True
    if numpy_protocols.numpy_protocol(x) in numpy_protocols.OF_OPERATORS:
        return False
    return isinstance(
        x, (*NUMBERS, np.generic, np.ndarray, Boxed, ArrayHolder, list, tuple, range)
    ) or is_range(x)


def is_no_sequence(x: Any) -> bool:
    """Is this a dict or set that only a run knows, of which NumPy makes no array of its items?"""
    return (
        isinstance(x, Staged)
        and isinstance(x.type, ContainerType)
        and (x.type.is_mapping or x.type.name == "set")
    )


def is_range(x: Any) -> bool:
    """Is this a range with staged bounds?"""
    return isinstance(x, Indexed) and x.is_range


def _of_one_type(made: Any) -> Any:
    if not isinstance(made, Choice):
        return made
    raise refuse(
        f"a list stands beside an array, and makes {repr(made)[1:-1]}",
        "write np.array(...) of the list, and take that",
    )


def operand(x: Any) -> Any:
    """``x`` as an operand of ``emit``: staged, a number, or a NumPy scalar. Raises StagingError."""
    if isinstance(x, Staged) and isinstance(x.type, ContainerType):
        return _of_one_type(array_making.array_of(x))
    if isinstance(x, (Staged, np.generic)) or type(x) in NUMBERS:
        return x
    if isinstance(x, (list, tuple, range)) or is_range(x):
        refuse_own_reading(x)
        return _of_one_type(array_making.array_of(x))
    if isinstance(x, Boxed):
        return operand(x.numpy())  # type: ignore[attr-defined]
    if isinstance(x, ArrayHolder):
        return operand(array_held(x))
    if isinstance(x, np.ndarray):
        if x.ndim == 0 and x.base is None:  # NumPy's own, of a scalar on the left of an operator
            return x[()]
        raise refuse(
            f"an array that the trace does not know ({x.dtype}{list(x.shape)}) meets a staged value",
            "pass the array as an argument, or read it from a variable of the decorated function",
        )
    if isinstance(x, Choice) and (known := implied.narrowed(x)) is not x:
        return operand(known)
    if isinstance(x, NUMBERS):  # a subclass: an IntEnum, a bool-like int
        refuse_own_reading(x)
        return plain_value(x)
    raise refuse(
        f"a value of type {type(x).__name__} cannot be an operand of a staged operation",
        "make a list of it: list(...)" if is_iterable(x) else "convert it to a number or an array first",
    )


def refuse_own_reading(x: Any) -> None:
    """Raises StagingError for a number or a list of a class that tells NumPy itself what it is."""
    name = numpy_protocols.own_reading(x)
    if name is not None:
        raise refuse(
            f"a {type(x).__name__} meets NumPy, which asks the class by its `{name}`",
            "make a plain number, list or array of it first",
        )


def without_scalars_arrays(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands of a ufunc. An array of no dimensions is one that NumPy made of a scalar: `scalar < x`."""
    return tuple([x[()] if type(x) is np.ndarray and not x.ndim else x for x in inputs])


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


def text_about(value: Staged, text: str) -> str:
    """``text`` for people who look at a staged value, in a debugger say; not for the program itself."""
    frame = sys._getframe(2)
    if current() is value.builder and _asks_for_the_program(frame):
        raise refuse(
            "the text of a list, an object or another thing that holds staged values is asked for",
            "print it, or write it into an f-string",
        )
    return text


#: modules of Python's library that show values to people
_SHOWING = frozenset({"bdb", "pdb", "cmd", "code", "reprlib", "traceback", "doctest", "unittest"})


def _asks_for_the_program(frame: types.FrameType) -> bool:
    """Is it the user's code, or such as Python's library has for it: `UserList.__repr__`?"""
    code = frame.f_code
    if is_converted_code(code) or code.co_filename == "<string>":
        return True
    module = (frame.f_globals.get("__name__") or "").partition(".")[0]
    return is_standard_library(code.co_filename) and module not in _SHOWING
