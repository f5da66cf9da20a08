"""Loading modules of these packages: when they are first used, and without garbage collection meanwhile.

A package names those of its modules that only some programs need:

    # runtime/gradients/__init__.py
    later(__name__, "reverse", "forward")

Others import such a module by its name, `from runtime.gradients import reverse`, and it is loaded when
`reverse.derivative` is first read. `from runtime.gradients.reverse import derivative` loads it at once.

A program waits for the modules that it needs, so others are loaded when they are first used.
There is one way to do it, `autograph/loading.py`: a package says `later(__name__, "reverse")`,
others say `from runtime.gradients import reverse` at the top of the file, and the module is
loaded when `reverse.reverse` is first read, in the middle of a trace perhaps. So a module does
nothing at its import that a trace would notice. Tables that modules fill at their import know
these modules: `REGISTRY` loads the families of `ops/` in turn until it finds a name,
`handler_of` (`builtin_calls.py`) the modules that stage calls, `Builder.wrap` the one that wraps
values of a type. Classes of the standard library are asked for by `loaded_classes`, our own by
`is_loaded(tensor)`: where the module is not loaded there is no instance. `records.py` has the
classes of a few fields; `tests/test_starting.py` says what a loop over a range may load.

Imports run one way, those inside functions and for type checkers included:
`tests/test_imports.py` has the order of the parts of both packages. In autograph/ only what is
optional is imported in a function.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from autograph.deep import with_room


class _Later(ModuleType):
    """Stands for a module in those that import it. The import system knows the module itself only."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and "module" not in vars(self):  # asked by tools
            raise AttributeError(name)
        return getattr(_module_of(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_module_of(self), name, value)


def later(package: str, *names: str) -> None:
    """Load these modules of the package when an attribute of theirs is first read."""
    for name in names:
        vars(sys.modules[package])[name] = _Later(f"{package}.{name}")


def _module_of(stand_in: _Later) -> ModuleType:
    known = vars(stand_in)
    if "module" not in known:
        known["module"] = loaded(known["__name__"])
    return known["module"]


class _Here(threading.local):
    loading = False  # is a module being loaded in this thread?


_here = _Here()


def loaded(name: str) -> ModuleType:
    """The module of that name; loaded where little is left of the stack, too."""
    known = _known.get(name)
    if known is None:
        known = _known[name] = _loaded(name)
    return known


_known: dict[str, ModuleType] = {}


def _loaded(name: str) -> ModuleType:
    if name in sys.modules:  # perhaps not to its end: `import_module` waits for that
        return import_module(name)
    with without_collections(stay=True):
        if _here.loading:  # what it imports may wait for those that this thread has begun
            return import_module(name)
        _here.loading = True
        try:
            return with_room(import_module, name)
        finally:
            _here.loading = False


def loaded_classes(*names: str) -> tuple[type, ...]:
    """Classes by their full names, of modules that the program has loaded: others have no instances.

    >>> isinstance(0.5, loaded_classes("fractions.Fraction"))
    False
    """
    parts = [name.rpartition(".") for name in names]
    return tuple([getattr(sys.modules[home], name) for home, _, name in parts if home in sys.modules])


def is_loaded(module: ModuleType) -> bool:
    """Has the module been loaded? Where it has not, there are no instances of its classes.

    >>> is_loaded(sys), is_loaded(_Later("autograph.none"))
    (True, False)
    """
    known = vars(module)
    return not isinstance(module, _Later) or "module" in known or known["__name__"] in sys.modules


@contextmanager
def without_collections(stay: bool = False) -> Iterator[None]:
    """No garbage is looked for meanwhile: while modules load, or a function is traced and compiled, little of
    what is made is garbage, and to go through it again and again takes a fifth of the time.

    ``stay``: what was made is going to stay, as modules do. All objects count as old ones then, or the first
    collection would go through these at once.
    """
    global _is_off
    if not gc.isenabled():
        yield
        return
    gc.disable()
    _is_off = True
    try:
        yield
    finally:
        if stay and not gc.get_freeze_count():  # what the program has frozen stays so
            gc.freeze()
            gc.unfreeze()
        _is_off = False
        gc.enable()


#: is the collector off because of us? A process that forks meanwhile leaves a child that nobody would tell
_is_off = False
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: gc.enable() if _is_off else None)
