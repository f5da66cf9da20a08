"""Values taken apart: which parts a library carries, and what must be the same on all paths.

The shape of a leaf is "leaf", that of what no library carries a `Const`, that of a container its kind, its
keys and the shapes of its parts; a list that stands in two places is ("again", number) in the second one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators import Undefined
from autograph.stages.slots import MISSING, Contents
from autograph.staging import Stage

_ATOMS = (bool, int, float, complex, str, bytes, type(None))


class Missing:
    """A variable that has a value on one path only: its stage claims it, and refuses to read it."""

    def __init__(self, name: str, stage: Stage) -> None:
        self.name, self.stage = name, stage


class Const:
    """What no library carries: it must be the same on all paths."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Const and same(self.value, other.value)

    __hash__ = None  # type: ignore[assignment]


Shape = list[Any]
"""The shapes of several values."""


def same(a: Any, b: Any) -> bool:
    """One object, or equal numbers or texts of one type, or no value: nobody's `==` is asked."""
    if a is b or type(a) is not type(b):
        return a is b
    if isinstance(a, (Missing, Undefined)):
        return bool(a.name == b.name)
    return type(a) in _ATOMS and repr(a) == repr(b)


def is_missing(value: Any) -> bool:
    """Is it what stands for no value?"""
    return value is MISSING or isinstance(value, (Undefined, Missing))


def taken_apart(
    value: Any, kept: Callable[[Any], bool], leaves: list[Any], seen: dict[int, tuple[int, Any]]
) -> Any:
    """The shape of a value, whose leaves are added; `kept` values are `Const`, `seen` the lists so far."""
    kind, keys, parts = type(value), (), value
    if kind is Contents:
        keys, parts = value.keys, value.values
    elif kept(value):
        return Const(value)
    elif kind in (list, dict):
        if id(value) in seen:  # a list in two places stays one list
            return "again", seen[id(value)][0]
        seen[id(value)] = len(seen), value
        keys, parts = (tuple(value), value.values()) if kind is dict else ((), value)
    elif not isinstance(value, tuple):
        leaves.append(value)
        return "leaf"
    return kind, [*map(Const, keys)], [taken_apart(part, kept, leaves, seen) for part in parts]


def built(shape: Any, leaves: Iterator[Any], made: list[Any]) -> Any:
    """A value of this shape, of the next leaves; `made` are the lists and dicts so far."""
    if isinstance(shape, Const):
        return shape.value
    if shape == "leaf":
        return next(leaves)
    if shape[0] == "again":
        return made[shape[1]]
    kind, names, parts = shape
    container: Any = kind() if kind in (list, dict) else None
    if container is not None:
        made.append(container)
    keys = tuple([name.value for name in names])
    items = tuple([built(part, leaves, made) for part in parts])
    if kind is list:
        container.extend(items)
    elif kind is dict:
        container.update(zip(keys, items, strict=True))
    elif kind is Contents:
        return Contents(keys, items)
    else:
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    return container


def count(shape: Any) -> int:
    """How many leaves there are in a shape."""
    if isinstance(shape, Const) or shape[0] == "again":
        return 0
    return 1 if shape == "leaf" else sum(map(count, shape[2]))


def difference(a: Any, b: Any) -> str:
    """In which way two shapes differ, in words."""
    x, y = _kind(a), _kind(b)
    if x != y:
        return f"is {x} on one path and {y} on the other"
    one_or_another = isinstance(a, Const) or isinstance(b, Const)
    kind = x.partition(" ")[2]
    return f"is one {kind} or another" if one_or_another else "changes its length or keys"


def _kind(shape: Any) -> str:
    if shape == "leaf":
        return "a number"
    kind = type(shape.value) if isinstance(shape, Const) else shape[0]
    if kind == "again":
        return "a list of two names"
    name = kind.__name__
    return "None" if name == "NoneType" else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
