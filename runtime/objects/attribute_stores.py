"""Stores to attributes of objects from outside: each is a static place of the trace."""

from __future__ import annotations

import enum
import sys
import types
from typing import Any

from autograph.config import is_excluded
from autograph.errors import is_internal_code
from autograph.operators import Undefined, call
from runtime.objects import descriptors
from runtime.ops.instances import class_attribute
from runtime.tracer import generated
from runtime.tracer.static_places import OutsideAttribute

#: what stores an attribute with no code of the user's
PLAIN_STORES = (
    object.__setattr__, object.__delattr__, types.ModuleType.__setattr__, types.ModuleType.__delattr__,
    types.SimpleNamespace.__setattr__, types.SimpleNamespace.__delattr__,
    BaseException.__setattr__, BaseException.__delattr__,
)  # fmt: skip


def caller_code() -> types.CodeType:
    """The code that reads or stores an attribute, behind our own frames."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and is_internal_code(frame.f_code):
        frame = frame.f_back
    assert frame is not None
    return frame.f_code


class AttributeStores:
    """The stores to attributes that one trace records."""

    def __init__(self, outside: Any) -> None:
        self.outside = outside
        self.trace = outside.trace
        self.places: dict[int, dict[str, OutsideAttribute]] = {}  # by the id of the owner, and name

    def stored(self, owner: Any) -> dict[str, Any]:
        """What the trace has stored in attributes of an object from outside, which may be `Undefined`."""
        heap, places = self.trace.heap, self.places.get(id(owner), {})
        return {name: heap.held(place) for name, place in places.items() if heap.is_stored(place)}

    def is_stored(self, owner: Any, name: str) -> bool:
        """Has the trace stored, or deleted, this attribute of an object from outside?"""
        place = self.places.get(id(owner), {}).get(name)
        return place is not None and self.trace.heap.is_stored(place)

    def knows(self, owner: Any) -> bool:
        """Is it an instance that the trace made, or has met?"""
        outside = self.outside
        return outside.is_outside(owner) or self.trace.references.is_reference(owner)

    def on_store(self, owner: Any, name: str, value: Any, original: Any) -> bool:
        """Record a store. False: let ``original`` do it."""
        if isinstance(original, types.FunctionType) and not generated.is_generated(original):
            if self.knows(owner) and not is_excluded(original.__module__ or ""):
                call(original, owner, name, *(() if isinstance(value, Undefined) else (value,)))
                return True
        return self.store(owner, name, value, original)

    def store(self, owner: Any, name: str, value: Any, original: Any = object.__setattr__) -> bool:
        """Record a store that no ``__setattr__`` of the user's sees. False: let ``original`` do it."""
        if name == "__dict__" and self.knows(owner):
            raise self.trace.refuse(
                f"the namespace of a {type(owner).__name__} is replaced, so that it may be another's, too",
                "store the attributes by their names, or with setattr",
            )
        if self.trace.references.is_reference(owner):
            return self.trace.references.on_store(owner, name, value, original)
        place = self._place(owner, name)
        if place is None:
            return False
        static = class_attribute(type(owner), name)
        if descriptors.store(self.outside, owner, name, value, static):
            return True
        if isinstance(static, property):
            return False
        if isinstance(owner, types.ModuleType) and static is None:
            namespace = types.ModuleType.__getattribute__(owner, "__dict__")
            self.trace.write(self.trace.environment.global_place(namespace, name), value)
            return True
        if original not in PLAIN_STORES:
            if generated.is_generated(original):  # of a frozen dataclass
                return False
            raise self.trace.refuse(
                f"{type(owner).__name__} has a `__setattr__` of its own, which cannot be staged",
                "change the object outside the decorated function, or return the new value",
                name,
            )
        self.trace.write(place, value)
        return True

    def _place(self, owner: Any, name: str) -> OutsideAttribute | None:
        """The place of an attribute; None: of a flag that is no object of the program's yet.

        Raises StagingError for an object that the trace does not know.
        """
        if self.outside.is_outside(owner):
            places, path = self.places.setdefault(id(owner), {}), self.outside.path_of(owner)
            if name not in places:
                places[name] = OutsideAttribute(f"{path}.{name}", self.trace, owner, name)
            return places[name]
        if _is_new_flag(owner):
            return None
        raise self.trace.refuse(
            f"the attribute `{name}` of a {type(owner).__name__} is changed "
            "that the trace has not seen before",
            "reach the object through an argument, a global or a closure",
            name,
        )


def _is_new_flag(owner: Any) -> bool:
    """Is it a combination of flags that Python makes just now, once and for all?"""
    if not isinstance(owner, enum.Flag):
        return False
    return all(known is not owner for known in type(owner)._value2member_map_.values())
