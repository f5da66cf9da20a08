"""Type rules taken from NumPy itself: dtypes from a ufunc's loops or from a trial run, shapes by rule.

>>> from runtime.types import INT, parse_type
>>> import numpy as np
>>> print(elementwise(np.add)((parse_type("f32[3,1]"), parse_type("i64[4]"))))
f64[3,4]
>>> print(elementwise(np.add)((parse_type("f32[None]"), INT)))
f32[None]

A type rule for what moves, joins or reduces: NumPy is run on short arrays, and asked for the lengths.

>>> from runtime.types import parse_type
>>> print(by_run(np.tile)((parse_type("f32[None,1000]"),), reps=(2, 3)))
f32[None,3000]

A length that is unknown or long takes part as a short one. The lengths of the results are sums of multiples
of those of the operands; what they are is found by making each operand's one longer. Where that is not so
(`ravel`), or NumPy raises, it is asked about the true lengths, of arrays that take no memory: so the words
are NumPy's. It is not for results that are as long as the shorter of two lengths (`diagonal`), nor for
operands of which lengths must agree (`concatenate`): an unknown one may be what the other is.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Effects, Infer, UnsupportedError
from runtime.types import (
    OBJECT,
    PYTHON_TYPES,
    ArrayType,
    NumberType,
    NumericType,
    ObjectType,
    ScalarType,
    Shape,
    Type,
    is_supported_dtype,
    type_of,
)

DType: TypeAlias = "np.dtype"


def numeric(types: Sequence[Type], what: str) -> tuple[NumericType, ...]:
    """The same types, none of them an object. Raises TypeError."""
    found: list[NumericType] = []
    for t in types:
        if isinstance(t, ObjectType):
            raise UnsupportedError(f"{what} of a value of type {t} known only at run time is not supported")
        found.append(t)
    return tuple(found)


# -- dtypes --------------------------------------------------------------------------------------------


def loop_dtypes(ufunc: np.ufunc, types: Sequence[NumericType]) -> tuple[DType, ...]:
    """The dtypes of the inner loop, inputs then outputs, as NumPy chooses them; Python numbers are weak."""
    return _loop_dtypes(ufunc, tuple([_weak_or_dtype(t) for t in types]))


def _weak_or_dtype(t: NumericType) -> Any:
    if isinstance(t, NumberType) and t.kind != "bool":
        return PYTHON_TYPES[t.kind]
    return t.dtype


def common_dtype(types: Sequence[NumericType]) -> DType:
    """The dtype that they have together; Python numbers are weak.

    >>> from runtime.types import INT, parse_type
    >>> common_dtype((parse_type("i8[3]"), INT)), common_dtype((INT, INT))
    (dtype('int8'), dtype('int64'))
    """
    return np.result_type(*[PYTHON_TYPES[t.kind](1) if isinstance(t, NumberType) else t.dtype for t in types])


@cache
def _loop_dtypes(ufunc: np.ufunc, dtypes: tuple[Any, ...]) -> tuple[DType, ...]:
    return ufunc.resolve_dtypes((*dtypes, *(None,) * ufunc.nout))


# -- shapes --------------------------------------------------------------------------------------------


def broadcast_dims(a: int | None, b: int | None) -> int | None:
    """One dimension of a broadcast. An unknown length beside n > 1 is n; the kernel checks."""
    if a == b or b == 1:
        return a
    if a == 1 or a is None:
        return b
    if b is None:
        return a
    raise ValueError


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape of a broadcast. Raises ValueError with the words of NumPy's ufuncs.

    >>> broadcast_shapes((None, 3), (5, 1, 1))
    (5, None, 3)
    """
    result: Shape = ()
    try:
        for shape in shapes:
            if not result:
                result = shape
                continue
            if not shape or shape == result:
                continue
            short, long = sorted((result, shape), key=len)
            head = len(long) - len(short)
            result = long[:head] + tuple(map(broadcast_dims, long[head:], short))
        return result
    except ValueError:
        listed = "".join(f"{shape_text(shape)} " for shape in shapes)
        raise ValueError(f"operands could not be broadcast together with shapes {listed}") from None


def shape_text(shape: Shape) -> str:
    """A shape in the words of an exception. Raises UnsupportedError where only a run knows it."""
    if None in shape:
        raise UnsupportedError("shapes of which only a run knows a length do not go together")
    return "(" + ",".join(str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def broadcast_may_fail(shapes: Sequence[Shape]) -> bool:
    """Can a broadcast of these shapes, known to be possible statically, fail at run time?"""
    if not any(None in shape for shape in shapes):
        return False
    longest = max(map(len, shapes), default=0)
    for k in range(1, longest + 1):
        dims = [shape[-k] for shape in shapes if len(shape) >= k and shape[-k] != 1]
        if len(dims) > 1 and None in dims:
            return True
    return False


def normalize_axis(axis: int, ndim: int) -> int:
    """``axis`` counted from the front. Raises NumPy's AxisError; TypeError for a bool, or no integer."""
    if isinstance(axis, bool):
        raise TypeError("an integer is required")
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim, None)
    return axis % ndim


def normalize_axes(axis: int | tuple[int, ...] | None, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    found = tuple([normalize_axis(a, ndim) for a in axes])
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return found


def known_size(shape: Shape) -> int | None:
    """The number of elements, or None where it is not known."""
    size = 1
    for n in shape:
        if n is None:
            return 0 if 0 in shape else None
        size *= n
    return size


# -- trial runs ----------------------------------------------------------------------------------------


def dummy(t: Type, length: int = 1) -> Any:
    """A value of type ``t`` with every dimension ``length`` long, harmless for every function (ones)."""
    if isinstance(t, NumberType):
        return PYTHON_TYPES[t.kind](1)
    if isinstance(t, ScalarType):
        return t.dtype.type(1)
    if isinstance(t, ArrayType):
        return np.ones((length,) * t.ndim, t.dtype)
    raise UnsupportedError(f"a value of type {t} known only at run time is not supported here")


def frozen(value: Any) -> Hashable:
    """A hashable stand-in for an attribute."""
    if isinstance(value, list | tuple):
        return (type(value).__name__, *map(frozen, value))
    if isinstance(value, dict):
        return tuple((k, frozen(v)) for k, v in value.items())
    if isinstance(value, slice):
        return ("slice", frozen(value.start), frozen(value.stop), frozen(value.step))
    return (type(value), value)


_trials: dict[Hashable, tuple[Type, ...]] = {}


def trial(kernel: Callable[..., Any], types: Sequence[Type], attributes: dict[str, Any]) -> tuple[Type, ...]:
    """Types of the results of a kernel run on tiny arrays: dtypes, ranks and kinds are NumPy's own."""
    key = (kernel, tuple([_kind(t) for t in types]), frozen(attributes))
    if key not in _trials:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = kernel(*[dummy(t) for t in types], **attributes)
        results = tuple(result) if isinstance(result, tuple) else (result,)
        _trials[key] = tuple(map(result_type, results))
    return _trials[key]


def _kind(t: Type) -> Hashable:
    return (ArrayType, t.dtype, t.ndim) if isinstance(t, ArrayType) else t


def result_type(value: Any) -> Type:
    """``type_of`` for results of kernels: refuses what no staged value can be."""
    found = type_of(value)
    if found == OBJECT:
        dtype = getattr(value, "dtype", None)
        what = f"dtype {dtype}" if dtype is not None else f"type {type(value).__name__}"
        raise TypeError(f"a result of {what} cannot be staged")
    return found


def shaped(t: Type, shape: Shape) -> Type:
    """``t``, which a trial found, with its true shape. Raises TypeError where it is of another rank."""
    if isinstance(t, ObjectType) or t.ndim != len(shape):
        raise TypeError(f"a result of {t} cannot have the shape {shape}")
    return ArrayType(t.dtype, shape) if isinstance(t, ArrayType) else t


# -- rules of families ---------------------------------------------------------------------------------


def ruled(kernel: Callable[..., Any], shape_rule: Callable[..., Shape], name: str) -> Infer:
    """The shape by a function of the operands' shapes, the dtype by a trial."""

    def infer(types: tuple[Type, ...], **attributes: Any) -> Type:
        operands = numeric(types, f"np.{name}()")
        shape = shape_rule(*[t.shape for t in operands], **attributes)
        (found,) = trial(kernel, types, attributes)
        return shaped(found, shape)

    return infer


def elementwise(ufunc: np.ufunc) -> Infer:
    """Dtype by the ufunc's loops, shape by broadcasting, rank 0 gives a scalar."""

    def infer(types: tuple[Type, ...], dtype: DType | None = None) -> Type | tuple[Type, ...]:
        operands = numeric(types, f"'{ufunc.__name__}'")
        if dtype is not None:
            found: tuple[DType, ...] = ufunc.resolve_dtypes(
                (*[_weak_or_dtype(t) for t in operands], *(None,) * ufunc.nout),
                signature=(None,) * ufunc.nin + (dtype,) * ufunc.nout,
                casting="same_kind",
            )
        else:
            found = loop_dtypes(ufunc, operands)
        shape = broadcast_shapes(*[t.shape for t in operands])
        results = [ScalarType(d) if not shape else ArrayType(d, shape) for d in found[ufunc.nin :]]
        for result in results:
            if not is_supported_dtype(result.dtype):
                raise UnsupportedError(f"a result of dtype {result.dtype} cannot be staged")
        return results[0] if len(results) == 1 else tuple(results)

    return infer


def elementwise_effects(types: tuple[NumericType, ...], **attributes: Any) -> Effects:
    """Raises where lengths known only at run time differ, or a Python int does not fit the dtype."""
    if len(types) == 1:
        return PURE
    if broadcast_may_fail([t.shape for t in types]):
        return MAY_RAISE
    if INT_TYPE in types and any(
        not isinstance(t, NumberType) and t.dtype.kind in "iu" and t.dtype != np.int64 for t in types
    ):
        return MAY_RAISE
    return PURE


INT_TYPE = NumberType("int")


_SHORT = 16
#: stand for lengths, which are never equal by accident
_PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
#: the rules that are made here: a test holds them to arrays of other lengths
BY_RUN: set[Infer] = set()
_known: dict[Hashable, tuple[Type, ...]] = {}


def by_run(kernel: Callable[..., Any], name: str = "") -> Infer:
    def infer(types: tuple[Type, ...], **attributes: Any) -> Any:
        key = (kernel, types, frozen(attributes))
        if key not in _known:
            numeric(types, f"np.{name or kernel.__name__}()")
            _known[key] = _types(kernel, types, attributes)
        found = _known[key]
        return found[0] if len(found) == 1 else found

    BY_RUN.add(infer)
    return infer


def _run(
    kernel: Any, types: Sequence[Type], attributes: dict[str, Any], lengths: dict[Any, int]
) -> tuple[Any, ...]:
    def stand_in(t: Type) -> Any:
        if not isinstance(t, ArrayType):
            return dummy(t)
        shape = [lengths[n] if n is None else lengths.get(n, n) for n in t.shape]
        return np.broadcast_to(np.ones((), t.dtype), shape)

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = kernel(*map(stand_in, types), **attributes)
    return found if isinstance(found, tuple) else (found,)


def _types(kernel: Any, types: tuple[Type, ...], attributes: dict[str, Any]) -> tuple[Type, ...]:
    lengths = {n for t in types if isinstance(t, ArrayType) for n in t.shape if n is None or n > _SHORT}
    if len(lengths) > len(_PRIMES):
        return _of_true_lengths(kernel, types, attributes)
    first = dict(zip(sorted(lengths, key=str), _PRIMES, strict=False))
    try:
        found = _run(kernel, types, attributes, first)
        longer = {n: _run(kernel, types, attributes, {**first, n: first[n] + 1}) for n in first}
        second = {n: first[n] + 3 + k for k, n in enumerate(first)}
        other = _run(kernel, types, attributes, second) if first else found
    except Exception:  # noqa: BLE001  # for whatever reason NumPy refuses: it is asked with the true lengths
        return _of_true_lengths(kernel, types, attributes)
    results: list[Type] = []
    for k, value in enumerate(found):
        kind, shape = result_type(value), np.shape(value)
        slopes = {n: np.subtract(np.shape(made[k]), shape).tolist() for n, made in longer.items()}
        at = lambda lengths, axis: (
            shape[axis] + sum(slopes[n][axis] * (lengths[n] - first[n]) for n in lengths)
        )
        if any(at(second, axis) != n for axis, n in enumerate(np.shape(other[k]))):
            return _of_true_lengths(kernel, types, attributes)
        true = {n: n for n in first if n is not None}
        unknown = [None in first and slopes[None][axis] != 0 for axis in range(len(shape))]
        lengths_found = tuple([None if unknown[axis] else at(true, axis) for axis in range(len(shape))])
        results.append(ArrayType(kind.dtype, lengths_found) if isinstance(kind, ArrayType) else kind)
    return tuple(results)


def _of_true_lengths(kernel: Any, types: tuple[Type, ...], attributes: dict[str, Any]) -> tuple[Type, ...]:
    """Unknown lengths are two numbers in turn: what differs then is unknown."""
    found = _run(kernel, types, attributes, {None: _PRIMES[0]})
    if not any(isinstance(t, ArrayType) and None in t.shape for t in types):
        return tuple(map(result_type, found))
    try:
        other = _run(kernel, types, attributes, {None: _PRIMES[1]})
    except Exception:  # noqa: BLE001  # it took the first lengths, so that other lengths are the reason
        raise UnsupportedError("shapes of which only a run knows a length do not go together") from None
    results: list[Type] = []
    for x, y in zip(found, other, strict=True):
        kind = result_type(x)
        shape = tuple([n if n == m else None for n, m in zip(np.shape(x), np.shape(y), strict=True)])
        results.append(ArrayType(kind.dtype, shape) if isinstance(kind, ArrayType) else kind)
    return tuple(results)
