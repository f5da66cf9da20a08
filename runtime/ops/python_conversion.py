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
from runtime.ops.python_numbers import (
    BOOL_DTYPE,
    CONVERSION,
    F64,
    I64,
    SINGLE,
    arithmetic,
    fits,
    fitting,
    is_complex,
    is_int,
)
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


def native_int(b: Any, x: Any) -> Any:
    dtype = b.dtype(x)
    if dtype.kind == "c":
        return NotImplemented
    if dtype.kind == "u" and dtype.itemsize == 8:
        b.slow_if(b.lt(b.convert(x, I64), b.constant(0, I64)))
    elif dtype.kind == "f":
        x = b.convert(x, F64)
        within = b.and_(b.lt(x, b.constant(2.0**63, F64)), b.ge(x, b.constant(-(2.0**63), F64)))
        b.slow_if(b.not_(within))  # NaN, too
        x = b.select(within, x, b.constant(0.0, F64))
    return b.convert(x, I64)


def _native_float(b: Any, x: Any) -> Any:
    return NotImplemented if is_complex(b, x) else b.convert(x, F64)


def _native_round(b: Any, x: Any) -> Any:
    return native_int(b, x if is_int(b, x) else b.call("rint", x))


def conversion(
    name: str,
    result: NumberType,
    kernel: Callable[..., Any],
    native: Callable[..., Any] | None,
    effects: Effects | Callable[..., Effects] = conversion_effects,
    samples: Sequence[Any] = ([1], [-2.5], [True], [()]),
    vjp: Vjp = _TO_WHOLE_NUMBERS,
) -> None:
    op(
        name,
        kernel=kernel,
        infer=conversion_rule(result, name),
        native=native,
        effects=effects,
        samples=samples,
        family=CONVERSION,
        vjp=vjp,
    )


def _native_bool(b: Any, x: Any) -> Any:
    return b.convert(x, BOOL_DTYPE)


conversion("py.int", INT, to_int, native_int)
conversion("py.float", FLOAT, float, _native_float, vjp=lambda g, y, x: (g,))
conversion("py.complex", COMPLEX, complex, None, vjp=lambda g, y, x: (g,))
conversion("py.bool", BOOL, bool, _native_bool, truth_effects)
conversion("py.not", BOOL, operator.not_, lambda b, x: b.not_(_native_bool(b, x)), truth_effects)
conversion("py.index", INT, operator.index, native_int, conversion_effects, [[3], [True]])

arithmetic("py.round", round, "round()", _native_round, samples=SINGLE, vjp=none("rounding"))


def _round_digits(x: Any, digits: int) -> Any:
    return round(x, digits)


_ROUNDED = [[2.567, 2], [1234, -2], [2.5, 0]]
arithmetic("py.round_digits", _round_digits, "round()", None, samples=_ROUNDED, vjp=none("rounding"))


def _complex_part(name: str) -> None:
    read = operator.attrgetter(name)
    function = lambda x: read(x)
    samples = [[3], [2.5], [True], [1 + 2j]]

    def native(b: Any, x: Any) -> Any:
        return NotImplemented

    arithmetic(f"py.{name}", function, name, native, PURE, samples, vjp=same_as(name))


_complex_part("real")
_complex_part("imag")
_NUMBERS = [[3], [2.5], [True], [1 + 2j]]
_conjugate = lambda x: x.conjugate()
arithmetic("py.conjugate", _conjugate, "conjugate", None, PURE, _NUMBERS, vjp=same_as("conjugate"))
