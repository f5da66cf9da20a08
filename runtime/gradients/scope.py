"""The adjoints of values: their types, zeros, and cotangents in the shape and dtype of a value."""

from __future__ import annotations

from typing import TypeGuard

from runtime.graph import Value
from runtime.graph.rewrite import BlockScope as BlockScope
from runtime.types import ArrayType, BufferType, NumberType, NumericType, ObjectType, ScalarType, Type


def is_smooth(type: Type) -> TypeGuard[NumericType]:
    """Can a value of this type have a derivative: a number or an array, real or complex?"""
    return not isinstance(type, ObjectType) and type.dtype.kind in "fc"


def is_buffer(value: Value) -> bool:
    """Is it a list that became a buffer (ops/buffers.py)?"""
    return isinstance(value.type, BufferType)


def adjoint_type(type: Type) -> ArrayType | ScalarType:
    """The type of the adjoint of a value: a NumPy scalar for whatever has no axes."""
    assert isinstance(type, ArrayType | ScalarType | NumberType)
    if isinstance(type, ArrayType) and type.shape:
        return type
    return ScalarType(type.dtype)


def copying(value: Value) -> str:
    """The operation that copies an array: one that can be part of a loop over arrays, where there is one."""
    found = value.numeric
    return "positive" if found.shape and found.dtype.kind in "iuf" else "copy"


def zero(scope: BlockScope, like: Value) -> Value:
    """The zero adjoint of a value."""
    found = adjoint_type(like.type)
    if isinstance(found, ScalarType):
        return scope.constant(found.dtype.type(0))
    return scope.make("like", like, name="zeros_like", dtype=found.dtype, order="K")


def fit(scope: BlockScope, value: Value, like: Value, spread: bool = True, summed: bool = True) -> Value:
    """A cotangent in the shape and dtype of its value: summed where it was broadcast, spread where
    it was summed.

    ``spread``: not needed where it is added in place, which spreads by itself. ``summed``: not
    needed where nothing was broadcast.
    """
    wanted = adjoint_type(like.type)
    if value.dtype.kind == "c" and wanted.dtype.kind != "c":
        value = scope.make("real", value)
    if isinstance(wanted, ScalarType):
        if isinstance(value.type, ArrayType):
            value = scope.make("sum", value)
    elif summed and isinstance(value.type, ArrayType) and value.ndim:
        value = scope.make("sum_like", value, like)
    if isinstance(wanted, ArrayType) and spread and value.shape != wanted.shape:
        value = scope.make("broadcast_like", value, like)
    if value.dtype != wanted.dtype:
        value = scope.make("astype", value, dtype=wanted.dtype)
    elif isinstance(value.type, NumberType):
        value = scope.make("cast", value, to=ScalarType(wanted.dtype))
    return value
