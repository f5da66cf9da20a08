"""Operations that give the same whichever of its number types a value has: they take the promoted one.

    total = 0
    for v in x:                  # of np.float64: `total` is an int or an np.float64 from here on
        total = total + v        # NumPy would convert the int first: one addition, no branch
    return 100 / total           # this one can tell: a branch for the int, another for the np.float64

A choice of numbers carries the promoted value beside the tag (`Choice.promoted`). An operation may take it
where its type rule chooses the same computation for all of the types: the same loop of a ufunc, say.

>>> from runtime.types import FLOAT, INT, parse_type
>>> f64 = parse_type("f64")
>>> binary("add", INT, f64, 0, f64) == binary("add", f64, f64, 0, f64)
True
>>> binary("add", INT, INT, 0, f64) == binary("add", f64, INT, 0, f64)
False
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from runtime.ops import REGISTRY, promotion
from runtime.ops.operators import COMPARISONS, TWINS
from runtime.specs.spec import is_number
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice
from runtime.types import NUMBER_DTYPES, ArrayType, NumberType, NumericType, ScalarType, Type, type_of

_F64 = np.dtype(np.float64)

_SUMS = frozenset({"add", "sub", "mul"})
_QUOTIENTS = frozenset({"truediv", "floordiv", "mod", "pow"})


def of_doubles(function: Any) -> bool:
    """Does a function of `math` convert its argument to a double first? (log takes large ints.)"""
    name = f"math.{getattr(function, '__name__', '')}"
    if getattr(math, name[5:], None) is not function or name[5:8] == "log" or name not in REGISTRY:
        return False
    return REGISTRY[name].family == "python float" and name[5:] not in ("floor", "ceil", "trunc")


def promoted_for(choice: Any, positions: Sequence[int], rule: Callable[[NumericType], Hashable]) -> Any:
    """The promoted value of a choice, where `rule` is the same for all types that it may have; else None."""
    promoted = choice.promoted if isinstance(choice, Choice) else None
    if promoted is None or len(positions) < 2:
        return None
    types = [number_type(choice.values[position]) for position in positions]
    wanted = rule(promoted.type)
    return promoted if all(found is not None and rule(found) == wanted for found in types) else None


def number_type(value: Any) -> NumberType | ScalarType | None:
    """The type of a number or a NumPy scalar, staged or not; None of anything else."""
    if isinstance(value, Staged):
        return value.type if is_number(value.type) else None
    if type(value) in (bool, int, float) or isinstance(value, np.generic):
        found = type_of(value)
        return found if is_number(found) else None
    return None


def are_numbers(values: Sequence[Any]) -> bool:
    """Are all of them numbers, or choices of numbers?"""
    each = [one for value in values for one in (value.values if isinstance(value, Choice) else (value,))]
    return all(number_type(one) is not None for one in each)


def operand_types(value: Any) -> list[Type]:
    """The types that an operand may have, or none where one of them is no number and no array."""
    found: list[Type] = []
    for one in value.values if isinstance(value, Choice) else (value,):
        is_array = isinstance(one, Staged) and isinstance(one.type, ArrayType)
        known = one.type if is_array else number_type(one)
        if known is None:
            return []
        found.append(known)
    return found


def binary(name: str, a: Any, b: Any, position: int, promoted: Any) -> Hashable:
    """What computes ``a <operator> b``, of which operand ``position`` is to be promoted.

    Where operands have types of which one computation takes care, it is the same; else it names the type.
    """
    mine = (a, b)[position]
    if isinstance(a, NumberType) and isinstance(b, NumberType):
        return _python_arithmetic(name, a, b) or mine
    ufunc = TWINS.get(name)
    return mine if ufunc is None else ufunc_loop(getattr(np, ufunc), (a, b), position, promoted)


def _python_arithmetic(name: str, a: NumberType, b: NumberType) -> Hashable:
    kind = max(a.kind, b.kind, "int", key=list(NUMBER_DTYPES).index)
    if kind == "float":  # comparisons of an int with a float are exact
        return ("python", kind) if name in _SUMS | _QUOTIENTS else None
    if kind == "int":
        return ("python", kind) if name in {*_SUMS, *COMPARISONS} else None
    return None


def ufunc_loop(ufunc: np.ufunc, types: Sequence[Any], position: int, promoted: Any) -> Hashable:
    """The loop of a ufunc, where it is to take a value of ``promoted`` as it takes one of the type itself."""
    mine = types[position]
    try:
        loop = promotion.loop_dtypes(ufunc, types)
    except TypeError:
        return mine  # refused for some types: each by itself
    is_exact = mine.dtype == promoted.dtype or {mine.dtype.kind, promoted.dtype.kind} <= set("iu")
    return loop if is_exact or loop[position] == promoted.dtype else mine


def stored(target: np.dtype, promoted: Any) -> Callable[[Any], Hashable]:
    """What a store into an array does: it converts, which promotion has done already."""
    return lambda mine: True if mine == promoted or promoted.dtype == target else mine


def argument(function: Any, args: tuple[Any, ...], position: int) -> Callable[[Any], Hashable] | None:
    """What a call does with an argument of a type; None where nothing is known of the function."""
    promoted = args[position].promoted
    if promoted is None:
        return None
    if function is float or of_doubles(function):
        return lambda mine: promoted.type.dtype == _F64 or mine
    if isinstance(function, np.ufunc) and len(args) == function.nin:
        others = [operand_types(arg) for arg in args]
        if all(len(found) == 1 for place, found in enumerate(others) if place != position):
            known = [found[0] for found in others]

            def loop(mine: Any) -> Hashable:
                types = [*known[:position], mine, *known[position + 1 :]]
                return ufunc_loop(function, types, position, promoted.type)

            return loop
    return None


def operator_rule(name: str, other: Any, position: int, promoted: Any) -> Callable[[Any], Hashable] | None:
    """What an operator does with an operand of a type beside ``other``; None where that is no number."""
    others = operand_types(other)
    if not others:
        return None

    def rule(mine: Any) -> Hashable:
        pairs = [(mine, one) if position == 0 else (one, mine) for one in others]
        return tuple([binary(name, a, b, position, promoted) for a, b in pairs])

    return rule
