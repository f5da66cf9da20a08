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
from runtime.specs.spec import NUMBERS
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice

#: what Python's numbers do beside these, our operators know
KNOWN = (
    str, bytes, list, tuple, dict, set, frozenset, range, slice, type, type(None), type(...), FunctionType,
)  # fmt: skip
#: the comparison with the operands swapped
SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def _methods(cls: type, operator: str) -> list[Any]:
    """The methods by which an operand of this class may answer, on the left and on the right."""
    swapped = f"__{SWAPPED[operator]}__" if operator in SWAPPED else f"__r{operator}__"
    return [getattr(cls, name, None) for name in (f"__{operator}__", swapped)]


def is_of_library(other: Any, operator: str) -> bool:
    """Does a class that is none of the user's, nor of ours, answer this operator, on either side?"""
    cls = type(other)
    if isinstance(other, Staged | Choice | Indexed) or cls in KNOWN or cls.__module__.startswith("runtime."):
        return False
    methods = [*_methods(cls, operator), getattr(cls, "__getattr__", None)]
    inner = [one.__globals__.get("__name__") or "" for one in methods if isinstance(one, FunctionType)]
    if not all(map(is_library, inner)):
        return False
    inherits = any(method not in (None, *_methods(object, operator)) for method in methods)
    return inherits or is_library(cls.__module__) or cls.__module__ == "builtins"


def refuse_answered(name: str, kind: str, sample: Any, other: Any, swapped: bool = False) -> None:
    """Raises StagingError where the object of a library answers a number of this kind."""
    if not is_of_library(other, name):
        return
    method = _methods(type(other), name)[not swapped]
    try:
        answers = method is not None and method(other, sample) is not NotImplemented
    except TypeError:
        return
    except Exception:  # noqa: BLE001  it answers this number in its own way: who knows about others
        answers = True
    if answers:
        raise refuse_beside(kind, other)


def refuse_own_operators(name: str, kind: str, number: Any) -> None:
    """Raises StagingError beside a number of a class of its own that answers the operator itself."""
    if isinstance(number, Staged) or type(number) in NUMBERS:
        return
    if any(isinstance(method, FunctionType) for method in _methods(type(number), name)):
        raise refuse_beside(kind, number)


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
