"""The manager of a `with` statement: what it does on entering and on leaving, as part of the graph.

The block runs in the user's own frame, as long as nothing in it raises that the exit would see. Where
something may, the trace begins again with the blocks of all `with` statements as closures, which may be left
in the middle (`with_statements.py`).
"""

from __future__ import annotations

import contextlib
import types
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.config import is_excluded
from autograph.errors import AutographError
from autograph.operators import call
from runtime.control_flow.choices import certain, truth
from runtime.handlers.generator_contexts import GeneratorContext
from runtime.handlers.raised import Caught
from runtime.staged.value_classes import class_of
from runtime.tracer.builder import emit
from runtime.tracer.decisions import Control, PathEnded, Restart
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace

_AROUND = "put the `with` statement around the call of the decorated function"
_PRINTED = f"{_AROUND}; or give the stream to each `print(..., file=stream)`"
#: what to write in place of managers of Python's
_IN_PLACE_OF: dict[type, str] = {
    contextlib.redirect_stdout: _PRINTED,
    contextlib.redirect_stderr: _PRINTED,
    np.errstate: "test the values, and raise the exception with `raise`",
    contextlib.closing: "write `try: ... finally: thing.close()`",
}
#: managers that do nothing but what a trace sees
HARMLESS = (contextlib.nullcontext, contextlib.suppress)


class StagedContext:
    """Stands for a context manager for one `with` statement."""

    def __init__(self, trace: Trace, manager: Any) -> None:
        self.trace = trace
        self.manager = certain(manager) if isinstance(manager, Choice) else manager
        self.raising = 0

    def __enter__(self) -> Any:
        if isinstance(self.manager, GeneratorContext):
            self.require_closure()
        entered = self.enter()
        self.raising = self.trace.raising
        return entered

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        is_of_program = not isinstance(error, AutographError | Control)
        if self.sees_exceptions():
            if self.trace.raising != self.raising and (is_of_program or isinstance(error, PathEnded)):
                self.require_closure()
            return self._run("__exit__", kind, error, traceback) if is_of_program else False
        if isinstance(error, Control):
            kind = error = traceback = None
        self._run("__exit__", kind, error, traceback)
        return False

    def enter(self) -> Any:
        """What the manager gives on entering."""
        self._check()
        return self._run("__enter__")

    def leave(self) -> None:
        """The exit after a block that raised nothing."""
        self._run("__exit__", None, None, None)

    def swallows(self, error: Any, caught: Caught) -> Any:
        """The exit after a block that raised: does it take the exception? A bool, or a staged one."""
        kind = class_of(error)
        traceback = emit("exception.traceback", [self.trace.wrap(caught.value)])
        return truth(self._run("__exit__", kind, error, traceback))

    def sees_exceptions(self) -> bool:
        """May the exit do something where the block raises?"""
        if isinstance(self.manager, GeneratorContext | contextlib.suppress):
            return True
        return _is_users(getattr(type(self.manager), "__exit__", None))

    def require_closure(self) -> None:
        """Begin again with the block as a closure, which may be left in the middle."""
        decisions = self.trace.decisions
        if not decisions.closed_with:
            reason = "the exit of a `with` acts where the block raises"
            raise Restart(replace(decisions, closed_with=True), reason)
        raise self.trace.refuse(
            f"the exit of this {type(self.manager).__name__} acts where its block raises, and the block "
            "cannot be left in the middle: it yields, or the function looks at its own frame",
            "write the `with` in a function of its own",
        )

    def _check(self) -> None:
        """Refuse a manager whose methods would act while tracing, and never again."""
        cls = type(self.manager)
        if cls is Choice:
            raise self.trace.refuse(
                "a `with` gets one of several managers, and only a run knows which",
                "put the `with` inside the `if` that tells them apart",
            )
        methods = [getattr(cls, name, None) for name in ("__enter__", "__exit__")]
        is_ours = cls in HARMLESS or cls.__module__.partition(".")[0] in ("runtime", "autograph")
        if is_ours and None not in methods or cls is np.errstate and _asks_for_nothing(self.manager):
            return
        if not all(map(_is_users, methods)):
            raise self.trace.refuse(
                f"entering this {cls.__name__} acts on the world outside, and would do so only while tracing",
                _IN_PLACE_OF.get(cls, _AROUND),
            )

    def _run(self, name: str, *args: Any) -> Any:
        if type(self.manager) is np.errstate:
            return emit("errstate") if name == "__enter__" else None
        method = getattr(type(self.manager), name)
        if _is_users(method):
            return call(method, self.manager, *args)
        return method(self.manager, *args)


def _asks_for_nothing(errstate: Any) -> bool:
    """Floating-point warnings are no part of the promise: a run that may leave some out gives none."""
    kinds = ("all", "divide", "over", "under", "invalid")
    return {getattr(errstate, f"_{kind}") for kind in kinds} <= {None, "ignore", "warn"}


def _is_users(method: Any) -> bool:
    """Is it Python that runs converted?"""
    is_python = isinstance(method, types.FunctionType)
    return is_python and not is_excluded(method.__globals__.get("__name__") or "")
