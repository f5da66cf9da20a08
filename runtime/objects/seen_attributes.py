"""What converted code reads attributes of, and stores them to, in place of an object that a trace knows.

    ag__.read_from(o).a                # o.a
    ag__.stored_to(o, 'a').a = v       # o.a = v

What an attribute means is in `attributes.py` and `attribute_stores.py`. Our own code, where it
reads what the program would read, asks `trace.seen(owner)`.

`super()`: what a base class computes for it is computed by the run. Python's own calls the getter of a
property behind the back of the trace, and reads a slot of the object itself.
"""

from __future__ import annotations

import functools
import sys
import types
from functools import partial
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined, call
from runtime.objects.class_state import MISSING
from runtime.objects.function_objects import LikeAFunction
from runtime.objects.user_classes import is_slot, method_of, read_descriptor
from runtime.ops.instances import class_attribute
from runtime.staged.needed_now import STANDING_FOR
from runtime.staged.objects import StagedObject
from runtime.tracer.builder import current, refuse
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def seen_attributes(trace: Trace, owner: Any) -> Any:
    """The object, or a view of it whose attributes are read and stored under the eyes of the trace."""
    outside, cls = trace.outside, type(owner)
    if issubclass(cls, (type, types.FunctionType, types.MethodType, LikeAFunction)):
        return _ClassView(trace, owner) if outside.classes.sees(owner) else owner
    is_known = outside.is_watched(cls) or issubclass(cls, types.ModuleType)
    if is_known or trace.references.is_reference(owner):
        return _View(trace, owner)
    return _ValueView(trace, owner) if cls in outside.classes.held else owner


class PlainStores:
    """What `object` is to a frozen dataclass's `__init__`, which stores past the class's `__setattr__`."""

    @staticmethod
    def __setattr__(view: Any, name: str, value: Any) -> None:  # type: ignore[override]
        if not _trace(view).outside.attributes.store(_owner(view), name, value):
            object.__setattr__(_owner(view), name, value)


class _View:
    """Its attributes are those of an object, as the trace knows them."""

    __slots__ = ("_owner", "_trace")

    def __init__(self, trace: Trace, owner: Any) -> None:
        object.__setattr__(self, "_trace", trace)
        object.__setattr__(self, "_owner", owner)

    def __getattribute__(self, name: str) -> Any:
        owner = _owner(self)
        if name == "__class__":
            return owner.__class__
        if name == "__post_init__":  # an `__init__` that dataclass wrote calls it
            return partial(call, getattr(owner, name))
        cls = type(owner)
        original = class_attribute(cls, "__getattribute__")
        try:
            return _trace(self).outside.attributes.on_read(owner, name, original)
        except AttributeError:
            fallback = class_attribute(cls, "__getattr__")
            if fallback is None:
                raise
        return call(fallback, owner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        owner = _owner(self)
        store = class_attribute(type(owner), "__setattr__")
        if not _trace(self).outside.attributes.on_store(owner, name, value, store):
            store(owner, name, value)

    def __delattr__(self, name: str) -> None:
        owner = _owner(self)
        delete = class_attribute(type(owner), "__delattr__")
        if not _trace(self).outside.attributes.on_store(owner, name, Undefined(name), delete):
            delete(owner, name)


class _ValueView(_View):
    """Of a tuple, whose own attributes are no business of the trace: what its class computes, and holds."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_owner(self), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_owner(self), name)


class _ClassView(_View):
    """Of a class or a function, or of a method, which has the attributes of its function."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        owner = _owner(self)
        return owner.__class__ if name == "__class__" else _trace(self).outside.classes.read(owner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        _trace(self).outside.classes.on_store(_owner(self), name, value)

    def __delattr__(self, name: str) -> None:
        _trace(self).outside.classes.on_store(_owner(self), name, Undefined(name))


_owner: Any = vars(_View)["_owner"].__get__
_trace: Any = vars(_View)["_trace"].__get__


class TracedSuper(super):
    """Properties and descriptors run converted. It finds its frame itself, for no `__init__` is in Python."""

    def __new__(cls, *args: Any) -> TracedSuper:
        frame = sys._getframe(1)
        first = frame.f_code.co_varnames[: min(frame.f_code.co_argcount, 1)]
        for one in args or [frame.f_locals.get(name) for name in first]:
            if isinstance(one, StagedObject):
                raise one.unknown("super() of")
            if isinstance(one, Choice):
                raise refuse("super() of one of several objects", "call the method of that class by its name")
        return super.__new__(cls)

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return super
        plain: Any = super.__getattribute__
        outside: Any = getattr(current(), "outside", None)
        owner = plain(self, "__self__")
        if outside is None or owner is None:
            return plain(self, name)
        bases = _bases_behind(owner, plain(self, "__thisclass__"))
        of_trace = outside.classes.lookup(bases, name)
        if of_trace is not MISSING:
            return of_trace
        if isinstance(owner, type):
            return plain(self, name)
        static = next((vars(base)[name] for base in bases if name in vars(base)), None)
        if isinstance(static, property) and static.fget is not None:
            return call(static.fget, owner)
        if isinstance(static, functools.cached_property) or is_slot(static):
            if class_attribute(type(owner), name) is static:
                return getattr(outside.trace.seen(owner), name)
            raise outside.trace.refuse(
                f"`super().{name}` reads an attribute past the one of that name in {type(owner).__name__}",
                "give the two attributes different names",
                f"super().{name}",
            )
        if method_of(static, "__get__") is not None:
            return read_descriptor(outside, owner, name, static)
        return plain(self, name)


STANDING_FOR[TracedSuper] = super
TracedSuper.__name__ = TracedSuper.__qualname__ = "super"  # in the words of its errors


def _bases_behind(owner: Any, cls: type) -> tuple[type, ...]:
    """Where `super` looks: behind ``cls`` among the classes of an object, or of a class itself."""
    bases = owner.__mro__ if isinstance(owner, type) and cls in owner.__mro__ else type(owner).__mro__
    return bases[bases.index(cls) + 1 :]
