"""Python's conversions of numbers, of NumPy values too: ``py.int``, ``py.float``, ``py.bool``, ``py.round``.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["py.int"].kernel(2.7)
2
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Effects, Vjp, none, op, same_as
from runtime.ops.formulas import BOOL as BOOL_DTYPE
from runtime.ops.formulas import FLOAT64, Formula, c_call, native, to_int64
from runtime.ops.python_numbers import CONVERSION, SINGLE, arithmetic, fits, fitting
from runtime.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    PYTHON_TYPES,
    ArrayType,
    NumberType,
    NumericType,
    ObjectType,
    ScalarType,
    Type,
)

_TO_WHOLE_NUMBERS = none("a conversion to whole numbers")


def conversion_rule(result: NumberType, name: str) -> Callable[..., Type]:
    def infer(types: tuple[Type, ...]) -> Type:
        (t,) = types
        if name == "py.index" and not isinstance(t, ObjectType) and not t.ndim:
            operator.index(_zero(t))  # raises for what is no integer
        if isinstance(t, ArrayType) and t.ndim and name != "py.bool" and None not in t.shape:
            python_name = name.removeprefix("py.")
            shape: Any = t.shape
            convert: Any = operator.index if python_name == "index" else PYTHON_TYPES[python_name]
            convert(np.broadcast_to(np.zeros((), t.dtype), shape))  # raises as NumPy does
        if COMPLEX == t and result in (INT, FLOAT):
            PYTHON_TYPES[result.kind](1j)  # raises
        return result

    return infer


def _zero(t: NumericType) -> Any:
    if isinstance(t, NumberType):
        return PYTHON_TYPES[t.kind](0)
    return np.zeros((), t.dtype) if isinstance(t, ArrayType) else t.dtype.type(0)


def conversion_effects(types: tuple[Type, ...]) -> Effects:
    (t,) = types
    safe = isinstance(t, NumberType | ScalarType) and t.dtype.kind in "bi"
    return PURE if safe else MAY_RAISE


def truth_effects(types: tuple[Type, ...]) -> Effects:
    (t,) = types
    if isinstance(t, ObjectType):
        return (
            PURE if t.name == "str" else Effects(ordered=True, may_raise=True)
        )  # __bool__ may be the user's
    return MAY_RAISE if t.ndim else PURE


def to_int(x: Any) -> int:
    result = int(x)
    return result if fits(result) else fitting(result, "int()")


def conversion(
    name: str,
    result: NumberType,
    kernel: Callable[..., Any],
    formula: Formula | None,
    effects: Effects | Callable[..., Effects] = conversion_effects,
    samples: Sequence[Any] = ([1], [-2.5], [True], [()]),
    vjp: Vjp = _TO_WHOLE_NUMBERS,
) -> None:
    op(
        name,
        kernel,
        conversion_rule(result, name),
        formula=None if formula is None else native("biuf", formula),
        effects=effects,
        samples=samples,
        family=CONVERSION,
        lowered=("complex",),
        vjp=vjp,
    )


_SELF: Vjp = lambda g, y, x: (g,)
conversion("py.int", INT, to_int, to_int64)
conversion("py.float", FLOAT, float, lambda x: x.to(FLOAT64), vjp=_SELF)
conversion("py.complex", COMPLEX, complex, None, vjp=_SELF)
conversion("py.bool", BOOL, bool, lambda x: x.to(BOOL_DTYPE), truth_effects)
conversion("py.not", BOOL, operator.not_, lambda x: ~x.to(BOOL_DTYPE), truth_effects)
conversion("py.index", INT, operator.index, to_int64, conversion_effects, [[3], [True]])

_ROUNDED, _NUMBERS = [[2.567, 2], [1234, -2], [2.5, 0]], [[3], [2.5], [True], [1 + 2j]]
_rint = lambda x: x if x.kind == "i" else to_int64(c_call("rint", x))
_round_digits = lambda x, digits: round(x, digits)
_conjugate = lambda x: x.conjugate()
arithmetic("py.round", lambda x: round(x), "round()", _rint, none("rounding"), samples=SINGLE)
arithmetic("py.round_digits", _round_digits, "round()", None, none("rounding"), samples=_ROUNDED)
arithmetic(
    "py.conjugate",
    _conjugate,
    "conjugate",
    operator.pos,
    same_as("conjugate"),
    effects=PURE,
    samples=_NUMBERS,
)
_real, _imag = operator.attrgetter("real"), operator.attrgetter("imag")
arithmetic("py.real", _real, "real", operator.pos, same_as("real"), effects=PURE, samples=_NUMBERS)
arithmetic("py.imag", _imag, "imag", lambda x: x.of(0), same_as("imag"), effects=PURE, samples=_NUMBERS)
