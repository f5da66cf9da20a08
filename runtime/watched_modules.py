"""Modules that a trace reaches: their attributes are read and stored under its eyes.

The class of a module object may be changed. For the time of a trace it is a subclass with the hooks that
watched classes have (see `runtime.outside`).
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

from autograph.config import is_excluded

_lock = threading.Lock()
_classes: dict[type, type] = {}  # the class of a module -> its subclass with hooks
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
                    _set_class(module, _class_with_hooks(type(module)))
                except TypeError:  # not a module as Python makes them
                    return
            _watched[id(module)] = count + 1
        self._modules.append(module)

    def release(self) -> None:
        while self._modules:
            module = self._modules.pop()
            with _lock:
                _watched[id(module)] -= 1
                if not _watched[id(module)]:
                    del _watched[id(module)]
                    _set_class(module, type(module).__mro__[1])


def _set_class(module: ModuleType, cls: type) -> None:
    ModuleType.__setattr__(module, "__class__", cls)  # past the hooks


def _class_with_hooks(cls: type) -> type:
    known = _classes.get(cls)
    if known is None:
        from runtime.outside import make_hooks

        hooks = make_hooks(cls)
        names = ("__getattribute__", "__setattr__", "__delattr__")
        known = _classes[cls] = type(cls.__name__, (cls,), {name: hooks[name] for name in names})
    return known


def is_fixed(module: ModuleType, value: Any) -> bool:
    """A function or class of a library: nobody replaces it, so that reading it needs no guard."""
    return callable(value) and is_excluded(module.__name__)
