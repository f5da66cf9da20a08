"""A staged ``try``: what runs when an operation in its body raises at run time (see `regions.py`).

And one that stays Python's: its handlers and its `finally` act while tracing only. The converter
leaves a `try` as it is where a `yield` stands in it, a jump leaves its `finally`, or the function
looks at its own frame. What Python code raises in it while it is traced is handled as Python
handles it. What the graph would raise at run time is not: that is refused. And where handlers or a
`finally` swallow what unwinds the trace, the trace is given up after all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.errors import AutographError
from autograph.operators import call
from autograph.staging import NOTHING, Handler, State
from runtime.control_flow.blocks import Outcome, trace_block
from runtime.control_flow.branches import branch, join_paths
from runtime.control_flow.choices import dispatch
from runtime.control_flow.joins import fields_left, hint_of
from runtime.graph import Block, Location, Operation, Value
from runtime.handlers.raised import Caught, append_raise, handled, handling, narrowed, raising
from runtime.handlers.regions import Region
from runtime.heap.shadow import Moment
from runtime.specs.spec import leaf_types
from runtime.staged.needed_now import JUMP_HINT
from runtime.staged.objects import StagedObject
from runtime.tracer.builder import emit
from runtime.tracer.decisions import Control, PathEnded
from runtime.tracer.flattening import rebuild
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import EXCEPTION

_HINTS = {
    "it is an `except*`": "write `except` in its place, and raise single exceptions, no group",
    "a jump leaves its `finally`": JUMP_HINT,
}


class PythonTry:
    """Around a part of such a `try`."""

    def __init__(self, trace: Trace, reason: str) -> None:
        self.trace = trace
        self.reason = reason
        self.raising = 0

    def __enter__(self) -> None:
        self.raising = self.trace.raising

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        trace = self.trace
        if isinstance(error, AutographError) or (
            isinstance(error, Control) and not isinstance(error, PathEnded)
        ):
            trace.given_up = trace.given_up or error
        elif trace.raising != self.raising:
            refusal = trace.refuse(
                "what is raised here at run time would pass the handlers and the `finally` of a `try` that "
                f"cannot be part of the graph: {self.reason}",
                _HINTS.get(
                    self.reason,
                    "handle the exception with try/except in a function of its own, or test for it before",
                ),
            )
            trace.given_up = trace.given_up or refusal
            raise refusal


def protected(
    trace: Trace,
    body: Callable[[], Any],
    on_error: Callable[[Any], Any],
    state: State,
    cleans_up: bool = False,
) -> None:
    """Append a ``try``: ``body()``, and where it raises ``on_error(exception)``.

    ``cleans_up``: does the handler run for the refusals of a run, too, which no program catches?
    """
    before = state.get()
    began = trace.heap.moment()
    region = Region(trace, state, began)
    state.set(before)
    block = Block()
    trace.regions.append(region)
    try:
        outcome = _trace_part(trace, block, body, state, began)
    finally:
        trace.regions.pop()
    if not region.may_raise(block):  # nothing in it can raise: it is simply part of the code around
        trace.heap.go_back(began)
        body()
        return
    on_raise = _trace_handler(trace, region, on_error, state)
    state.set(before)
    _append(trace, region, [outcome, on_raise], state, cleans_up, began.references)


def _trace_part(
    trace: Trace,
    block: Block,
    part: Callable[[], Any],
    state: State,
    began: Moment,
) -> Outcome:
    before = state.get()

    def run() -> tuple[Any, ...]:
        part()
        values = state.get()
        state.set(before)
        return values

    try:
        return trace_block(trace, block, run, began, state)
    finally:
        state.set(before)


def _trace_handler(trace: Trace, region: Region, on_error: Callable[[Any], Any], state: State) -> Outcome:
    exception = Value(EXCEPTION, "error")
    known, specs, stored = region.settle()
    block = Block([exception])
    named = [
        ("error", known),
        *zip(state.names, specs, strict=True),
        *((place.name, spec) for place, spec in stored),
    ]
    for name, spec in named:
        block.params += [Value(type, hint_of(name, spec)) for type in leaf_types(spec)]
    values = iter(block.params[1:])
    with trace.into(block):
        view = rebuild(known, values, trace)
        variables = tuple([rebuild(spec, values, trace) for spec in specs])
        for place, spec in stored:
            trace.heap.hold(place, rebuild(spec, values, trace))
    state.set(variables)

    def run() -> None:
        on_error(Caught(exception, handled(trace, view, exception)))

    return _trace_part(trace, block, run, state, region.began)


def _append(
    trace: Trace, region: Region, outcomes: list[Outcome], state: State, cleans_up: bool, count: int
) -> None:
    """``count``: how many references were known before the body."""
    attributes = {"region": region.number, **({"cleans_up": True} if cleans_up else {})}
    operation = Operation("try", (), (), attributes, tuple(o.block for o in outcomes))
    ends = [outcome.block for outcome in outcomes if not outcome.ended]
    fields = fields_left(trace.heap, trace.heap.moment(), count, ends)
    joined = join_paths(trace, operation, outcomes, state.names, state.get(), fields)
    state.set(tuple(joined[: len(state.names)]))


def try_statement(
    trace: Trace,
    body: Callable[[], None],
    handlers: tuple[Handler, ...],
    orelse: Callable[[], None] | None,
    finalbody: Callable[[], None] | None,
    state: State,
    cleans_up: bool = False,
) -> None:
    """``try/except/else/finally`` in the graph."""
    if finalbody is None:
        _try_except(trace, body, handlers, orelse, state, cleans_up)
        return

    def finish(caught: Caught) -> None:
        with handling(trace, caught):
            finalbody()
        raise_again(trace, caught)

    protected(trace, lambda: _try_except(trace, body, handlers, orelse, state), finish, state, cleans_up=True)
    finalbody()


def _try_except(
    trace: Trace,
    body: Callable[[], None],
    handlers: tuple[Handler, ...],
    orelse: Callable[[], None] | None,
    state: State,
    cleans_up: bool = False,
) -> None:
    if not handlers:
        body()
        if orelse is not None:
            orelse()
        return
    succeeded: list[Any] = [False]

    def run() -> None:
        body()
        succeeded[0] = True

    def handle(caught: Caught) -> None:
        succeeded[0] = False
        _dispatch(trace, caught, handlers, state)

    def set_all(values: tuple[Any, ...]) -> None:
        succeeded[0] = values[0]
        state.set(tuple(values[1:]))

    wider = state
    if orelse is not None:
        wider = State(("succeeded", *state.names), lambda: (succeeded[0], *state.get()), set_all)
    protected(trace, run, handle, wider, cleans_up)
    if orelse is not None:
        branch(succeeded[0], orelse, lambda: None, state)


def _dispatch(trace: Trace, caught: Caught, handlers: tuple[Handler, ...], state: State) -> None:
    """Run the first handler that catches the exception, or raise it again."""
    if not handlers:
        raise_again(trace, caught)
    handler, *others = handlers
    if handler.types is None:
        _handle(trace, caught, handler)
    else:
        _try_handler(trace, caught, _known_classes(trace, handler.types()), handler, others, state)


def _try_handler(
    trace: Trace, caught: Caught, types: Any, handler: Handler, others: list[Handler], state: State
) -> None:
    yes, no = narrowed(caught.error, types)
    if no is None:
        _handle(trace, caught, handler)
    elif yes is None:
        _dispatch(trace, caught, tuple(others), state)
    else:
        branch(
            emit("is_instance", [trace.wrap(caught.value)], types=types),
            lambda: _handle(trace, caught._replace(error=yes()), handler),
            lambda: _dispatch(trace, caught._replace(error=no()), tuple(others), state),
            state,
        )


def _known_classes(trace: Trace, types: Any) -> Any:
    """What `except` names: classes of exceptions that a trace knows."""
    named = types if isinstance(types, tuple) else (types,)
    if not all(
        type(one) is not Choice and isinstance(one, type) and issubclass(one, BaseException) for one in named
    ):
        raise trace.refuse(
            "`except` catches what is no class of exceptions, or one that only a run knows",
            "name the classes, or choose one of them in an `if`",
        )
    return types


def _handle(trace: Trace, caught: Caught, handler: Handler) -> None:
    with handling(trace, caught):
        handler.body(caught.error)


def reraise(trace: Trace, error: Any, *cause: Any) -> None:
    """Raise an exception, which may have a cause."""
    append_raise(trace, error, *cause)
    trace.end_path()


def raise_again(trace: Trace, caught: Caught) -> None:
    """What a bare `raise` does, and the end of a `finally`: the traceback gets no entry for it."""
    trace.location = nowhere(trace)
    try:
        with raising(trace, caught.error):
            trace.emit_effect("raise", [], (trace.wrap(caught.value),), exception=None)
        trace.end_path()
    finally:
        trace.location = None


def nowhere(trace: Trace) -> Location:
    """No place of its own in a traceback; but those of the calls that led here are shown again."""
    return Location("", 0, caller=trace.here().caller)


def raise_statement(trace: Trace, exception: Any, cause: Any) -> Any:
    """``raise exception from cause``; either may be NOTHING. NotImplemented: Python's own error is right."""
    if exception is NOTHING:
        if not trace.handling:
            if trace.calls.inside:
                raise trace.refuse(
                    "a bare `raise` in a recursive function, outside a handler of its own",
                    "raise the exception in the handler, or by name",
                )
            return NotImplemented
        return raise_again(trace, trace.handling[-1])
    if isinstance(exception, Choice):
        return dispatch(exception, lambda one: _raise(trace, one, cause))
    if isinstance(cause, Choice):
        return dispatch(cause, lambda one: _raise(trace, exception, one))
    causes = () if cause is NOTHING else (cause,)
    if isinstance(exception, type) and issubclass(exception, BaseException):
        exception = call(exception)
    if isinstance(exception, BaseException | StagedObject):
        return reraise(trace, exception, *causes)
    return NotImplemented


def _raise(trace: Trace, exception: Any, cause: Any) -> None:
    """One of several exceptions, or with one of several causes."""
    from autograph.operators import raise_stmt

    raise_stmt(exception, cause)
