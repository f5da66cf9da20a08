"""A class of a library's in Python, which is not converted, with every special method.

Whether one of them runs while a function is traced is noted in `CALLED`.
"""

from __future__ import annotations

import math
import operator
from typing import Any

from runtime.tracer.builder import current

#: the special methods that ran while a function was traced
CALLED: list[str] = []
#: what the objects of the class in C hold, by identity
HELD: dict[int, list[float]] = {}


class Listed:
    """Numbers, of which each protocol of Python's gives something else when they change."""

    def __init__(self, *held: float) -> None:
        self.held = [*held]

    @property
    def first(self) -> float:
        _note("first")
        return self.held[0]

    def total(self) -> float:
        _note("total")
        return sum(self.held)


def held_of(one: Any) -> list[float]:
    """What such an object holds; one of the class in C has no attribute for it."""
    return one.held if isinstance(one, Listed) else HELD.get(id(one), [])


def _note(name: str) -> None:
    if current() is not None:
        CALLED.append(name)


def _with(function: Any, kind: Any = float, is_reflected: bool = False) -> Any:
    """An operator of the sum and a number, or the sum of another such object."""

    def method(one: Any, other: Any, *modulus: Any) -> Any:
        if isinstance(other, int | float):
            a, b = kind(_sum(one)), kind(other)
        elif isinstance(other, Listed) or id(other) in HELD:
            a, b = kind(_sum(one)), kind(_sum(other))
        else:
            return NotImplemented
        return function(b, a) if is_reflected else function(a, b)

    return method


def _sum(one: Any) -> float:
    return float(sum(held_of(one)))


def _set(one: Any, key: Any, value: Any) -> None:
    held_of(one)[key] = value


def _delete(one: Any, key: Any) -> None:
    del held_of(one)[key]


def _change(one: Any, value: Any) -> Any:
    held_of(one).append(float(value))
    return one


def _exit(one: Any, *error: Any) -> None:
    held_of(one).append(1.0)


#: by name: what each special method does
METHODS: dict[str, Any] = {
    "__iter__": lambda one: iter([*held_of(one)]),
    "__len__": lambda one: len(held_of(one)),
    "__getitem__": lambda one, key: held_of(one)[len(key) if isinstance(key, str) else key],
    "__setitem__": _set,
    "__delitem__": _delete,
    "__contains__": lambda one, item: item in held_of(one),
    "__reversed__": lambda one: iter(held_of(one)[::-1]),
    "__bool__": lambda one: held_of(one)[0] > 4,
    "__hash__": lambda one: hash(tuple(held_of(one))),
    "__str__": lambda one: f"str {held_of(one)}",
    "__repr__": lambda one: f"repr {held_of(one)}",
    "__format__": lambda one, spec: f"{spec} {held_of(one)}",
    "__int__": lambda one: int(_sum(one)),
    "__float__": lambda one: _sum(one),
    "__complex__": lambda one: complex(_sum(one), 1),
    "__index__": lambda one: len(held_of(one)),
    "__round__": lambda one, digits=None: round(_sum(one), digits),
    "__trunc__": lambda one: math.trunc(_sum(one)),
    "__floor__": lambda one: math.floor(_sum(one)),
    "__ceil__": lambda one: math.ceil(_sum(one)),
    "__abs__": lambda one: abs(_sum(one)),
    "__neg__": lambda one: -_sum(one),
    "__pos__": lambda one: _sum(one),
    "__invert__": lambda one: ~len(held_of(one)),
    "__call__": lambda one, *args, **named: _sum(one) + sum(args),
    "__enter__": lambda one: _sum(one),
    "__exit__": _exit,
    "keys": lambda one: [str(len(held_of(one)))],
    "__bytes__": lambda one: bytes([len(held_of(one))]),
    "__fspath__": lambda one: str(held_of(one)),
    "__length_hint__": lambda one: len(held_of(one)),
    "__copy__": lambda one: [*held_of(one)],
    "__deepcopy__": lambda one, memo: [*held_of(one)],
    "__array__": lambda one, dtype=None, copy=None: __import__("numpy").array(held_of(one), dtype),
}
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    METHODS[f"__{_name}__"] = _with(getattr(operator, _name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "divmod",
              "and", "or", "xor", "lshift", "rshift"):  # fmt: skip
    _function = {"matmul": operator.mul, "divmod": divmod}.get(_name) or getattr(operator, f"__{_name}__")
    _kind = int if _name in ("and", "or", "xor", "lshift", "rshift") else float
    METHODS[f"__{_name}__"] = _with(_function, _kind)
    METHODS[f"__r{_name}__"] = _with(_function, _kind, True)
    METHODS[f"__i{_name}__"] = _change
del METHODS["__idivmod__"]


def noting(name: str) -> Any:
    """The method of that name, which notes that it runs."""

    def method(one: Any, *args: Any, **named: Any) -> Any:
        _note(name)
        return METHODS[name](one, *args, **named)

    method.__name__, method.__qualname__ = name, f"Listed.{name}"
    return method


for _name in METHODS:
    setattr(Listed, _name, noting(_name))
