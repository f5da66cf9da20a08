"""What a run of a function did, as a tree that can be compared with that of another run.

>>> first_difference(("number", "int", 1), ("number", "int", 2), "result")
'result is 1 in plain Python and 2 compiled'
"""

from __future__ import annotations

import math
import re
import types
from typing import Any

import numpy as np

from runtime.functions.world import World
from runtime.guards.keys import is_constant
from runtime.ops.instances import slot_members
from runtime.tensor import Tensor

#: floating-point results may differ between engines by some units in the last place
_RELATIVE = {4: 1e-4, 8: 1e-10, 16: 1e-10}

_FLOAT = re.compile(r"-?\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+)")

Seen = tuple[Any, ...]


class Observer:
    """Sees the values that one run left behind."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._new: dict[int, int] = {}
        self._visited: set[int] = set()
        self._kept: list[Any] = []

    def see(self, value: Any) -> Seen:
        if value is None or value is NotImplemented or value is ... or isinstance(value, bool):
            return ("constant", repr(value))
        if isinstance(value, np.generic):
            return ("number", f"np.{value.dtype}", value)
        if isinstance(value, int | float | complex) and type(value) in (int, float, complex):
            return ("number", type(value).__name__, value)
        if isinstance(value, str | bytes | range | slice):
            return ("value", type(value).__name__, value)
        if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType):
            return ("name", getattr(value, "__qualname__", value.__name__))
        if isinstance(value, types.MethodType):
            return ("method", value.__func__.__qualname__, self.see(value.__self__))
        if is_constant(value):  # a path keeps its text, once somebody asked
            return ("value", type(value).__name__, repr(value))
        if isinstance(value, tuple | frozenset):
            return self._parts(value)
        number = self._number(value)
        decorated = getattr(value, "__runtime_inline__", None)
        if decorated is not None:  # what it keeps of its traces is no state of the program
            return ("object", type(value).__name__, number, (("", self.see(decorated)),))
        if id(value) in self._visited:
            return ("again", type(value).__name__, number)
        self._visited.add(id(value))
        if isinstance(value, np.ndarray):
            return ("array", number, str(value.dtype), value.shape, value.copy(), self._shared(value))
        if type(value) is Tensor:
            return ("object", "Tensor", number, (("", self.see(value.numpy())),))
        return ("object", type(value).__name__, number, self._parts(value)[2])

    def _number(self, value: Any) -> int:
        """Objects that were there before keep their number; new ones are counted."""
        known = self.world.number_of.get(id(value))
        if known is not None:
            return known
        self._kept.append(value)  # an id says who somebody is only while the object lives
        return self._new.setdefault(id(value), -1 - len(self._new))

    def _shared(self, array: np.ndarray) -> tuple[int, ...]:
        """The known arrays whose memory this one shares."""
        known = self.world.arrays[:200]
        return tuple(i for i, other in enumerate(known) if np.may_share_memory(array, other))

    def _parts(self, value: Any) -> Seen:
        kind = type(value).__name__
        if isinstance(value, set | frozenset):
            return ("set", kind, (("", ("value", kind, sorted(map(repr, value)))),))
        if isinstance(value, dict):
            parts = [(f"[{key!r}]", self.see(item)) for key, item in dict.items(value)]
        elif (
            isinstance(value, list | tuple)
            or hasattr(type(value), "__getitem__")
            and hasattr(value, "append")
        ):
            parts = [(f"[{i}]", self.see(item)) for i, item in enumerate(value)]
        elif isinstance(value, BaseException):
            parts = [(".args", self.see(value.args))]
        else:
            parts = []
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict) and type(value) is not Tensor:
            parts += [(f".{name}", self.see(item)) for name, item in fields.items()]
        for name in slot_members(type(value)):
            if hasattr(value, name) and not isinstance(value, np.ndarray):
                parts.append((f".{name}", self.see(getattr(value, name))))
        return ("tuple", kind, tuple(parts))


def first_difference(plain: Seen, compiled: Seen, path: str) -> str | None:
    """Where two observations part, in words; None where they agree."""
    said = f"{path} is {text_of(plain)} in plain Python and {text_of(compiled)} compiled"
    if plain[0] != compiled[0]:
        return said
    if plain[0] == "number":
        return None if plain[1] == compiled[1] and close(plain[2], compiled[2]) else said
    if plain[0] == "array":
        return _array_difference(plain, compiled, path, said)
    if plain[0] in ("object", "tuple", "set"):
        if plain[1] != compiled[1] or len(plain[-1]) != len(compiled[-1]):
            return said
        if plain[0] == "object" and plain[2] != compiled[2]:
            return f"{path} is {_which(plain[2])} in plain Python and {_which(compiled[2])} compiled"
        for (name, one), (other_name, other) in zip(plain[-1], compiled[-1], strict=True):
            if name != other_name:
                return f"{path} has {name} in plain Python and {other_name} compiled"
            found = first_difference(one, other, path + name)
            if found is not None:
                return found
        return None
    if plain[0] == "method" and plain[1] == compiled[1]:
        return first_difference(plain[2], compiled[2], path)
    if plain[:2] == compiled[:2] == ("value", "str"):
        return None if same_text(plain[2], compiled[2]) else said
    return None if plain == compiled else said


def _which(number: int) -> str:
    return "an object that was there before" if number >= 0 else "a new object"


def _array_difference(plain: Seen, compiled: Seen, path: str, said: str) -> str | None:
    _, number, dtype, shape, data, shared = plain
    _, number2, dtype2, shape2, data2, shared2 = compiled
    if (dtype, shape) != (dtype2, shape2):
        return said
    if (number >= 0 or number2 >= 0) and number != number2:
        return f"{path} is {_which(number)} in plain Python and {_which(number2)} compiled"
    if shared != shared2:
        return f"{path} shares memory with other arrays in one run and not in the other"
    equal = same_items(data, data2)
    if equal.all():
        return None
    index = tuple(int(i) for i in np.argwhere(~equal)[0])
    place = f"{path}[{', '.join(map(str, index))}]" if index else path
    return f"{place} is {data[index]!r} in plain Python and {data2[index]!r} compiled"


def same_items(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind not in "fc":
        return np.asarray(a == b)
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= _RELATIVE.get(a.dtype.itemsize // (1 + (a.dtype.kind == "c")), 1e-3) * np.abs(
            a
        )
        return np.asarray((a == b) | near | (np.isnan(a) & np.isnan(b)))


def close(a: Any, b: Any) -> bool:
    """Equal numbers, up to rounding; nan is equal to itself.

    >>> close(0.1 + 0.2, 0.3), close(1, 2), close(math.nan, math.nan)
    (True, False, True)
    """
    return bool(same_items(np.asarray(a), np.asarray(b)))


def same_text(plain: str, compiled: str) -> bool:
    """Are the texts equal, but for the last digits of floats?

    >>> same_text("x = 0.1", "x = 0.10000000000000002"), same_text("x = 1", "x = 2")
    (True, False)
    """
    if plain == compiled:
        return True
    if _FLOAT.sub("#", plain) != _FLOAT.sub("#", compiled):
        return False
    pairs = zip(_FLOAT.findall(plain), _FLOAT.findall(compiled), strict=True)
    return all(a == b or math.isclose(float(a), float(b), rel_tol=1e-10) for a, b in pairs)


def text_of(seen: Seen) -> str:
    """An observation in a few words."""
    kind = seen[0]
    if kind == "number":
        return f"{seen[2]!r}" if seen[1] in ("int", "float", "complex") else f"{seen[1]}({seen[2]})"
    if kind == "array":
        return f"the array {seen[2]}{list(seen[3])} {np.array2string(seen[4], threshold=20, separator=', ')}"
    if kind in ("constant", "name"):
        return str(seen[1])
    if kind == "value":
        return repr(seen[2])
    if kind in ("object", "tuple", "set"):
        parts = ", ".join(f"{name.lstrip('.')}: {text_of(part)}" for name, part in seen[-1][:6])
        return f"a {seen[1]} of {len(seen[-1])} ({parts})" if seen[-1] else f"an empty {seen[1]}"
    return f"a {seen[1]}"
