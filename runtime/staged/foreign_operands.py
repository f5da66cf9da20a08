"""What stands beside a staged number or array, and is neither: Python's or the user's operator, or a refusal.

n + None, x + None       the TypeError of Python and NumPy
x[0] * Vector(1, 2)      the method of the user's class gets a number of Python's, as NumPy gives it
n * Fraction(1, 3)       refused: code of a library knows plain numbers only
x + Vector(1, 2)         refused: an array of objects; so is what tells NumPy itself what it is
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from autograph.operators.containers import MARKED
from runtime.control_flow.indexed import Indexed
from runtime.ops.instances import is_library
from runtime.specs.spec import NUMBERS
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.spec import Choice
from runtime.types import STR, ContainerType, ScalarType

#: what Python's numbers do beside these, our operators know
_KNOWN = (
    str, bytes, list, tuple, dict, set, frozenset, range, slice, type, type(None), type(...), FunctionType,
    type(len),
)  # fmt: skip
#: the comparison with the operands swapped
SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
#: by these a class tells NumPy what its instances are, or what operators do with them
_OF_NUMPY = (
    "__array__", "__array_interface__", "__array_struct__", "__array_ufunc__", "__array_function__",
    "__array_priority__",
)  # fmt: skip
_OF_NUMBERS = ("__float__", "__int__", "__index__", "__complex__")
_OF_SEQUENCES = ("__len__", "__iter__")
_PLAINLY: dict[str, Callable[[Any, Any], Any]] = {"divmod": divmod, "and": operator.and_, "or": operator.or_}


def plainly(name: str) -> Callable[[Any, Any], Any]:
    """The operator of a special method without its underscores.

    >>> plainly("add")(1, 2), plainly("and")(6, 3)
    (3, 2)
    """
    return _PLAINLY.get(name) or getattr(operator, name)


def _is_ours(cls: type) -> bool:
    """A Tensor, say: the trace knows what NumPy makes of it."""
    return cls.__module__.split(".")[0] == "runtime"


def is_no_sequence(x: Any) -> bool:
    """Is this a dict or set that only a run knows, of which NumPy makes no array of its items?"""
    kind = x.type if isinstance(x, Staged) else None
    return isinstance(kind, ContainerType) and (kind.is_mapping or kind.name == "set")


def beside(name: str, array: Any, other: Any, swapped: bool = False) -> Any:
    """An operator of an array or a NumPy scalar beside an ``other`` that is no operand."""
    cls = type(other)
    is_of_run = isinstance(other, Staged) and other.type != STR and not is_no_sequence(other)
    if array.boxed or isinstance(other, Choice) or is_of_run:
        return NotImplemented
    if cls in _KNOWN:  # what NumPy says of them it says of any number
        sample = _sample(array.type)
        plainly(name)(*((other, sample) if swapped else (sample, other)))
    has_items = _is_ours(cls) or any(hasattr(cls, asked) for asked in (*_OF_NUMPY, "__getitem__"))
    if isinstance(array.type, ScalarType) and not has_items and not _is_of_library(other, name):
        return _number_beside(name, array, other, swapped)
    raise refuse(
        f"an operator between an array or a number of NumPy's and a {cls.__name__} is not staged",
        "make an array of it, np.array(list(...)) say, or call a method of a class of yours with the array",
    )


def _sample(kind: Any) -> Any:
    if isinstance(kind, ScalarType):
        return kind.dtype.type(1)
    return np.ones([1 if n is None else n for n in kind.shape], kind.dtype)


def _number_beside(name: str, scalar: Any, other: Any, swapped: bool) -> Any:
    """NumPy asks the other operand, and gives it a number of Python's."""
    kind = {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(scalar.dtype.kind)
    if name == "matmul" or kind is None:
        return NotImplemented
    number, marked = emit(f"py.{kind}", [scalar]), MARKED[plainly(name)]
    return marked(other, number) if swapped else marked(number, other)


def _methods(cls: type, name: str) -> list[Any]:
    """The methods by which an operand of this class may answer, on the left and on the right."""
    swapped = f"__{SWAPPED[name]}__" if name in SWAPPED else f"__r{name}__"
    return [getattr(cls, method, None) for method in (f"__{name}__", swapped)]


def _is_of_users(method: Any) -> bool:
    return isinstance(method, FunctionType) and not is_library(method.__globals__.get("__name__") or "")


def _is_of_library(other: Any, name: str) -> bool:
    """Does a class that is none of the user's, nor of ours, answer this operator, on either side?"""
    cls = type(other)
    if isinstance(other, Staged | Choice | Indexed) or cls in _KNOWN or _is_ours(cls):
        return False
    plain = [None, *(method for known in (object, *_KNOWN) for method in _methods(known, name))]
    methods = [method for method in _methods(cls, name) if method not in plain]
    return bool(methods) and not any(map(_is_of_users, methods))


def refuse_of_library(name: str, kind: str, other: Any) -> None:
    """Raises StagingError for an operator beside an object of a library that may answer it."""
    if _is_of_library(other, name):
        raise _refused_beside(kind, type(other).__name__)


def refuse_own_operators(name: str, kind: str, number: Any) -> None:
    """Raises StagingError beside a number of a class of its own that answers the operator itself."""
    if isinstance(number, Staged) or type(number) in NUMBERS:
        return
    if any(isinstance(method, FunctionType) for method in _methods(type(number), name)):
        raise _refused_beside(kind, type(number).__name__)


def refuse_inside_fraction(kind: str) -> None:
    """Raises StagingError where `float(a) ** b` is `Fraction.__pow__`, which took a staged int for no int."""
    if sys._getframe(2).f_globals.get("__name__") == "fractions":
        raise _refused_beside(kind, "Fraction")


def _refused_beside(kind: str, cls: str) -> Exception:
    return refuse(
        f"an operator between a staged {kind} and a {cls} is done by code that knows plain numbers only",
        f"make a number or an array of the {cls} before, or compute it outside the decorated function",
    )


def refuse_own_reading(x: Any) -> None:
    """Raises StagingError for a number or a list of a class that tells NumPy itself what it is."""
    cls = type(x)
    if cls.__module__ == "builtins" or isinstance(x, Staged | np.generic | np.ndarray) or _is_ours(cls):
        return
    names = (*_OF_NUMPY, *(_OF_SEQUENCES if isinstance(x, list | tuple) else _OF_NUMBERS))
    for name in names:
        if any(name in vars(base) for base in cls.__mro__ if base.__module__ != "builtins"):
            raise refuse(
                f"a {cls.__name__} meets NumPy, which asks the class by its `{name}`",
                "make a plain number, list or array of it first",
            )
