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

from runtime.iterables.iteration import Indexed
from runtime.staged.library_operands import is_of_library, refuse_beside
from runtime.staged.operands import is_no_sequence, refuse
from runtime.tracer.builder import Staged, emit
from runtime.tracer.spec import Choice
from runtime.types import STR, ArrayType

#: NumPy's kinds of dtype -> classes of Python's numbers
PYTHON_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float"}

#: classes whose instances have no code of the user's that an operator could call
_PLAIN = (
    str, bytes, type(None), dict, set, frozenset, slice, type(Ellipsis), type, FunctionType,
    BuiltinFunctionType, ModuleType,
)  # fmt: skip
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
    if isinstance(other, Staged | Choice | Indexed) or array.boxed or _answers_itself(other):
        return NotImplemented
    if type(other) in _PLAIN or type(other) is object:
        for sample in _samples(array.type):
            plainly(name)(*((other, sample) if swapped else (sample, other)))
    elif not isinstance(array.type, ArrayType):
        if is_of_library(other, name):
            plainly(name)(
                *((other, _samples(array.type)[0]) if swapped else (_samples(array.type)[0], other))
            )
            raise refuse_beside(str(array.type), other)
        return _item_beside(name, array, other, swapped)
    kind = type(other).__name__
    raise refuse(
        f"an operator between an array and a {kind} makes an array of objects, which is not staged",
        f"convert it to a number or an array, or write `__array_ufunc__ = None` in class {kind}",
    )


def _example(other: Any) -> Any:
    """A text, dict or set that only a run knows, as an empty one: what it holds does not matter here."""
    kind = other.type if isinstance(other, Staged) else None
    if kind == STR:
        return ""
    return {"set": set()}.get(kind.name, {}) if is_no_sequence(other) else other  # type: ignore[union-attr]


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
