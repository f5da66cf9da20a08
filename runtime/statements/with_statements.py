"""`with` whose exit acts on what its block raises at run time: a ``try`` over the block as a closure.

    with suppress(ZeroDivisionError):
        share = total // count

The code is converted so where a trace found that an exit acts on what its block raises, and began again
(`Decisions.closed_with`). A manager that `contextlib.contextmanager` made is its generator function turned
inside out, with the block where it yields.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING, Any

from autograph.staging import Handler, State, Thunk
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import dispatch
from runtime.handlers.exceptions import raise_again, try_statement
from runtime.handlers.generator_contexts import GeneratorContext
from runtime.iterables.generators import consuming, inside_out
from runtime.statements.contexts import StagedContext
from runtime.tracer.callers import consumers

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

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
