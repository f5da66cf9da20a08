"""A type rule for what moves, joins or reduces: NumPy is run on short arrays, and asked for the lengths.

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

import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from runtime.ops.definition import Infer, UnsupportedError
from runtime.ops.promotion import dummy, frozen, numeric, result_type
from runtime.types import ArrayType, Type

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
