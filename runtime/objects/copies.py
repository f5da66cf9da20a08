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
from runtime.containers.default_factories import factory_of
from runtime.graph import Operation, Value
from runtime.guards.paths import Guard
from runtime.objects.acting import acts, users_function
from runtime.ops.instances import HEAP_TYPE, attributes, has_dict, is_user_instance, set_attribute
from runtime.staged.containers import StagedContainer
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice
from runtime.types import OBJECT, STR

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
    found: dict[Value, None] = {}
    _find_run_time(trace, value, found, {})
    copies: dict[Value, Any] = {}
    if found:  # all at once: what two of them share, their copies share
        types = tuple([known.type for known in found])
        made = trace.append(Operation("object.deepcopy", tuple(found), types, {}))
        copies = {known: trace.wrap(copy) for known, copy in zip(found, made.outputs, strict=True)}
    return _DeepCopy(trace, copies).of(value)


def _find_run_time(trace: Trace, value: Any, found: dict[Value, None], seen: dict[int, Any]) -> None:
    """The containers and objects in a structure that only a run knows. ``seen`` keeps them by their ids."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    known = _known_to_run(trace, value)
    if known is not None:
        if not isinstance(value, Staged):
            _refuse_acting(trace, value, _DEEP)
        found[known] = None
        return
    for part in _parts(trace, value):
        _find_run_time(trace, part, found, seen)


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
    if trace.outside.is_local(value) and _is_plain(type(value)):
        return attributes(value).values()
    if trace.outside.is_outside(value) and _is_copied_by_attributes(value):
        return [getattr(trace.seen(value), name) for name in _names(trace, value)]
    return ()


#: what a class may say of its deep copies
_DEEP = ("__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__")


class _DeepCopy:
    """One call of ``copy.deepcopy``; ``copies`` holds those of what only a run knows."""

    def __init__(self, trace: Trace, copies: dict[Value, Any]) -> None:
        self.trace = trace
        self.copies = copies
        self.memo: dict[int, Any] = {}
        self.depth = 0

    def of(self, value: Any) -> Any:
        if id(value) in self.memo:
            return self.memo[id(value)]
        trace, memo = self.trace, self.memo
        known = _known_to_run(trace, value)
        made: Any
        if known is not None:
            if known not in self.copies:
                raise trace.refuse(
                    f"an object from outside is copied whole, and holds a run's {_name_of(value)}",
                    "copy its parts one by one",
                )
            made = self.copies[known]
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
            made = _made_by_python(trace, copy.deepcopy(value, memo))
        memo[id(value)] = made
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
