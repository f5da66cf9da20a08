"""Modules that a trace reaches: their attributes are read and stored under its eyes.

The class of a module object may be changed. For the time of a trace it is a subclass with the hooks that
watched classes have (see `runtime.objects.watched_classes`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from sys import _getframe
from types import ModuleType
from typing import Any

from autograph.config import is_excluded
from autograph.operators import calls
from runtime.guards.environment import TraceGlobals

#: `getattr(module, name)` of converted code is made there
_CALLS = vars(calls)

_lock = threading.Lock()
_classes: dict[tuple[type, bool], type] = {}  # the class of a module -> its subclass with hooks
_watched: dict[int, int] = {}  # id of a module -> traces that watch it


class WatchedModules:
    """The modules that one trace watches."""

    def __init__(self) -> None:
        self._modules: list[ModuleType] = []

    def watch(self, module: ModuleType) -> None:
        if any(module is known for known in self._modules):
            return
        with _lock:
            count = _watched.get(id(module), 0)
            if count == 0:
                try:
                    _set_class(module, _class_with_hooks(type(module), is_excluded(module.__name__)))
                except TypeError:  # not a module as Python makes them
                    return
            _watched[id(module)] = count + 1
        self._modules.append(module)

    def has(self, module: ModuleType) -> bool:
        return any(module is known for known in self._modules)

    def release(self) -> None:
        while self._modules:
            module = self._modules.pop()
            with _lock:
                _watched[id(module)] -= 1
                if not _watched[id(module)]:
                    del _watched[id(module)]
                    _set_class(module, type(module).__mro__[1])


_set_class: Callable[[ModuleType, type], None] = object.__dict__["__class__"].__set__  # past the hooks


def _class_with_hooks(cls: type, library: bool) -> type:
    known = _classes.get((cls, library))
    if known is None:
        from runtime.objects.watched_classes import make_hooks

        hooks = make_hooks(cls)
        names = ("__getattribute__", "__setattr__", "__delattr__")
        found = {
            name: _for_users(hooks[name], getattr(cls, name)) if library else hooks[name] for name in names
        }
        found["__class__"] = property(lambda self: cls)  # what the program sees
        known = _classes[cls, library] = type(cls.__name__, (cls,), found)
    return known


def _for_users(hook: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """The hook where the user's code asks; libraries, and the tracer itself, use their modules as ever."""

    def method(self: ModuleType, *args: Any) -> Any:
        asking = _getframe(1)
        is_users = isinstance(asking.f_globals, TraceGlobals) or asking.f_globals is _CALLS
        return hook(self, *args) if is_users else plain(self, *args)

    return method


def is_fixed(module: ModuleType, value: Any) -> bool:
    """A function or class of a library: it stands for itself in a trace."""
    return callable(value) and is_excluded(module.__name__)
