"""Operators of arrays beside what is no number: NumPy applies them to each item, and mostly fails.

x + None          TypeError: unsupported operand type(s) for +: 'float' and 'NoneType'
x < "a"           UFuncTypeError
x + Vector(1, 2)  an array of objects, unless the class says `__array_ufunc__ = None`: refused
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from runtime.iteration.indexed import Indexed
from runtime.staged import numpy_protocols
from runtime.staged.library_operands import is_of_library, refuse_beside
from runtime.staged.operands import is_iterable, is_no_sequence
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.spec import Choice
from runtime.types import STR, ArrayType

#: NumPy's kinds of dtype -> classes of Python's numbers
PYTHON_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float"}

#: classes whose instances have no code of the user's that an operator could call
_PLAIN = (
    str, bytes, type(None), dict, set, frozenset, slice, type(Ellipsis), type, FunctionType,
    BuiltinFunctionType, ModuleType,
)  # fmt: skip
_OF_SEQUENCES = ("__len__", "__getitem__")
_PLAINLY: dict[str, Callable[[Any, Any], Any]] = {"divmod": divmod, "and": operator.and_, "or": operator.or_}


def plainly(name: str) -> Callable[[Any, Any], Any]:
    """The operator of a special method without its underscores.

    >>> plainly("add")(1, 2), plainly("and")(6, 3)
    (3, 2)
    """
    return _PLAINLY.get(name) or getattr(operator, name)


def beside(name: str, array: Any, other: Any, swapped: bool = False) -> Any:
    """What NumPy's operator gives beside an ``other`` that is no operand: NotImplemented, or it raises."""
    other = _example(other)
    is_view = isinstance(other, Indexed) and other.is_sized
    if (isinstance(other, Staged | Choice | Indexed) and not is_view) or array.boxed:
        return NotImplemented
    if not numpy_protocols.is_ours(type(other)) and hasattr(type(other), "__array_ufunc__"):
        return _by_protocol(name, array, other, swapped)
    if not swapped and _answers_itself(other):
        return NotImplemented
    if type(other) in _PLAIN or type(other) is object:
        for sample in _samples(array.type):
            plainly(name)(*((other, sample) if swapped else (sample, other)))
    elif not isinstance(array.type, ArrayType):
        if numpy_protocols.numpy_protocol(other, numpy_protocols.OF_ARRAYS) or all(
            hasattr(type(other), one) for one in _OF_SEQUENCES
        ):
            raise _array_of(other)
        if is_of_library(other, name):
            plainly(name)(
                *((other, _samples(array.type)[0]) if swapped else (_samples(array.type)[0], other))
            )
            raise refuse_beside(str(array.type), other)
        return _item_beside(name, array, other, swapped)
    kind = type(other).__name__
    hint = f"convert it to a number or an array, or write `__array_ufunc__ = None` in class {kind}"
    if is_view or is_iterable(other):
        hint = "make an array of its items: np.array(list(...))"
    raise refuse(
        f"an operator between an array and a {kind} makes an array of objects, which is not staged", hint
    )


def _array_of(other: Any) -> Exception:
    """The refusal beside a scalar: NumPy makes an array of it."""
    kind = type(other).__name__
    return refuse(
        f"NumPy makes an array of the {kind} beside a scalar, which is not staged",
        "make an array of it first",
    )


def _example(other: Any) -> Any:
    """A text, dict or set that only a run knows, as an empty one: what it holds does not matter here."""
    kind = other.type if isinstance(other, Staged) else None
    if kind == STR:
        return ""
    return {"set": set()}.get(kind.name, {}) if is_no_sequence(other) else other  # type: ignore[union-attr]


def _by_protocol(name: str, array: Any, other: Any, swapped: bool) -> Any:
    """An operand whose class has ``__array_ufunc__``: None leaves a forward operator to the other operand."""
    cls = type(other)
    if cls.__array_ufunc__ is not None:
        raise refuse(
            f"NumPy leaves this operator to `__array_ufunc__` of class {cls.__name__}, which is not staged",
            f"call a method of the {cls.__name__}, with the array as an argument",
        )
    if swapped or name.startswith("i"):  # in place
        raise TypeError(f"operand '{cls.__name__}' does not support ufuncs (__array_ufunc__=None)")
    if name == "add" and isinstance(array.type, ArrayType) and not hasattr(cls, "__radd__"):
        plainly(name)(np.ones(1), other)  # NumPy's own words
    return NotImplemented


def _answers_itself(other: Any) -> bool:
    """Does NumPy leave the operator to the other operand?"""
    if hasattr(type(other), "__array_ufunc__"):
        return True
    if isinstance(other, type) or hasattr(type(other), "__getattr__"):
        return False  # NumPy would ask a `__getattr__` for several names, one after the other
    return getattr(other, "__array_priority__", 0) > 0


def _item_beside(name: str, scalar: Any, other: Any, swapped: bool) -> Any:
    """NumPy asks the other operand, and gives it a number of Python's."""
    kind = PYTHON_KINDS.get(scalar.dtype.kind)
    if name == "matmul" or kind is None:
        return NotImplemented
    number = emit(f"py.{kind}", [scalar])
    return plainly(name)(other, number) if swapped else plainly(name)(number, other)


def _samples(kind: Any) -> list[Any]:
    """Values of the type, to try the operator with; where a run may have no items, one with none, too."""
    if not isinstance(kind, ArrayType):
        return [kind.dtype.type(1)]
    lengths = (1, 0) if None in kind.shape else (1,)
    return [np.ones([n if m is None else m for m in kind.shape], kind.dtype) for n in lengths]
