"""Classes that a trace makes, by a `class` statement or by `type(name, bases, namespace)`.

What CPython asks the user's code for then runs converted: `__mro_entries__` and `__init_subclass__` of the
bases, `__set_name__` of what the class holds, and `__prepare__`, `__new__` and `__init__` of the metaclass.
They may keep a list.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograph.config import is_excluded
from autograph.errors import user_frame
from autograph.operators import call
from runtime.objects import acting, descriptors
from runtime.objects.function_objects import functions_in
from runtime.objects.watched_classes import converting
from runtime.ops.instances import class_attribute
from runtime.tracer.known_items import as_plain
from runtime.tracer.trace import Trace

_MISSING = object()


def makes_class(function: Any, args: tuple[Any, ...]) -> bool:
    """Is this `type(name, bases, namespace)`, or what a metaclass calls for it?"""
    if function is type:
        return len(args) == 3
    return function == type.__new__ and len(args) == 4


def make_class(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The class that such a call makes."""
    *first, bases, namespace = args
    namespace = as_plain(namespace)  # which is copied
    if not isinstance(bases, tuple) or not isinstance(namespace, dict):
        return function(*args, **kwargs)  # which raises
    frame = user_frame(sys._getframe(1))
    if "__module__" not in namespace and frame is not None:
        namespace = {**namespace, "__module__": frame.f_globals.get("__name__")}  # of who calls, not ours
    with _under_way(trace), _converted(trace, bases, namespace):
        return function(*first, bases, namespace, **kwargs)


def build_class(trace: Trace, body: Any, name: str, *bases: Any, **kwargs: Any) -> Any:
    """`__build_class__`."""
    making = _Making(trace, kwargs.pop("metaclass", None), bases)
    known = [_Bases(call(entries, base, bases)) if (entries := _entries(base)) else base for base in bases]
    trace.outside.classes.bodies += 1
    try:
        return builtins.__build_class__(body, name, *known, metaclass=making, **kwargs)
    finally:
        trace.outside.classes.bodies -= 1


def _entries(base: Any) -> Any:
    """The `__mro_entries__` of a base that is no class, where that changes something: it runs converted."""
    found = None if isinstance(base, type) else class_attribute(type(base), "__mro_entries__")
    return found if _acts(found) else None


class _Bases:
    """Stands for a base that has said already which classes stand for it."""

    def __init__(self, classes: tuple[Any, ...]) -> None:
        self.classes = classes

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.classes


class _Making:
    """Stands for the metaclass of a `class` statement."""

    def __init__(self, trace: Trace, metaclass: Any, bases: tuple[Any, ...]) -> None:
        self.trace = trace
        self.metaclass = metaclass
        self.bases = bases  # as the statement has them

    def __prepare__(self, name: str, bases: tuple[Any, ...], /, **kwargs: Any) -> Any:
        prepare = getattr(self._chosen(bases), "__prepare__", None)
        if prepare is None:
            return {}
        made = call(prepare, name, bases, **kwargs) if _acts(prepare) else prepare(name, bases, **kwargs)
        return as_plain(made)  # the body stores there unseen

    def __call__(self, name: str, bases: tuple[Any, ...], namespace: Any, /, **kwargs: Any) -> Any:
        with _under_way(self.trace):
            return self._made(name, bases, namespace, **kwargs)

    def _made(self, name: str, bases: tuple[Any, ...], namespace: Any, /, **kwargs: Any) -> Any:
        if bases is not self.bases and "__orig_bases__" in namespace:
            namespace["__orig_bases__"] = self.bases
        metaclass = self._chosen(bases)
        names = ("__new__", "__init__")
        if not isinstance(metaclass, type) or any(_acts(class_attribute(metaclass, one)) for one in names):
            return call(metaclass, name, bases, namespace, **kwargs)
        with _converted(self.trace, bases, namespace):
            return metaclass(name, bases, namespace, **kwargs)

    def _chosen(self, bases: tuple[Any, ...]) -> Any:
        """The metaclass, as CPython chooses it. Where the bases have none in common, it complains itself."""
        chosen = type if self.metaclass is None else self.metaclass
        if not isinstance(chosen, type):
            return chosen
        for base in bases:
            if issubclass(type(base), chosen):
                chosen = type(base)
        return chosen


def _acts(held: Any) -> bool:
    """Is it code of the user's that changes something?"""
    return any(
        acting.acts(function, type)
        for function in functions_in(held)
        if not is_excluded(function.__globals__.get("__name__") or "")
    )


@contextmanager
def _under_way(trace: Trace) -> Iterator[None]:
    """The ``with`` makes a class, of which the trace knows nothing before its end."""
    trace.outside.classes.under_way += 1
    try:
        yield
    finally:
        trace.outside.classes.under_way -= 1


@contextmanager
def _converted(trace: Trace, bases: tuple[Any, ...], namespace: dict[str, Any]) -> Iterator[None]:
    """The ``with`` makes the class: what the bases and the parts of it do then runs converted."""
    found: dict[type, tuple[str, Any]] = {}
    for base in bases:
        for cls in getattr(base, "__mro__", ()):
            held = vars(cls).get("__init_subclass__")
            methods = functions_in(held) if isinstance(held, classmethod) and _acts(held) else []
            for method in methods:
                found[cls] = ("__init_subclass__", classmethod(converting(method)))
    for part in list(namespace.values()):
        set_name = descriptors.method_of(part, "__set_name__")
        if set_name is not None and acting.acts(set_name, type(part)):
            found[type(part)] = ("__set_name__", converting(set_name))
    for cls in found:
        trace.outside.reach_class(cls)  # as it is
    before = {cls: vars(cls).get(name, _MISSING) for cls, (name, _) in found.items()}
    try:
        for cls, (name, hook) in found.items():
            type.__setattr__(cls, name, hook)
        yield
    finally:
        for cls, (name, _) in found.items():
            if before[cls] is _MISSING:
                type.__delattr__(cls, name)
            else:
                type.__setattr__(cls, name, before[cls])
