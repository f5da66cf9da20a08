"""``copy.copy`` and ``copy.deepcopy`` under a trace.

They read the namespace of an object as a whole, where no hook sees it. So an object from outside is copied
attribute by attribute here, each read becoming a guard or an input, and what it has at all a guard, too.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from runtime.builder import Staged
from runtime.instances import attributes, set_attribute
from runtime.paths import Guard

if TYPE_CHECKING:
    from runtime.trace import Trace

#: a class that has one of these says itself how it is copied
_OWN_WAYS = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__")


def copied(trace: Trace, value: Any) -> Any:
    """``copy.copy(value)``."""
    if trace.references.is_reference(value):
        return trace.references.copied(value, copy.copy)
    if trace.outside.is_local(value) and _is_plain(type(value)):
        return _copy_instance(trace, value, lambda held: held)
    if not trace.outside.is_outside(value):
        return copy.copy(value)
    return _copy_object(trace, value, lambda held: held)


def deeply_copied(trace: Trace, value: Any, memo: dict[int, Any] | None = None) -> Any:
    """``copy.deepcopy(value)``."""
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)]
    made: Any
    if trace.references.is_reference(value):
        if len(memo):
            raise trace.refuse(
                f"a structure with a {type(value).__name__} that only a run knows is copied as a whole",
                "copy its parts one by one",
            )
        return trace.references.copied(value, copy.deepcopy)
    if isinstance(value, Staged):
        made = copy.deepcopy(value)
    elif type(value) is list:
        made = memo[id(value)] = []
        made.extend(deeply_copied(trace, item, memo) for item in value)
    elif type(value) is dict:
        made = memo[id(value)] = {}
        made.update({key: deeply_copied(trace, item, memo) for key, item in value.items()})
    elif type(value) is tuple:
        made = tuple([deeply_copied(trace, item, memo) for item in value])
    elif trace.outside.is_local(value) and _is_plain(type(value)):
        return _copy_instance(trace, value, lambda held: deeply_copied(trace, held, memo), memo)
    elif trace.outside.is_outside(value):
        made = _copy_object(trace, value, lambda held: deeply_copied(trace, held, memo), memo)
    else:
        made = copy.deepcopy(value, memo)
    memo[id(value)] = made
    return made


def _is_plain(cls: type) -> bool:
    """Is an instance copied attribute by attribute, as far as its class is concerned?"""
    return all(getattr(cls, name, None) is getattr(object, name, None) for name in _OWN_WAYS)


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


def _copy_object(
    trace: Trace, value: Any, inner: Callable[[Any], Any], memo: dict[int, Any] | None = None
) -> Any:
    cls: Any = type(value)
    fields = getattr(value, "__dict__", None)
    if not _is_plain(cls) or fields is None or hasattr(cls, "__slots__"):
        raise trace.outside.attributes.refuse_namespace(value)
    path = trace.outside.path_of(value)
    assert path is not None
    names = list(fields)
    trace.outside.guards.append(
        Guard(path, lambda s, n: f"[*{s}.__dict__] == {names!r}", f"an object with {', '.join(names)}")
    )
    made = cls.__new__(cls)
    if memo is not None:
        memo[id(value)] = made
    trace.outside.add_local(made)
    stored = [key for key in trace.overlay if isinstance(key, tuple) and key[:2] == ("attribute", id(value))]
    missing = {key[2] for key in stored if isinstance(trace.overlay[key], Undefined)}
    for name in dict.fromkeys([*names, *(key[2] for key in stored)]):
        if name in missing:
            continue
        object.__setattr__(made, name, inner(getattr(value, name)))
    return made
