"""Operators of arrays beside what is no number: NumPy applies them to each item, and mostly fails.

x + None          TypeError: unsupported operand type(s) for +: 'float' and 'NoneType'
x < "a"           UFuncTypeError
x + Vector(1, 2)  an array of objects, unless the class says `__array_ufunc__ = None`: refused
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import BuiltinFunctionType, ModuleType
from typing import Any

import numpy as np

from autograph.operators.containers import MARKED
from runtime.staged import numpy_protocols
from runtime.staged.library_operands import KNOWN, is_of_library
from runtime.staged.operands import is_no_sequence
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.tracer.spec import Choice
from runtime.types import STR, ArrayType, ScalarType

#: NumPy's kinds of dtype -> classes of Python's numbers
PYTHON_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float"}

#: classes whose instances have no code of the user's that an operator could call
_PLAIN = (*KNOWN, BuiltinFunctionType, ModuleType, object)
_PLAINLY: dict[str, Callable[[Any, Any], Any]] = {"divmod": divmod, "and": operator.and_, "or": operator.or_}


def plainly(name: str) -> Callable[[Any, Any], Any]:
    """The operator of a special method without its underscores.

    >>> plainly("add")(1, 2), plainly("and")(6, 3)
    (3, 2)
    """
    return _PLAINLY.get(name) or getattr(operator, name)


def beside(name: str, array: Any, other: Any, swapped: bool = False) -> Any:
    """What NumPy's operator gives beside an ``other`` that is no operand: NotImplemented, or it raises."""
    cls = type(other)
    is_of_run = isinstance(other, Staged) and type_of_staged(other) != STR and not is_no_sequence(other)
    if array.boxed or isinstance(other, Choice) or is_of_run:
        return NotImplemented
    if not numpy_protocols.is_ours(cls) and hasattr(cls, "__array_ufunc__"):
        return _by_protocol(name, cls, swapped)
    if not swapped and getattr(cls, "__array_priority__", 0) > 0:
        return NotImplemented
    if cls in _PLAIN:
        sample = _sample(array.type)
        plainly(name)(*((other, sample) if swapped else (sample, other)))
    elif isinstance(array.type, ScalarType) and _is_no_array(other) and not is_of_library(other, name):
        return _item_beside(name, array, other, swapped)
    kind = cls.__name__
    raise refuse(
        f"an operator between an array and a {kind} makes an array of objects, which is not staged",
        "make an array of it, np.array(list(...)) say, or write `__array_ufunc__ = None` in a class of yours",
    )


def _by_protocol(name: str, cls: Any, swapped: bool) -> Any:
    """An operand whose class has ``__array_ufunc__``: None leaves a forward operator to the other operand."""
    if cls.__array_ufunc__ is not None:
        raise refuse(
            f"NumPy leaves this operator to `__array_ufunc__` of class {cls.__name__}, which is not staged",
            f"call a method of the {cls.__name__}, with the array as an argument",
        )
    if swapped or name.startswith("i") or (name == "add" and not hasattr(cls, "__radd__")):
        raise refuse(f"an array meets a {cls.__name__}, which takes part in no ufunc", "call a method of it")
    return NotImplemented


def _is_no_array(other: Any) -> bool:
    """An object of the user's that gives NumPy no items."""
    cls = type(other)
    asked = (*numpy_protocols.OF_ARRAYS, "__getitem__")
    return not numpy_protocols.is_ours(cls) and not any(hasattr(cls, name) for name in asked)


def _item_beside(name: str, scalar: Any, other: Any, swapped: bool) -> Any:
    """NumPy asks the other operand, and gives it a number of Python's."""
    kind = PYTHON_KINDS.get(scalar.dtype.kind)
    if name == "matmul" or kind is None:
        return NotImplemented
    number, marked = emit(f"py.{kind}", [scalar]), MARKED[plainly(name)]
    return marked(other, number) if swapped else marked(number, other)


def _sample(kind: Any) -> Any:
    """A value of the type, to try the operator with."""
    if not isinstance(kind, ArrayType):
        return kind.dtype.type(1)
    return np.ones([1 if n is None else n for n in kind.shape], kind.dtype)
