"""What a person can observe of a value, as a tree that can be compared with another.

Two runs of one program are equal when everything that Python shows of them is equal: values, types
(an ndarray, a NumPy scalar and a Python number are three things), dtypes, shapes, which names mean the
same mutable object, and which arrays share memory.

>>> import numpy as np
>>> first_difference(Observer().see([1, 2.0]), Observer().see([1, 2]))
'[1]: expected float 2.0, got int 2'
>>> x = np.zeros(3)
>>> first_difference(Observer().see((x, x[1:])), Observer().see((x, x[1:].copy())))
'[1]: expected memory shared with arrays [0], got with []'
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import fractions
import functools
import math
import pathlib
import re
import types
import uuid
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far two floating-point numbers may lie apart; with `any_zero`, zeros of both signs are equal.

    >>> Tolerance(relative=1e-12).equal(1.0, 1.0 + 1e-15), Tolerance().equal(1.0, 1.0 + 1e-15)
    (True, False)
    """

    relative: float = 0.0
    any_zero: bool = False

    def equal(self, a: Any, b: Any) -> bool:
        if isinstance(a, complex | np.complexfloating) or isinstance(b, complex | np.complexfloating):
            return self.equal(a.real, b.real) and self.equal(a.imag, b.imag)
        if a != a or b != b:
            return a != a and b != b
        if a == b:
            return a != 0 or self.any_zero or math.copysign(1, a) == math.copysign(1, b)
        if isinstance(a, int | np.integer) and isinstance(b, int | np.integer):
            return False
        return abs(float(a) - float(b)) <= self.relative * max(abs(float(a)), abs(float(b)))


EXACT = Tolerance()


@dataclasses.dataclass
class Seen:
    """One observed value: what kind it is, its immediate facts, and its parts by path."""

    kind: str
    facts: Any = None
    parts: dict[str, Seen] = dataclasses.field(default_factory=dict)

    @property
    def is_array(self) -> bool:
        """Is it an array of numbers, of whichever class?"""
        return (
            isinstance(self.facts, tuple) and len(self.facts) == 4 and isinstance(self.facts[2], np.ndarray)
        )

    def __str__(self) -> str:
        if self.is_array:
            dtype, shape, data, _ = self.facts
            return f"{self.kind} {dtype}{list(shape)} {data.tolist()}"
        if self.parts:
            return f"{self.kind} of {len(self.parts)}"
        return self.kind if self.facts is None else f"{self.kind} {self.facts!r}"


#: objects of the standard library that are their values
UNCHANGING = (
    fractions.Fraction, decimal.Decimal, datetime.date, datetime.time, datetime.timedelta, uuid.UUID,
    pathlib.PurePath, re.Pattern,
)  # fmt: skip


class Observer:
    """Sees values one after another, and remembers which mutable objects it has seen before."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._arrays: list[np.ndarray[Any, Any]] = []
        self._alive: list[Any] = []  # an id says who somebody is only while the object lives

    def see(self, value: Any) -> Seen:
        if value is None or value is NotImplemented or value is ...:
            return Seen(repr(value))
        if isinstance(value, np.generic):
            return Seen(f"NumPy scalar {value.dtype}", value)
        if type(value) in (bool, int, float, complex, str, bytes, range, slice):
            return Seen(type(value).__name__, value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, types.MethodType) or hasattr(type(value), "get_concrete_function"):
            return Seen("callable", value.__name__)  # a decorated method is no method
        if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType):
            return Seen("named", getattr(value, "__qualname__", value.__name__))
        if isinstance(value, tuple | frozenset):
            return self._container(value)
        if isinstance(value, UNCHANGING):  # a path keeps its text, once somebody asked
            return Seen(type(value).__name__, repr(value))
        return self._mutable(value)

    def _array(self, array: np.ndarray[Any, Any]) -> Seen:
        shared = [i for i, other in enumerate(self._arrays) if _share_memory(array, other)]
        self._arrays.append(array)
        if array.dtype == object:
            parts = {f"[{i}]": self.see(item) for i, item in enumerate(array.flat)}
            return Seen("object array", array.shape, parts)
        facts = (array.dtype.str, array.shape, np.array(array), shared)
        if isinstance(array, np.ma.MaskedArray):
            mask = np.ma.getmaskarray(array).copy()
            return Seen(type(array).__name__, facts, {".mask": Seen("array", ("|b1", mask.shape, mask, []))})
        return Seen("array" if type(array) is np.ndarray else type(array).__name__, facts)

    def _mutable(self, value: Any) -> Seen:
        number = self._numbers.get(id(value))
        if number is not None:
            return Seen("the object seen as number", number)
        self._numbers[id(value)] = len(self._numbers)
        self._alive.append(value)
        return self._container(value)

    def _container(self, value: Any) -> Seen:
        kind = type(value).__qualname__
        if isinstance(value, dict):
            parts = {f"[{key!r}]": self.see(item) for key, item in value.items()}
            return Seen(kind, list(parts), parts)
        if isinstance(value, set | frozenset):
            return Seen(kind, sorted(map(repr, value)))
        if isinstance(value, list | tuple):
            return Seen(kind, len(value), {f"[{i}]": self.see(item) for i, item in enumerate(value)})
        if isinstance(value, BaseException):
            parts = {"args": self.see(value.args), **self._attributes(value)}
            return Seen(kind, str(value), parts)
        if isinstance(value, functools.partial):
            return Seen(kind, None, {".func": self.see(value.func), ".args": self.see(value.args)})
        return Seen(kind, None, self._attributes(value))

    def _attributes(self, value: Any) -> dict[str, Seen]:
        names = list(getattr(value, "__dict__", {}))
        for cls in type(value).__mro__:
            slots = cls.__dict__.get("__slots__", ())
            names += [slots] if isinstance(slots, str) else list(slots)
        present = [name for name in names if not name.startswith("__") and hasattr(value, name)]
        return {f".{name}": self.see(getattr(value, name)) for name in sorted(present)}


def _share_memory(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except np.exceptions.TooHardError:
        return np.may_share_memory(a, b)


def first_difference(expected: Seen, got: Seen, tolerance: Tolerance = EXACT, path: str = "") -> str | None:
    """Where two observations part, in words, or None.

    >>> first_difference(Observer().see({"a": 1}), Observer().see({"a": 2}))
    "['a']: expected int 1, got int 2"
    """
    said = f"{path or 'value'}: expected {expected}, got {got}"
    if expected.kind == got.kind and expected.is_array and got.is_array:
        found = _array_difference(expected, got, tolerance, path or "value")
        return found or _difference_of_parts(expected, got, tolerance, path)
    if _is_number(expected) and _is_number(got):
        return None if expected.kind == got.kind and tolerance.equal(expected.facts, got.facts) else said
    if expected.kind != got.kind:
        return said
    if expected.kind == "str":
        return None if same_text(expected.facts, got.facts, tolerance) else said
    if list(expected.parts) != list(got.parts):
        return f"{said}; parts {list(expected.parts)} and {list(got.parts)}"
    if not isinstance(expected.facts, np.ndarray) and expected.facts != got.facts:
        if not (isinstance(expected.facts, str) and same_text(expected.facts, got.facts, tolerance)):
            return said
    return _difference_of_parts(expected, got, tolerance, path)


def _difference_of_parts(expected: Seen, got: Seen, tolerance: Tolerance, path: str) -> str | None:
    for key, part in expected.parts.items():
        found = first_difference(part, got.parts[key], tolerance, path + key)
        if found:
            return found
    return None


def _is_number(seen: Seen) -> bool:
    return seen.kind in ("bool", "int", "float", "complex") or seen.kind.startswith("NumPy scalar")


def _array_difference(expected: Seen, got: Seen, tolerance: Tolerance, path: str) -> str | None:
    (dtype, shape, data, shared), (dtype2, shape2, data2, shared2) = expected.facts, got.facts
    if shape != shape2 or dtype != dtype2:
        return f"{path}: expected {expected}, got {got}"
    if shared != shared2:
        return f"{path}: expected memory shared with arrays {shared}, got with {shared2}"
    for index in np.ndindex(shape):
        if not _same_item(data[index], data2[index], tolerance):
            return f"{path}{list(index)}: expected {data[index]!r}, got {data2[index]!r}; in {got}"
    return None


def _same_item(a: Any, b: Any, tolerance: Tolerance) -> bool:
    return bool(a == b) if a.dtype.kind not in "biufc" else tolerance.equal(a, b)


_ADDRESS = re.compile(r"\b0x[0-9a-f]+")
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def same_text(expected: str, got: str, tolerance: Tolerance = EXACT) -> bool:
    """Is this the same text, up to the last digits of the numbers in it when the tolerance has any?

    >>> same_text("x = 0.1", "x = 0.10000000000000001", Tolerance(relative=1e-12))
    True
    """
    expected, got = _ADDRESS.sub("0x", expected), _ADDRESS.sub("0x", got)
    if expected == got:
        return True
    if tolerance == EXACT or _NUMBER.sub("#", expected) != _NUMBER.sub("#", got):
        return False
    pairs = zip(_NUMBER.findall(expected), _NUMBER.findall(got), strict=True)
    return all(tolerance.equal(float(a), float(b)) for a, b in pairs)
