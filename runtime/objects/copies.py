"""``copy.copy`` and ``copy.deepcopy`` under a trace.

They read the namespace of an object as a whole, where no trace sees it. So an object from outside is copied
attribute by attribute here, each read becoming a guard or an input, and what it has at all a guard, too.
"""

from __future__ import annotations

import copy
import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from runtime.graph import Operation, Value
from runtime.heap.shadow import UNKNOWN
from runtime.objects.acting import users_function
from runtime.objects.real_objects import is_immutable
from runtime.ops.instances import (
    HEAP_TYPE,
    attributes,
    class_attribute,
    holds_attributes_only,
    is_user_instance,
)
from runtime.staged.containers import StagedContainer
from runtime.tracer.builder import Staged
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice
from runtime.types import OBJECT, STR, NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: a class that has one of these says itself how it is copied
_OWN_WAYS = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__")


def copied(trace: Trace, value: Any) -> Any:
    """``copy.copy(value)``."""
    _require_plain(trace, value)
    if trace.references.is_reference(value):
        known = trace.references.known_attributes(value) if _is_plain(type(value)) else None
        return trace.references.copied(value) if known is None else _filled(trace, _new(trace, value), known)
    if _is_known(trace, value):
        return _filled(trace, _new(trace, value), _attributes(trace, value))
    if isinstance(value, StagedContainer):
        return value if value.type.name == "tuple" else value.copy()
    return trace.containers.born(copy.copy(value))


def deeply_copied(trace: Trace, value: Any) -> Any:
    """``copy.deepcopy(value)``: part by part where the trace knows the parts, else by a run."""
    found: dict[Value, None] = {}
    copies: dict[Value, Any] = {}
    if _holds_unknown(trace, value, found, {}, ()):  # all at once: what two of them share, their copies share
        types = tuple([known.type for known in found])
        by_run = trace.append(Operation("object.deepcopy", tuple(found), types, {}))
        copies = dict(zip(found, map(trace.wrap, by_run.outputs), strict=True))
    deep = _DeepCopy(trace, copies)
    for known, made in copies.items():
        deep.learn(known, made)
    return deep.of(value)


def _holds_unknown(
    trace: Trace, value: Any, found: dict[Value, None], seen: dict[Any, Any], around: tuple[Any, ...]
) -> bool:
    """Is there a list, dict or object of which only a run knows the parts, or that holds itself?

    ``found``: all of the run that there are; ``around``: what the value lies in.
    """
    known = _known_to_run(trace, value)
    key = id(value) if known is None else known
    if key in seen:
        return known in around
    seen[key] = value  # which keeps its id
    items = value
    if known is not None:
        if not isinstance(value, Staged):
            _require_plain(trace, value)
        found[known] = None
        items = as_plain(value)
        if items is value:
            return True
    inside = [_holds_unknown(trace, part, found, seen, (*around, key)) for part in _parts(trace, items)]
    return any(inside)  # all are looked at


def _known_to_run(trace: Trace, value: Any) -> Value | None:
    if isinstance(value, StagedContainer) or (isinstance(value, Staged) and value.type == OBJECT):
        return value.value
    return trace.references.value(value)


def _parts(trace: Trace, value: Any) -> Iterable[Any]:
    """What the copy of a value will be made of."""
    if type(value) in (list, tuple):
        return value
    if type(value) is dict:
        return value.values()
    if isinstance(value, Choice):
        return value.values
    return _attributes(trace, value).values() if _is_known(trace, value) and _is_plain(type(value)) else ()


class _DeepCopy:
    """One call of ``copy.deepcopy``; ``copies`` holds those of what only a run knows."""

    def __init__(self, trace: Trace, copies: dict[Value, Any]) -> None:
        self.trace = trace
        self.copies = copies
        self.memo: dict[Any, Any] = {}  # by the id, or the value of the graph
        self.depth = 0

    def learn(self, original: Value, made: Any) -> None:
        """The copy holds copies of what the original does, as far as that is known; arrays are other ones."""
        items = as_plain(self.trace.wrap(original))
        if isinstance(items, dict):
            facts: Any = {key: self._fact_of(item) for key, item in items.items()}
            self.trace.containers.learn_items(made.value, facts)
        elif isinstance(items, list):
            self.trace.containers.learn_items(made.value, list(map(self._fact_of, items)))

    def _fact_of(self, item: Any) -> Any:
        known = _known_to_run(self.trace, item)
        if known is not None:
            return self.copies.get(known, UNKNOWN)
        is_number = isinstance(item, Staged) and isinstance(item.type, NumberType | ScalarType)
        return item if is_number or is_immutable(item) else UNKNOWN

    def of(self, value: Any) -> Any:
        known = _known_to_run(self.trace, value)
        if known in self.copies:
            return self.copies[known]
        key = id(value) if known is None else known
        if key not in self.memo:
            self.memo[key] = self._made(value, key, as_plain(value))
        return self.memo[key]

    def _made(self, value: Any, key: Any, items: Any) -> Any:
        trace = self.trace
        if items is not value:  # a list or dict that the trace knows
            self.depth += 1
            parts = map(self.of, items.values() if isinstance(items, dict) else items)
            made: Any = dict(zip(items, parts, strict=True)) if isinstance(items, dict) else list(parts)
            self.depth -= 1
            return trace.containers.born(made, (trace.containers.here(), "deepcopy", self.depth))
        if isinstance(value, Staged):
            return value if value.type == STR else copy.deepcopy(value)
        if isinstance(value, Choice):  # what the other paths hold is copied in vain
            return value.of(tuple(map(self.of, value.values)))
        if isinstance(value, Undefined):
            return value
        if type(value) is tuple:
            return tuple(map(self.of, value))
        _require_plain(trace, value)
        if not _is_known(trace, value):
            return copy.deepcopy(value, self.memo)
        made = self.memo[key] = _new(trace, value)
        held = _attributes(trace, value)
        return _filled(trace, made, {name: self.of(item) for name, item in held.items()})


def _require_plain(trace: Trace, value: Any) -> None:
    """Refuse what Python copies by code of the user's, or by more than the attributes."""
    cls = type(value)
    method = next((name for name in _OWN_WAYS if users_function(getattr(cls, name, None))), None)
    if method is not None and not isinstance(value, type):
        raise trace.refuse(
            f"a {cls.__name__} is copied, whose class says itself how: `{method}`",
            "write a method that makes the copy, and call it",
        )
    is_of_library = any(class_attribute(cls, name) is not getattr(object, name, None) for name in _OWN_WAYS)
    if trace.outside.is_foreign(value) and (is_of_library or not is_user_instance(value)):
        raise trace.outside.refuse_foreign(value, "copied")
    if _is_known(trace, value) and not _is_plain(cls):
        kind = next(base for base in cls.__mro__ if not base.__flags__ & HEAP_TYPE)
        raise trace.refuse(
            f"a {cls.__name__} is copied, which is more than its attributes (a {kind.__name__})",
            "make a new one of what it holds, or copy it before the call and pass the copy as an argument",
        )


def _is_known(trace: Trace, value: Any) -> bool:
    """Is it an object whose attributes the trace knows by their names?"""
    return trace.outside.is_outside(value) and not isinstance(value, enum.Enum | type)


def _is_plain(cls: type) -> bool:
    """Is an instance copied attribute by attribute, as far as its class is concerned?"""
    return holds_attributes_only(cls) and cls.__reduce_ex__ is object.__reduce_ex__


def _new(trace: Trace, value: Any) -> Any:
    cls: Any = type(value)
    made = cls.__new__(cls)
    trace.references.begin(made)
    return made


def _filled(trace: Trace, made: Any, held: dict[str, Any]) -> Any:
    for name, value in held.items():
        trace.references.store(made, name, value)
    return trace.references.born(made)


def _attributes(trace: Trace, value: Any) -> dict[str, Any]:
    """What an object holds where the trace is now; of one from outside a guard says under which names."""
    path = trace.outside.path_of(value)
    names = [*attributes(value)]
    condition = lambda s, n: f"[*{n.of(attributes)}({s})] == {names!r}"
    trace.outside.definitions.guard_once(path, condition, f"an object with {', '.join(names)}")
    stored = trace.outside.attributes.stored(value)
    there = [
        name for name in {**dict.fromkeys(names), **stored} if not isinstance(stored.get(name), Undefined)
    ]
    return {name: getattr(trace.seen(value), name) for name in there}
