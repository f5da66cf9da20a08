"""Stores to attributes: of objects from outside, each a static place, and of what the trace does not know.

Nothing records the latter, so they are right only where the object is made. Python keeps `__class__`,
`__cause__` and `__defaults__` itself; objects of C (`functools.partial`) come in as they are, and those of
libraries (`string.Template`) are known where they are from outside.
"""

from __future__ import annotations

import enum
import sys
import types
from typing import TYPE_CHECKING, Any

from autograph.analysis.static import KEPT_BY_PYTHON
from autograph.config import is_excluded
from autograph.errors import is_internal_code
from autograph.operators import Undefined, call
from runtime.objects.user_classes import store_descriptor
from runtime.ops.instances import class_attribute, has_dict
from runtime.tracer import generated
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice
from runtime.tracer.static_places import OutsideAttribute, made_in_trace
from runtime.types import ContainerType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


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
        if store_descriptor(self.outside, owner, name, value, static):
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


def check_store(trace: Trace, owner: Any, name: str, code: types.CodeType) -> None:
    """Refuse a store to an attribute that the trace would make once and for all.

    ``code``: of the function that stores.
    """
    is_container = isinstance(owner, Staged) and isinstance(owner.type, ContainerType)
    if isinstance(owner, Staged | Choice | Undefined) and not is_container:
        return
    kept = is_container or _is_kept_by_python(owner, name)
    if not kept and (_is_seen(trace, owner) or not _can_store(owner, name)):
        return
    if isinstance(owner, types.FunctionType) and owner.__code__ in code.co_consts:
        return  # made a line above
    if trace.references.is_reference(owner) and name != "__class__":
        return
    _, block = trace.outside.made_by_libraries.get(id(owner), (None, None))
    if block is not None and (not trace.frames or block is trace.block):
        return  # made on this path, so that no other one knows it: `float.__new__(cls, 2.0)`
    raise trace.refuse(
        f"`{name}` of a {type(owner).__name__} is stored, which a trace would do once and for all",
        "store it where the object is made, or outside the decorated function",
        name,
    )


def _is_kept_by_python(owner: Any, name: str) -> bool:
    """Of other objects than functions and classes that is the class; a `__name__` is like any attribute."""
    if name == "__class__":
        return True
    if isinstance(owner, types.FunctionType | type):
        return name in KEPT_BY_PYTHON
    return isinstance(owner, BaseException) and name in ("__cause__", "__context__", "__suppress_context__")


def _is_seen(trace: Trace, owner: Any) -> bool:
    """Does the trace see it, or compare what the object holds?"""
    cls, outside = type(owner), trace.outside
    if isinstance(owner, types.ModuleType) or trace.references.is_reference(owner):
        return True
    if isinstance(owner, type | types.FunctionType):
        is_made_here = isinstance(owner, types.FunctionType) and made_in_trace(owner)
        return is_made_here or owner in outside.classes.held
    stands_in = cls.__module__.partition(".")[0] == "runtime"  # for something: what is a store to that?
    return outside.is_watched(cls) or (stands_in and cls.__setattr__ is not object.__setattr__)


def _can_store(owner: Any, name: str) -> bool:
    """Has the object a place for the attribute? Where it has none, Python says so."""
    is_field = not isinstance(owner, tuple) and hasattr(type(class_attribute(type(owner), name)), "__set__")
    return has_dict(owner) or is_field


def class_that_makes(function: Any, args: tuple[Any, ...]) -> type | None:
    """The class of which this call makes an object: `partial(...)`, `int.__new__(Degrees, 3)`; or None."""
    if isinstance(function, types.BuiltinMethodType) and function.__name__ == "__new__" and args:
        function = args[0]
    return function if isinstance(function, type) else None


def note_made(trace: Trace, cls: type, made: Any) -> None:
    """Remember what a class of a library, or of C, has made just now: on this path it may get attributes."""
    if type(made) is cls and not isinstance(made, enum.Enum | Staged):
        if has_dict(made) and not trace.references.is_reference(made):
            trace.outside.made_by_libraries[id(made)] = (made, trace.block)
