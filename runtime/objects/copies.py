"""``copy.copy`` and ``copy.deepcopy`` under a trace.

They read the namespace of an object as a whole, where no trace sees it. So an object from outside is copied
attribute by attribute here, each read becoming a guard or an input, and what it has at all a guard, too.
"""

from __future__ import annotations

import copy
import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined, call
from runtime.graph import Operation, Value
from runtime.heap.shadow import UNKNOWN
from runtime.objects.acting import users_function
from runtime.objects.anew import is_immutable
from runtime.ops.instances import HEAP_TYPE, attributes, holds_attributes_only, set_attribute
from runtime.staged.containers import StagedContainer
from runtime.tracer.builder import Staged
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice
from runtime.types import OBJECT, STR, NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: a class that has one of these says itself how it is copied
_OWN_WAYS = ("__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__")


def copied(trace: Trace, value: Any) -> Any:
    """``copy.copy(value)``."""
    own = users_function(getattr(type(value), "__copy__", None))
    if own is not None and not isinstance(value, type):
        return call(own, value)
    _require_plain(trace, value)
    if trace.references.is_reference(value):
        known = trace.references.known_attributes(value) if _is_plain(type(value)) else None
        return trace.references.copied(value) if known is None else _filled(trace, _new(trace, value), known)
    if _is_known(trace, value):
        return _filled(trace, _new(trace, value), _attributes(trace, value))
    return trace.containers.born(copy.copy(value))


def deeply_copied(trace: Trace, value: Any) -> Any:
    """``copy.deepcopy(value)``."""
    found = _Found(trace)
    found.look_at(value)
    copies: dict[Value, Any] = {}
    if found.by_run:  # all at once: what two of them share, their copies share
        types = tuple([known.type for known in found.values])
        made = trace.append(Operation("object.deepcopy", tuple(found.values), types, {}))
        copies = {known: trace.wrap(copy) for known, copy in zip(found.values, made.outputs, strict=True)}
    deep = _DeepCopy(trace, copies)
    for known, copied_ in copies.items():
        deep.learn(known, copied_)
    return deep.of(value)


class _Found:
    """The lists, dicts and objects of the run in a structure."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.values: dict[Value, None] = {}
        #: does a run copy them, since it alone knows what one of them holds?
        self.by_run = False
        self._seen: dict[int, Any] = {}  # it keeps them by their ids
        self._open: set[Value] = set()

    def look_at(self, value: Any) -> None:
        known = _known_to_run(self.trace, value)
        if known is None:
            if id(value) not in self._seen:
                self._seen[id(value)] = value
                self._look_at_parts(value)
            return
        self.by_run = self.by_run or known in self._open  # one that holds itself
        if known in self.values:
            return
        if not isinstance(value, Staged):
            _require_plain(self.trace, value)
        self.values[known] = None
        items = as_plain(value)
        self.by_run = self.by_run or items is value
        if items is not value:
            self._open.add(known)
            self._look_at_parts(items)
            self._open.discard(known)

    def _look_at_parts(self, value: Any) -> None:
        for part in _parts(self.trace, value):
            self.look_at(part)


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

    def learn(self, original: Value, copied: Any) -> None:
        """The copy holds copies of what the original does, as far as that is known; arrays are other ones."""
        items = as_plain(self.trace.wrap(original))
        if type(items) is list:
            self.trace.containers.learn_items(copied.value, list(map(self._fact_of, items)))
        elif type(items) is dict:
            facts = {key: self._fact_of(item) for key, item in items.items()}
            self.trace.containers.learn_items(copied.value, facts)

    def _fact_of(self, item: Any) -> Any:
        known = _known_to_run(self.trace, item)
        if known is not None:
            return self.copies.get(known, UNKNOWN)
        is_number = isinstance(item, Staged) and isinstance(item.type, NumberType | ScalarType)
        return item if is_number or is_immutable(item) else UNKNOWN

    def of(self, value: Any) -> Any:
        trace = self.trace
        known = _known_to_run(trace, value)
        if known in self.copies:
            return self.copies[known]
        key = id(value) if known is None else known
        if key not in self.memo:
            self.memo[key] = self._made(value, key, as_plain(value))
        return self.memo[key]

    def _made(self, value: Any, key: Any, items: Any) -> Any:
        trace = self.trace
        if items is not value:  # a list or dict that the trace knows
            return self._container(items)
        if isinstance(value, Staged):
            return value if value.type == STR else copy.deepcopy(value)
        if isinstance(value, Choice):  # what the other paths hold is copied in vain
            return value.of(tuple([self.of(one) for one in value.values]))
        if isinstance(value, Undefined):
            return value
        if type(value) is tuple:
            return tuple([self.of(item) for item in value])
        _require_plain(trace, value)
        if not _is_known(trace, value):
            return copy.deepcopy(value, self.memo)
        made = self.memo[key] = _new(trace, value)
        held = _attributes(trace, value)
        return _filled(trace, made, {name: self.of(item) for name, item in held.items()})

    def _container(self, value: Any) -> Any:
        made: Any = type(value)()
        self.depth += 1
        if isinstance(value, list):
            made.extend(self.of(item) for item in value)
        else:
            made.update({key: self.of(item) for key, item in value.items()})
        self.depth -= 1
        containers = self.trace.containers
        return containers.born(made, (containers.here(), "deepcopy", self.depth))


def _require_plain(trace: Trace, value: Any) -> None:
    """Refuse what Python copies by code of the user's, or by more than the attributes."""
    cls = type(value)
    method = next((name for name in _OWN_WAYS if users_function(getattr(cls, name, None))), None)
    if method is not None and not isinstance(value, type):
        raise trace.refuse(
            f"a {cls.__name__} is copied, whose class says itself how: `{method}`",
            "write a method that makes the copy, and call it",
        )
    if _is_known(trace, value) and not _is_plain(cls):
        kind = next(base for base in cls.__mro__ if not base.__flags__ & HEAP_TYPE)
        raise trace.refuse(
            f"a {cls.__name__} is copied, which is more than its attributes (a {kind.__name__})",
            "make a new one of what it holds, or copy it before the call and pass the copy as an argument",
        )


def _is_known(trace: Trace, value: Any) -> bool:
    """Is it an object whose attributes the trace knows by their names?"""
    known = trace.outside.is_local(value) or trace.outside.is_outside(value)
    return known and not isinstance(value, enum.Enum | type)


def _is_plain(cls: type) -> bool:
    """Is an instance copied attribute by attribute, as far as its class is concerned?"""
    return holds_attributes_only(cls) and cls.__reduce_ex__ is object.__reduce_ex__


def _new(trace: Trace, value: Any) -> Any:
    cls: Any = type(value)
    made = cls.__new__(cls)
    trace.outside.add_local(made)
    return made


def _filled(trace: Trace, made: Any, held: dict[str, Any]) -> Any:
    for name, value in held.items():
        set_attribute(made, name, value)
    return trace.references.born(made)


def _attributes(trace: Trace, value: Any) -> dict[str, Any]:
    """What an object holds where the trace is now; of one from outside a guard says under which names."""
    if trace.outside.is_local(value):
        return attributes(value)
    path = trace.outside.path_of(value)
    names = [*attributes(value)]
    condition = lambda s, n: f"[*{n.of(attributes)}({s})] == {names!r}"
    trace.outside.definitions.guard_once(path, condition, f"an object with {', '.join(names)}")
    stored = {
        key[2]: held
        for key, held in trace.overlay.items()
        if isinstance(key, tuple) and key[:2] == ("attribute", id(value))
    }
    there = [
        name for name in {**dict.fromkeys(names), **stored} if not isinstance(stored.get(name), Undefined)
    ]
    return {name: getattr(trace.seen(value), name) for name in there}
