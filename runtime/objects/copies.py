"""``copy.copy`` and ``copy.deepcopy`` under a trace.

They read the namespace of an object as a whole, where no hook sees it. So an object from outside is copied
attribute by attribute here, each read becoming a guard or an input, and what it has at all a guard, too.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined, call
from autograph.plain_items import plain_items
from runtime.containers.default_factories import factory_of
from runtime.graph import Operation, Value
from runtime.guards.paths import Guard
from runtime.heap.shadow import UNKNOWN
from runtime.objects.acting import acts, users_function
from runtime.ops.instances import HEAP_TYPE, attributes, has_dict, is_user_instance, set_attribute
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
    if trace.references.is_reference(value):
        known = trace.references.known_attributes(value) if _is_plain(type(value)) else None
        if known is not None:
            return _with_attributes(trace, type(value), known)
        return trace.references.copied(value, copy.copy)
    own = users_function(getattr(type(value), "__copy__", None))
    if own is not None and not isinstance(value, type):
        return call(own, value)
    _refuse_acting(trace, value, ("__reduce__", "__reduce_ex__", "__getstate__"))
    if trace.outside.is_local(value) and _is_plain(type(value)):
        return _copy_instance(trace, value, lambda held: held)
    if type(value) is defaultdict:
        return call(defaultdict, factory_of(value), value)
    if not trace.outside.is_outside(value):
        return trace.containers.born(_made_by_python(trace, copy.copy(value)))
    return _copy_object(trace, value, lambda held: held)


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
        deep.learn(known, copied_.value if isinstance(copied_, Staged) else None)
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
            _refuse_acting(self.trace, value, _DEEP)
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
    if type(value) in (dict, defaultdict):
        return value.values()
    if isinstance(value, Choice):
        return value.values
    if trace.outside.is_local(value):
        return [*attributes(value).values(), *plain_items(value)]
    if trace.outside.is_outside(value) and _is_copied_by_attributes(value):
        return [getattr(trace.seen(value), name) for name in _names(trace, value)]
    return ()


_IMMUTABLE = frozenset({bool, int, float, complex, str, bytes, type(None)})
#: what a class may say of its deep copies
_DEEP = ("__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__")


class _DeepCopy:
    """One call of ``copy.deepcopy``; ``copies`` holds those of what only a run knows."""

    def __init__(self, trace: Trace, copies: dict[Value, Any]) -> None:
        self.trace = trace
        self.copies = copies
        self.memo: dict[Any, Any] = {}  # by the id, or the value of the graph
        self.depth = 0

    def learn(self, original: Value, copied: Value | None) -> None:
        """The copy holds copies of what the original does, as far as that is known; arrays are other ones."""
        items = as_plain(self.trace.wrap(original))
        if copied is None or type(items) not in (list, dict):
            return
        if isinstance(items, dict):
            facts: Any = {key: self._fact_of(item) for key, item in items.items()}
        else:
            facts = list(map(self._fact_of, items))
        self.trace.containers.learn_items(copied, facts)

    def _fact_of(self, item: Any) -> Any:
        known = _known_to_run(self.trace, item)
        if known is not None:
            return self.copies.get(known, UNKNOWN)
        is_immutable = type(item) in _IMMUTABLE or (
            isinstance(item, Staged) and isinstance(item.type, NumberType | ScalarType)
        )
        return item if is_immutable else UNKNOWN

    def of(self, value: Any) -> Any:
        trace, memo = self.trace, self.memo
        known = _known_to_run(trace, value)
        if known in self.copies:
            return self.copies[known]
        key = id(value) if known is None else known
        if key in self.memo:
            return self.memo[key]
        made: Any
        if known is not None:
            items = as_plain(value)
            if items is value:
                raise trace.refuse(
                    f"an object from outside is copied whole, and holds a run's {_name_of(value)}",
                    "copy its parts one by one",
                )
            made = self._container(items)
        elif isinstance(value, Staged):
            made = value if value.type == STR else copy.deepcopy(value)
        elif isinstance(value, Choice):  # what the other paths hold is copied in vain
            made = value.of(tuple([self.of(one) for one in value.values]))
        elif isinstance(value, Undefined):
            made = value
        elif type(value) in (list, dict):
            made = self._container(value)
        elif type(value) is defaultdict:
            made = memo[id(value)] = call(defaultdict, factory_of(value))
            for key, item in value.items():
                made[key] = self.of(item)
        elif type(value) is tuple:
            made = tuple([self.of(item) for item in value])
        elif trace.outside.is_local(value) and _is_plain(type(value)):
            return _copy_instance(trace, value, self.of, memo)
        elif trace.outside.is_outside(value):
            made = _copy_object(trace, value, self.of, memo)
        else:
            _refuse_acting(trace, value, _DEEP)
            for part in _parts(trace, value):
                if isinstance(part, StagedContainer):  # which Python's own finds there
                    memo[id(part)] = self.of(part)
            made = _made_by_python(trace, copy.deepcopy(value, memo))
        memo[key] = made
        return made

    def _container(self, value: Any) -> Any:
        made: Any = type(value)()
        self.memo[id(value)] = made
        self.depth += 1
        if isinstance(value, list):
            made.extend(self.of(item) for item in value)
        else:
            made.update({key: self.of(item) for key, item in value.items()})
        self.depth -= 1
        containers = self.trace.containers
        return containers.born(made, (containers.here(), "deepcopy", self.depth))


def _made_by_python(trace: Trace, made: Any) -> Any:
    """A copy of what a class derives from a number, a text or a container, and of its attributes."""
    if is_user_instance(made) and not isinstance(made, BaseException):
        trace.outside.add_local(made)
        return trace.references.born(made)
    return made


def _refuse_acting(trace: Trace, value: Any, ways: tuple[str, ...]) -> None:
    """Python calls what a class says of its copies, where no hook sees it."""
    cls = type(value)
    for name in ways:
        method = users_function(getattr(cls, name, None))
        if method is not None and acts(method, cls):
            raise trace.refuse(
                f"`{cls.__name__}.{name}` changes something, and Python calls it for a copy",
                "copy what the object holds, part by part",
            )


def _name_of(value: Any) -> str:
    return value.type.name if isinstance(value, StagedContainer) else type(value).__name__


def _is_plain(cls: type) -> bool:
    """Is an instance copied attribute by attribute, as far as its class is concerned?"""
    ordinary = all(getattr(cls, name, None) is getattr(object, name, None) for name in _OWN_WAYS)
    return ordinary and _contents(cls) is object


def _contents(cls: type) -> type:
    """The class of C that says what an instance holds beside its attributes: list, dict, ... or object."""
    return next(base for base in cls.__mro__ if not base.__flags__ & HEAP_TYPE)


def _copy_instance(
    trace: Trace, value: Any, inner: Callable[[Any], Any], memo: dict[int, Any] | None = None
) -> Any:
    """A copy of an instance that the trace made."""
    cls: Any = type(value)
    made = cls.__new__(cls)
    if memo is not None:
        memo[id(value)] = made
    trace.outside.add_local(made)
    for name, held in attributes(value).items():
        set_attribute(made, name, inner(held))
    return trace.references.born(made)


def _with_attributes(trace: Trace, cls: Any, held: dict[str, Any]) -> Any:
    made = cls.__new__(cls)
    trace.outside.add_local(made)
    for name, value in held.items():
        set_attribute(made, name, value)
    return trace.references.born(made)


def _copy_object(
    trace: Trace, value: Any, inner: Callable[[Any], Any], memo: dict[int, Any] | None = None
) -> Any:
    """A copy of an object from outside."""
    cls: Any = type(value)
    if _contents(cls) is not object and is_user_instance(value):
        kind, name = _contents(cls).__name__, str(trace.outside.path_of(value))
        raise trace.refuse(
            f"`{name}` is copied, an object from outside whose class {cls.__name__} is derived from {kind}",
            "make a new one of what it holds, or copy it before the call and pass the copy as an argument",
            name,
        )
    if not _is_copied_by_attributes(value):
        raise trace.outside.attributes.refuse_namespace(value)
    path = trace.outside.path_of(value)
    assert path is not None
    names = [*attributes(value)]
    trace.outside.guards.append(
        Guard(
            path,
            lambda s, n: f"[*{n.of(attributes)}({s})] == {names!r}",
            f"an object with {', '.join(names)}",
        )
    )
    made = cls.__new__(cls)
    if memo is not None:
        memo[id(value)] = made
    trace.outside.add_local(made)
    for name in _names(trace, value):
        set_attribute(made, name, inner(getattr(trace.seen(value), name)))
    return made


def _is_copied_by_attributes(value: Any) -> bool:
    """Is a copy of it an object with the same attributes, which are all that it has?"""
    return _is_plain(type(value)) and (has_dict(value) or is_user_instance(value))


def _names(trace: Trace, value: Any) -> list[str]:
    """The attributes that an object from outside has where the trace is now."""
    stored = [key for key in trace.overlay if isinstance(key, tuple) and key[:2] == ("attribute", id(value))]
    missing = {key[2] for key in stored if isinstance(trace.overlay[key], Undefined)}
    return [
        name
        for name in dict.fromkeys([*attributes(value), *(key[2] for key in stored)])
        if name not in missing
    ]
