"""Which lists, dicts and sets from outside are *data*: a run knows how many items they have, and which.

A trace knows a short container item by item. A longer one begins as a container of the run: one input,
under one guard that each item is of a kind that the trace knows. Then one trace serves all lengths. Where
the program needs the items one by one after all (it unpacks them, makes a shape of one, asks for a gradient
with respect to them), the trace begins again with this container known item by item
(`Decisions.item_by_item`), as are those that hold what no run tells apart: functions, layers, arrays of
several shapes.

>>> is_data([0.5] * 40), is_data(["a", (1, 2.5), None] * 20), is_data([print] * 40), is_data([2**70] * 40)
(True, True, False, False)
"""

from __future__ import annotations

import enum
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.objects.instances import attributes, is_user_instance
from runtime.objects.watched_classes import can_be_reference
from runtime.tracer.decisions import Restart
from runtime.types import is_supported_dtype

if TYPE_CHECKING:
    from runtime.guards.paths import Path
    from runtime.tracer.decisions import Decisions
    from runtime.tracer.trace import Trace

#: a trace knows a container from outside item by item up to this length
MAX_KNOWN = 32
#: and a text up to this one
MAX_KNOWN_TEXT = 200
#: so many items of containers from outside are traced one by one where the program asks for that
MAX_ONE_BY_ONE = 1000
#: so deep may tuples and containers lie within each other
MAX_DEPTH = 8
CONTAINERS = frozenset({list, dict, set, deque, defaultdict, Counter, OrderedDict})
_PLAIN = frozenset({float, complex, bool, str, type(None)})
_INT64 = range(-(2**63), 2**63)


def is_long(value: Any) -> bool:
    """Is it a container that a trace would rather not know item by item?"""
    return type(value) in CONTAINERS and len(value) > MAX_KNOWN


def is_data(value: Any) -> bool:
    """Are all its items, and theirs, of kinds that a run can tell apart?"""
    return _Look().admits_all_of(value)


def begins_as_data(trace: Trace, value: Any, path: Path) -> bool:
    """Is the container at ``path`` one of the run from the beginning of the trace on?"""
    return path in trace.containers.elements or is_long(value) and take_as_data(trace, value, path)


def take_as_data(trace: Trace, value: Any, path: Path) -> bool:
    """Make the container at ``path`` one of the run, where it can be one."""
    containers, look = trace.containers, _Look()
    if path in containers.item_by_item or not look.admits_all_of(value):
        containers.know_item_by_item(path)
        return False
    containers.data[path] = value
    classes = [cls for cls in look.classes if not trace.references.is_real(cls)]
    elements = {path: (None, None), **{("instances", cls): (None, None) for cls in classes}, **containers.elements}
    are_known = any(type(one) in classes for one in trace.outside.known_objects())
    if not trace.decisions.watch_containers or are_known:
        decisions = replace(trace.decisions, watch_containers=True, containers=elements)
        raise Restart(decisions, f"`{path}` is a long {type(value).__name__}, whose items a run knows")
    containers.elements = elements
    return True


def require_items(value: Any) -> None:
    """Begin again with a container from outside known item by item; returns where it is none, or too long."""
    containers = value.containers
    sites = [site for site in value.type.sites if site in containers.data]
    if len(sites) == len(value.type.sites):
        decisions = item_by_item(containers.trace.decisions, {site: containers.data[site] for site in sites})
        if decisions is not None:
            raise Restart(decisions, "the items of a list are needed one by one")


def item_by_item(decisions: Decisions, data: dict[Path, Any]) -> Decisions | None:
    """What is tried next, where a trace with these texts and containers as data is refused; None: nothing."""
    texts = {path: value for path, value in data.items() if isinstance(value, str)}
    known = texts or data
    if not known or not texts and sum(map(len, data.values())) > MAX_ONE_BY_ONE:
        return None
    others = {site: held for site, held in decisions.containers.items() if site not in known}
    return replace(
        decisions,
        item_by_item=decisions.item_by_item.union(known),
        containers=others,
        watch_containers=bool(others),
    )


class _Look:
    """One look at a container and all that it refers to."""

    def __init__(self) -> None:
        self.classes: dict[type, None] = {}  # of the user's objects, in the order of appearance
        self._shapes: dict[tuple[np.dtype[Any], int], tuple[int, ...]] = {}
        self._objects: dict[int, Any] = {}  # which may refer to each other in a circle
        self._waiting: list[Any] = []

    def admits_all_of(self, value: Any) -> bool:
        """Is it, and all that it refers to, of known kinds?"""
        if not self._admits(value, 0):
            return False
        while self._waiting:
            held = attributes(self._waiting.pop()).values()
            if not all(self._admits(item, 0) for item in held):
                return False
        return True

    def _admits(self, value: Any, depth: int) -> bool:
        kind = type(value)
        if kind in _PLAIN:
            return True
        if kind is int:
            return value in _INT64
        if kind is np.ndarray:
            return is_supported_dtype(value.dtype) and self._is_of_one_shape(value)
        if isinstance(value, np.generic):
            return is_supported_dtype(value.dtype)
        if kind is tuple or hasattr(kind, "_make"):
            return depth < MAX_DEPTH and self._all(value, depth + 1)
        if kind in CONTAINERS:
            return depth < MAX_DEPTH and self._container(value, depth + 1)
        return isinstance(value, enum.Enum) or self._object(value)

    def _container(self, value: Any, depth: int) -> bool:
        if isinstance(value, dict | set) and not all(map(_is_key, value)):
            return False
        if isinstance(value, dict):
            return self._all(value, depth) and self._all(value.values(), depth)
        return self._all(value, depth)

    def _all(self, items: Collection[Any], depth: int) -> bool:
        kinds = {*map(type, items)}
        if kinds <= _PLAIN:
            return True
        if kinds == {int}:
            return min(items) in _INT64 and max(items) in _INT64
        return all(self._admits(item, depth) for item in items)

    def _is_of_one_shape(self, value: np.ndarray[Any, Any]) -> bool:
        return self._shapes.setdefault((value.dtype, value.ndim), value.shape) == value.shape

    def _object(self, value: Any) -> bool:
        """Is it an instance of a user's class that a run may have by reference?"""
        if id(value) not in self._objects:
            cls = type(value)
            if not is_user_instance(value) or isinstance(value, type) or not can_be_reference(cls):
                return False
            self._objects[id(value)] = value
            self._waiting.append(value)
            self.classes.setdefault(cls)
        return True


def _is_key(value: Any) -> bool:
    """Does a dict or a set of a run find it as Python does, with no code of the user's?"""
    return all(map(_is_key, value)) if type(value) is tuple else not is_user_instance(value)
