"""Operators of staged numbers beside objects of libraries: Fraction, Decimal, timedelta, array.array.

    Fraction(1, 3) * n      timedelta(days=1) * n      Decimal(2) == n

Their code knows numbers, and no staged one: it would give NotImplemented, and Python a TypeError that plain
numbers do not cause. What the operator does with a plain number says which it is.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from autograph.loading import loaded
from runtime.iteration.indexed import Indexed
from runtime.ops.instances import is_library
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice

#: what Python's numbers do beside these, our operators know
_KNOWN = (
    str,
    bytes,
    list,
    tuple,
    dict,
    set,
    frozenset,
    range,
    slice,
    type,
    type(None),
    type(...),
    FunctionType,
)


_OF_OBJECT = [getattr(object, f"__{name}__") for name in ("lt", "le", "gt", "ge", "eq", "ne")]
#: the comparison with the operands swapped
SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def is_of_library(other: Any, operator: str) -> bool:
    """Does a class that is none of the user's, nor of ours, answer this operator, on either side?"""
    cls = type(other)
    if isinstance(other, Staged | Choice | Indexed) or cls in _KNOWN or cls.__module__.startswith("runtime."):
        return False
    reflected = f"__{SWAPPED[operator]}__" if operator in SWAPPED else f"__r{operator}__"
    methods = [getattr(cls, name, None) for name in (f"__{operator}__", reflected, "__getattr__")]
    if not all(
        is_library(function.__globals__.get("__name__") or "")
        for function in methods
        if isinstance(function, FunctionType)
    ):
        return False
    inherits = any(method not in (None, *_OF_OBJECT) for method in methods)
    return inherits or is_library(cls.__module__) or cls.__module__ == "builtins"


def refuse_answered(operator: Any, name: str, kind: str, sample: Any, other: Any, swapped: bool) -> None:
    """Raises StagingError where the object of a library answers a number of this kind."""
    if not is_of_library(other, name):
        return
    try:
        made = operator(other, sample) if swapped else operator(sample, other)
    except TypeError:
        return
    except Exception:  # noqa: BLE001  it answers this number in its own way: who knows what it does with others
        made = NotImplemented
    if isinstance(other, int | float | complex):
        kinds: tuple[Any, ...] = (bool, int, float, complex)
        plain = next(kind for kind in kinds if isinstance(other, kind))(other)
        if type(made) is type(operator(plain, sample) if swapped else operator(sample, plain)):
            return  # an IntEnum, say
    raise refuse_beside(kind, other)


def refuse_equal(name: str, kind: str, sample: Any, other: Any) -> None:
    """The same for `==` and `!=`, which raise nothing: does the class compare itself with numbers?"""
    if is_of_library(other, "eq") and is_of_library(other, "ne"):
        method = getattr(type(other), f"__{name}__")
        if method(other, sample) is not NotImplemented and method is not getattr(object, f"__{name}__"):
            raise refuse_beside(kind, other)


def refuse_inside_fraction(kind: str) -> None:
    """Raises StagingError where `float(a) ** b` is `Fraction.__pow__`, which took a staged int for no int."""
    if sys._getframe(2).f_globals.get("__name__") == "fractions":
        raise refuse_beside(kind, loaded("fractions").Fraction())


def refuse_beside(kind: str, other: Any) -> Exception:
    cls = type(other).__name__
    return refuse(
        f"an operator between a staged {kind} and a {cls} is done by code that knows plain numbers only",
        f"make a number or an array of the {cls} before, or compute it outside the decorated function",
    )
