"""`with`: what its manager does on entering and on leaving, as part of the graph.

The block runs in the user's own frame, as long as nothing in it raises that the exit would see. Where
something may, the trace begins again with the blocks of all `with` statements as closures, which may be left
in the middle: a ``try`` over the block.

    with suppress(ZeroDivisionError):
        share = total // count

The code is converted so where a trace found that an exit acts on what its block raises, and began again
(`Decisions.closed_with`). A manager that `contextlib.contextmanager` made is its generator function turned
inside out, with the block where it yields.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from dataclasses import replace
from types import CodeType
from typing import Any

import numpy as np

from autograph.config import is_excluded
from autograph.errors import AutographError
from autograph.operators import call
from autograph.staging import Handler, State, Thunk
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import certain, dispatch, truth
from runtime.handlers.exceptions import raise_again, try_statement
from runtime.handlers.generator_contexts import GeneratorContext
from runtime.handlers.raised import Caught
from runtime.iterables.generators import consuming, inside_out
from runtime.staged.needed_now import class_of
from runtime.tracer.builder import emit
from runtime.tracer.callers import consumers
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


Block = Callable[[Any], None]


def with_statement(
    trace: Trace, manager: Any, body: Block, swallowed: Thunk, orelse: Thunk | None, state: State
) -> None:
    """``with manager as entered: body(entered)``, and what follows it."""
    context = StagedContext(trace, manager)
    if isinstance(manager, GeneratorContext):
        _generator(trace, manager, body, swallowed, orelse, state)
    elif context.sees_exceptions():
        _entered(trace, context, body, swallowed, orelse, state)
    else:
        with context as entered:
            body(entered)
        if orelse is not None:
            orelse()


def _entered(
    trace: Trace, context: StagedContext, body: Block, swallowed: Thunk, orelse: Thunk | None, state: State
) -> None:
    def leave(error: Any) -> None:
        caught = trace.handling[-1]
        swallows = dispatch(error, lambda one: context.swallows(one, caught))
        branch(swallows, swallowed, lambda: raise_again(trace, caught), state)

    def end() -> None:
        context.leave()
        if orelse is not None:
            orelse()

    entered = context.enter()
    cleans_up = not isinstance(context.manager, contextlib.suppress)
    handler = Handler(None, leave)
    if not cleans_up:
        types = context.manager._exceptions
        handler = Handler(lambda: types, lambda error: swallowed())
    try_statement(trace, lambda: body(entered), (handler,), end, None, state, cleans_up)


def _generator(
    trace: Trace,
    manager: GeneratorContext,
    body: Block,
    swallowed: Thunk,
    orelse: Thunk | None,
    state: State,
) -> None:
    begun: Any = False
    ended: Any = False
    outer = trace.consuming

    def get() -> tuple[Any, ...]:
        return (begun, ended, *state.get())

    def set_(values: tuple[Any, ...]) -> None:
        nonlocal begun, ended
        begun, ended, *others = values
        state.set(tuple(others))

    def consume(item: Any) -> Any:
        nonlocal begun, ended
        if begun is not False:
            raise trace.refuse(
                f"`{manager.name}` may yield more than once", "write a context manager that yields once"
            )
        begun = True
        with consuming(trace, outer):
            body(item)
        ended = True
        return True

    run = inside_out(trace, manager.function, sees_consumer=True)
    with consuming(trace, (*outer, State(("begun", "ended", *state.names), get, set_))):
        run(consume, *manager.args, **manager.kwargs)
    if begun is False:
        raise RuntimeError("generator didn't yield")
    if begun is not True:
        raise trace.refuse(
            f"whether `{manager.name}` yields is known only at run time",
            "write a context manager that yields once on every path",
        )
    branch(ended, orelse or (lambda: None), swallowed, state)


consumers.update(
    {
        code: _generator.__code__
        for code in _generator.__code__.co_consts
        if isinstance(code, CodeType) and code.co_name == "consume"
    }
)
