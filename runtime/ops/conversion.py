"""Constants, and the conversions that joins of types need: ``constant``, ``undef``, ``cast``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> REGISTRY["cast"].kernel(3, to=parse_type("float"))
3.0
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from runtime.ops.definition import PURE, Effects, none, op
from runtime.ops.item_patterns import base_of
from runtime.ops.python_numbers import fitting
from runtime.types import (
    CLASS,
    FLOAT,
    INT,
    PYTHON_TYPES,
    ArrayType,
    NumberType,
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
