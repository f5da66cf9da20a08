"""`with` under a trace: the manager's methods run converted, at the place where they stand.

What they do when the block raises at run time is not in the graph. So a manager whose exit has effects is
refused around a block that may raise.
"""

from __future__ import annotations

import types
from typing import Any

from autograph.config import is_excluded
from autograph.operators import call
from runtime.trace import Control, Trace


class StagedContext:
    """Stands for a context manager for one `with` statement."""

    def __init__(self, trace: Trace, manager: Any) -> None:
        self.trace = trace
        self.manager = manager
        self.raising = 0

    def __enter__(self) -> Any:
        entered = self._run("__enter__")
        self.raising = self.trace.raising
        return entered

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        may_raise = self.trace.raising != self.raising
        before = self.trace.effects
        if kind is not None and not issubclass(kind, Control):
            return self._run("__exit__", kind, error, traceback)
        self._run("__exit__", None, None, None)
        if self.trace.effects != before and (may_raise or kind is not None):
            raise self.trace.refuse(
                f"the exit of this {type(self.manager).__name__} acts, and its block may raise at run time",
                "write it as try/finally",
            )
        return False

    def _run(self, name: str, *args: Any) -> Any:
        method = getattr(type(self.manager), name)
        if isinstance(method, types.FunctionType) and not is_excluded(
            method.__globals__.get("__name__") or ""
        ):
            return call(method, self.manager, *args)
        return method(self.manager, *args)
