"""Long containers of a class, which stay what they are in a trace.

Nothing stands for them, so converted code reads the container itself. A guard says that it holds the very
items that it held, and what would change it is found before: the trace begins again with a real container in
its place, or is refused.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autograph.config import is_excluded
from runtime.containers.sites import Containers
from runtime.guards.paths import Guard, Item, Path
from runtime.ops.instances import is_user_instance
from runtime.ops.item_patterns import KINDS
from runtime.tracer.builder import Staged


def may_change(value: Any) -> bool:
    """Is it, or holds a tuple, what a program changes in place?

    >>> may_change((1, [2])), may_change((1, "a"))
    (True, False)
    """
    if type(value) is tuple:
        return any(map(may_change, value))
    return type(value) in KINDS or is_instance(value)


def is_instance(value: Any) -> bool:
    """An object of a user's class, of which hooks see reads and stores."""
    return is_user_instance(value) and not callable(value) and not is_excluded(type(value).__module__)


class AsItIs:
    """The containers of one trace that are read as they are."""

    def __init__(self, outside: Any) -> None:
        self.outside = outside
        self.roots: dict[int, tuple[Any, Path]] = {}  # id -> the container, the path of what holds it

    def enter(self, value: Any, path: Path, root: Path) -> None:
        """``value``, found at ``path``, and all that it holds."""
        if is_instance(value):
            self.outside.import_value(value, path)
            return
        if isinstance(value, np.ndarray) and self._can_be_real(root):
            self._make_real(root, "holds arrays")
        if type(value) is tuple:
            for position, item in enumerate(value):
                self.enter(item, Item(path, position), root)
            return
        if type(value) not in KINDS or id(value) in self.roots:
            return
        self.roots[id(value)] = (value, root)
        stand_in = self.outside.stand_ins.get(id(value))
        if isinstance(stand_in, Staged) or ("contents", id(stand_in)) in self.outside.trace.noted:
            self.check_change(value)  # through another name
        if stand_in is not None:
            self.stands_for(stand_in, value)
        look = same_items(value)
        said = f"a {type(value).__name__} with the items it had"
        self.outside.guards.append(Guard(path, lambda s, n: f"{n.of(look)}({s})", said))
        for key, item in pairs(value):
            self.enter(item, Item(path, key), root)

    def stands_for(self, stand_in: Any, value: Any) -> None:
        """The trace knows the container by another name, too, under which ``stand_in`` stands for it."""
        if id(value) in self.roots:
            self.outside.keep(stand_in)
            self.roots[id(stand_in)] = self.roots[id(value)]

    def check_change(self, value: Any) -> None:
        """Begin again, or refuse, where ``value`` is one of these."""
        known = self.roots.get(id(value))
        if known is None:
            return
        path = known[1]
        if self._can_be_real(path):
            self._make_real(path, "is changed")
        raise self.outside.trace.refuse(
            f"`{path}` is changed in a way that is not staged",
            "keep it in an object, or bind a new container to the name",
            str(path),
        )

    def _can_be_real(self, path: Path) -> bool:
        return path not in self.outside.trace.decisions.data

    def _make_real(self, path: Path, reason: str) -> None:
        containers: Containers = self.outside.trace.containers
        containers.require_data(path, f"`{path}` {reason}")


def pairs(value: Any) -> list[tuple[Any, Any]]:
    """The items of a container that can be reached by a key."""
    if isinstance(value, dict):
        return list(value.items())
    return [] if isinstance(value, set) else list(enumerate(value))


def same_items(value: Any) -> Any:
    """Does it still hold the very items that it holds now?

    >>> items = [1, "a"]
    >>> holds = same_items(items)
    >>> before = holds(items)
    >>> items[0] = 2
    >>> before, holds(items)
    (True, False)
    """
    keys = list(value)
    items = list(value.values()) if isinstance(value, dict) else []

    def holds(now: Any) -> bool:
        if len(now) != len(keys) or not all(map(operator.is_, now, keys)):
            return False
        return not items or all(map(operator.is_, now.values(), items))

    return holds
