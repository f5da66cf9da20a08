"""Methods and descriptors of classes, and functions that functions hold: a trace changes none of them.

A class that is patched under a staged condition would be patched while tracing, once, whichever path a run
takes. So that is refused; what a function patches and puts back itself (a `mock.patch` of its own) is in
force while it is traced, as in Python.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from runtime.objects.watched_classes import namespace_of

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

_MISSING = object()


class Methods:
    """Of the classes and functions that one trace reached or made."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._held: dict[Any, dict[str, Any]] = {}  # where the trace reached them
        self._now: dict[Any, dict[str, Any]] = {}
        self._made_in: dict[Any, Any] = {}  # the frames of those that the trace made

    def reach(self, owner: Any) -> None:
        self._held[owner] = self._now[owner] = methods_of(owner)

    def made(self, owner: Any, held: dict[str, Any], frame: Any) -> None:
        """The trace made the owner in the block of this frame, where it held these."""
        self._now[owner] = held
        self._made_in[owner] = frame

    def poll(self, owner: Any) -> None:
        """Something of the owner has changed. Raises StagingError where a method did, on one path alone."""
        now, before = methods_of(owner), self._now[owner]
        if not _differ(before, now):
            return
        if owner in self._made_in:
            alone = self.frame() is not self._made_in[owner]
        else:
            alone = self.frame() is not None
        if alone:
            raise self._refuse(owner, _differ(before, now)[0], "under a staged condition or in a staged loop")
        self._now[owner] = now

    def check(self) -> None:
        """The trace is at its end. Raises StagingError where a class does not have its own methods again."""
        for owner, held in self._held.items():
            changed = _differ(held, methods_of(owner))
            if changed:
                raise self._refuse(owner, changed[0], "and keeps the change after the call")

    def release(self) -> None:
        """Classes get back the methods that they had."""
        for owner, held in self._held.items():
            kind: Any = type if isinstance(owner, type) else types.FunctionType
            for name in _differ(held, methods_of(owner)):
                if name in vars(owner):
                    kind.__delattr__(owner, name)
                if name in held:
                    kind.__setattr__(owner, name, held[name])

    def frame(self) -> Any:
        """The block that is traced now; None for the outermost."""
        return self.trace.frames[-1] if self.trace.frames else None

    def _refuse(self, owner: Any, name: str, how: str) -> Exception:
        kind = "class" if isinstance(owner, type) else "function"
        error = self.trace.refuse(
            f"`{name}` of the {kind} {owner.__name__} is a method or descriptor; it is set or deleted {how}, "
            "which would be done only while tracing",
            "set it outside the decorated function, or keep the function to call in a variable",
            name,
        )
        return self.trace.environment.at_store(error, name)


def methods_of(owner: Any) -> dict[str, Any]:
    """What a class or function holds of functions and descriptors, under names that are not Python's own."""
    namespace = namespace_of(owner) if isinstance(owner, type) else vars(owner).copy()
    return {
        name: value
        for name, value in namespace.items()
        if not name.startswith(("__", "_abc_")) and hasattr(type(value), "__get__")
    }


def _differ(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """The names under which something else is, in order."""
    names = [name for name in (*before, *now) if before.get(name, _MISSING) is not now.get(name, _MISSING)]
    return sorted(set(names))
