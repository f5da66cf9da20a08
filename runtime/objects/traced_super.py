"""`super()` in converted code: what a base class computes for it is computed by the run.

Python's own calls the getter of a property behind the back of the trace, and reads a slot of the
object itself.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from autograph.operators import call
from runtime.objects import descriptors
from runtime.objects.class_state import MISSING
from runtime.objects.user_classes import is_slot
from runtime.ops.instances import class_attribute
from runtime.staged.objects import StagedObject
from runtime.staged.value_classes import STANDING_FOR
from runtime.tracer.builder import current, refuse
from runtime.tracer.spec import Choice


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
        if descriptors.method_of(static, "__get__") is not None:
            return descriptors.read(outside, owner, name, static)
        return plain(self, name)


STANDING_FOR[TracedSuper] = super
TracedSuper.__name__ = TracedSuper.__qualname__ = "super"  # in the words of its errors


def _bases_behind(owner: Any, cls: type) -> tuple[type, ...]:
    """Where `super` looks: behind ``cls`` among the classes of an object, or of a class itself."""
    bases = owner.__mro__ if isinstance(owner, type) and cls in owner.__mro__ else type(owner).__mro__
    return bases[bases.index(cls) + 1 :]
