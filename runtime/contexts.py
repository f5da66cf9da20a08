"""`with` under a trace: the manager's methods run converted, at the place where they stand.

What they do when the block raises at run time is not in the graph. So a manager whose exit has effects is
refused around a block that may raise.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any

from autograph.config import is_excluded
from autograph.operators import call
from runtime.decisions import Control
from runtime.trace import Trace


class StagedContext:
    """Stands for a context manager for one `with` statement."""

    def __init__(self, trace: Trace, manager: Any) -> None:
        self.trace = trace
        self.manager = manager
        self.raising = 0

    def __enter__(self) -> Any:
        self._check()
        entered = self._run("__enter__")
        self.raising = self.trace.raising
        return entered

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        may_raise = self.trace.raising != self.raising
        before = self.trace.effects
        if kind is not None and not issubclass(kind, Control):
            return self._run("__exit__", kind, error, traceback)
        if may_raise and isinstance(self.manager, contextlib.suppress):
            raise self.trace.refuse(
                "an exception that is raised at run time would not be suppressed here",
                "write it as try/except",
            )
        self._run("__exit__", None, None, None)
        if self.trace.effects != before and (may_raise or kind is not None):
            raise self.trace.refuse(
                f"the exit of this {type(self.manager).__name__} acts, and its block may raise at run time",
                "write it as try/finally",
            )
        return False

    def _check(self) -> None:
        """Refuse a manager whose methods would act while tracing, and never again."""
        cls = type(self.manager)
        if cls in HARMLESS or cls.__module__.partition(".")[0] in ("runtime", "autograph"):
            return
        if not all(_is_users(getattr(cls, name, None)) for name in ("__enter__", "__exit__")):
            raise self.trace.refuse(
                f"entering this {cls.__name__} acts on the world outside, and would do so only while tracing",
                "put the `with` statement around the call of the decorated function",
            )

    def _run(self, name: str, *args: Any) -> Any:
        method = getattr(type(self.manager), name)
        if _is_users(method):
            return call(method, self.manager, *args)
        return method(self.manager, *args)


#: managers that do nothing but what the block below sees
HARMLESS = (contextlib.nullcontext, contextlib.suppress)


def _is_users(method: Any) -> bool:
    """Is it Python that runs converted?"""
    method = getattr(method, "__runtime_inline__", method)  # behind the hook of a watched class
    return isinstance(method, types.FunctionType) and not is_excluded(
        method.__globals__.get("__name__") or ""
    )
