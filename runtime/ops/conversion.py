"""Constants, and the conversions that joins of types need: ``constant``, ``undef``, ``cast``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> REGISTRY["cast"].kernel(3, to=parse_type("float"))
3.0

Python's conversions of numbers, of NumPy values too: ``py.int``, ``py.float``, ``py.bool``, ``py.round``.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["py.int"].kernel(2.7)
2
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Effects, Vjp, none, op, same_as
from runtime.ops.formulas import BOOL as BOOL_DTYPE
from runtime.ops.formulas import FLOAT64, Formula, c_call, native, to_int64
from runtime.ops.item_patterns import base_of
from runtime.ops.python_numbers import CONVERSION, SINGLE, arithmetic, fits, fitting
from runtime.types import (
    BOOL,
    CLASS,
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
    is_subtype,
    type_of,
)

op(
    "constant",
    lambda value: value,
    lambda types, value: CLASS if isinstance(value, type) else type_of(value),
    formula=lambda b: b.constant(b.attribute("value"), np.asarray(b.attribute("value")).dtype),
    family="constant",
    vjp=none("a constant"),
)


def nobody_reads(type: Type) -> Any:
    """A value of a type, as cheap as can be: the payload of an alternative that was not chosen."""
    if isinstance(type, NumberType):
        return PYTHON_TYPES[type.kind]()
    if isinstance(type, ScalarType):
        return type.dtype.type()
    if isinstance(type, ArrayType):
        return np.empty([n or 0 for n in type.shape], type.dtype)
    cls = base_of(type)
    return None if cls is None else cls()


def _native_undef(b: Any) -> Any:
    type = b.attribute("type")
    if isinstance(type, ObjectType | ArrayType) or type.dtype.kind == "c":
        return NotImplemented
    return b.constant(type.dtype.type().item(), type.dtype)


op(
    "undef",
    nobody_reads,
    lambda types, type: type,
    formula=_native_undef,
    family="constant",
    vjp=none("a constant"),
)


def cast(x: Any, to: Type) -> Any:
    """``x`` as type ``to``, which is a join of its own type with others. An array is copied."""
    if isinstance(to, ArrayType):
        return np.array(x, dtype=to.dtype)
    if isinstance(to, ScalarType):
        return to.dtype.type(x)
    if isinstance(to, NumberType):
        x = x.item() if isinstance(x, np.generic | np.ndarray) else x
        return fitting(PYTHON_TYPES[to.kind](x), "int()") if to == INT else PYTHON_TYPES[to.kind](x)
    return x


def cast_rule(types: tuple[Type, ...], to: Type) -> Type:
    (t,) = types
    if isinstance(t, ObjectType) or isinstance(to, ObjectType):
        if not is_subtype(t, to):
            raise TypeError(f"cannot convert a value of type {t} to {to}")
        return to
    if isinstance(t, ArrayType) and (not isinstance(to, ArrayType) or to.ndim != t.ndim):
        raise TypeError(f"cannot convert an array {t} to {to}")
    if isinstance(to, ArrayType) and not isinstance(t, ArrayType) and to.ndim:
        raise TypeError(f"cannot convert {t} to an array {to}")
    return to


def cast_effects(types: tuple[Type, ...], to: Type) -> Effects:
    if isinstance(to, ObjectType):
        return Effects(view_of=0, reads=False)  # an object that refers to the same value
    (t,) = types
    if isinstance(t, NumberType) and not isinstance(to, NumberType):
        fits = t not in (INT, FLOAT) or to.dtype.kind not in "iu" or (t == INT and to.dtype.name == "int64")
        return Effects(may_raise=not fits)
    return PURE


def _native_cast(b: Any, x: Any) -> Any:
    to = b.attribute("to")
    if isinstance(to, ArrayType | ObjectType) or "c" in (b.dtype(x).kind, to.dtype.kind):
        return NotImplemented
    return b.convert(x, to.dtype)


def _cast_from(types: tuple[Any, ...], to: Type) -> tuple[np.dtype, ...]:
    """A Python number must fit."""
    whole = isinstance(to, ScalarType) and to.dtype.kind in "iu"
    if isinstance(to, ScalarType) and (types == (INT,) or (types == (FLOAT,) and whole)):
        return (to.dtype,)
    return (types[0].dtype,)


op(
    "cast",
    cast,
    cast_rule,
    loops=_cast_from,
    formula=_native_cast,
    effects=cast_effects,
    family="conversion",
    lowered=("complex",),
    vjp=lambda g, y, x, to: (g,),
)


#: how far a conversion may go, as NumPy says it
Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


def astype(x: Any, dtype: np.dtype, copy: bool = True, casting: Casting = "unsafe") -> Any:
    if isinstance(x, np.ndarray | np.generic):
        return x.astype(dtype, copy=copy, casting=casting)
    return np.asarray(x).astype(dtype)[()]


def astype_rule(
    types: tuple[Type, ...], dtype: np.dtype, copy: bool = True, casting: Casting = "unsafe"
) -> Type:
    (t,) = types
    if isinstance(t, ObjectType):
        raise TypeError(f"cannot convert a value of type {t} to {dtype}")
    if not np.can_cast(t.dtype, dtype, casting):
        np.zeros((1,) * t.ndim, t.dtype).astype(dtype, casting=casting)  # raises
    return ArrayType(dtype, t.shape) if isinstance(t, ArrayType) else ScalarType(dtype)


def astype_effects(types: tuple[Type, ...], copy: bool = True, **_: Any) -> Effects:
    return PURE if copy else Effects(view_of=0, copies=True)


op(
    "astype",
    astype,
    astype_rule,
    astype_effects,
    [
        [(3,), {"dtype": np.dtype("float32")}],
        [(3,), {"dtype": np.dtype("float64")}],
        [(2, 2), {"dtype": np.dtype("int64")}],
    ],
    family="conversion",
    vjp=lambda g, y, x, **_: (g,),
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
