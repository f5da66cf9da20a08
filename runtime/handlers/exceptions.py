"""A staged ``try``: what runs when an operation in its body raises at run time.

Which values variables have at that moment is known wherever an operation may raise, for the trace has
just run the Python code up to there. So before such an operation a ``landing`` says what the handler would
see. What it hands over is of specs that are known when the whole body is traced.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import reduce
from typing import Any, NamedTuple

from autograph.operators import call
from autograph.staging import NOTHING, Handler, State
from runtime.control_flow.blocks import Outcome, trace_block
from runtime.control_flow.branches import branch, join_paths
from runtime.control_flow.choices import dispatch
from runtime.control_flow.joins import containers, hint_of, identities, parts_of
from runtime.graph import Block, Location, Operation, Value
from runtime.handlers.handed_over import require_one, views_of
from runtime.handlers.handler_calls import handling
from runtime.handlers.raised import (
    Caught,
    append_raise,
    handled,
    may_raise_anything,
    narrowed,
    raising,
    view_of,
)
from runtime.iterables.iteration import range_parts
from runtime.staged.objects import StagedObject
from runtime.tracer.builder import emit
from runtime.tracer.flattening import adapt, rebuild
from runtime.tracer.slots import Contents, LocalAttribute, PolledSlot, Slot
from runtime.tracer.spec import Choice, Const, Spec, Variant, join, kinds_of, leaf_types, spec_of
from runtime.tracer.trace import Trace
from runtime.types import EXCEPTION

_numbers = itertools.count(1)

#: so many exceptions that a body may raise are told apart
MAX_EXCEPTIONS = 12


class Landing(NamedTuple):
    """A place in the body where an operation may raise: what a handler would see then."""

    block: Block
    operation: Operation
    error: Any  # what is known of the exception
    values: tuple[Any, ...]  # of the variables
    slots: dict[Hashable, tuple[Slot, Any]]  # those that may differ from before the body: a view of the value
    held: dict[Hashable, tuple[Slot, Any]]  # the values themselves


class Region:
    """The body of a ``try`` while it is traced."""

    def __init__(self, trace: Trace, state: State) -> None:
        self.trace = trace
        self.state = state
        self.number = next(_numbers)
        self.depth = len(trace.frames)
        self.outer = {id(frame) for frame in trace.frames}
        self.blocks = list(trace.blocks)  # those around
        self.last: Any = None
        self.landings: list[Landing] = []

    def covers(self, block: Block) -> bool:
        """Is this block part of the body?"""
        return not any(block is outer for outer in self.blocks)

    def knows(self, instance: Any) -> bool:
        """Was this instance made before the body began?"""
        frame, _ = self.trace.outside.births[id(instance)]
        return frame is None or id(frame) in self.outer

    def land(self, operation: Operation) -> None:
        """Called before an operation that may raise."""
        values = self.state.get()
        slots = {key: (slot, slot.get()) for key, slot in self._changed().items()}
        raised = self.trace.raised
        if raised is None:
            raised = may_raise_anything(operation)
        now = (self.trace.block, raised, *values, *(value for _, value in slots.values()))
        if (
            self.last is not None
            and len(now) == len(self.last)
            and all(map(lambda a, b: a is b, now, self.last))
        ):
            return
        named = [*zip(self.state.names, values, strict=True), *((slot.name, v) for slot, v in slots.values())]
        for name, value in named:
            self._require_known(name, value)
        del named
        landing = self.trace.append(Operation("landing", (), (), {"region": self.number}))
        view = not raised if isinstance(raised, bool) else view_of(self.trace, raised, self)
        seen = tuple([identities(self.trace, value) for value in values])
        blocks = self.trace.blocks[len(self.blocks) :]
        views = views_of(self.trace, slots, blocks, self.notes(), (now, self.last or ()))
        self.landings.append(Landing(self.trace.block, landing, view, seen, views, slots))
        self.last = now

    def _require_known(self, name: str, value: Any) -> None:
        """An instance that the body made lives on in the handler: as an object of the run."""
        if isinstance(value, tuple | Choice | list | dict):
            for part in value.values if isinstance(value, Choice) else parts_of(value):
                self._require_known(name, part)
        elif self.trace.outside.is_local(value) and not self.knows(value):
            self.trace.references.require_class(value)
            raise self.trace.refuse(
                f"`{name}` is a {type(value).__name__} made in the body of this `try`, which may raise later",
                "make the object before the `try`",
                variable=name,
            )

    def _changed(self) -> dict[Hashable, Slot]:
        """The slots that the body wrote so far, and those that an inner block began with other values of."""
        found: dict[Hashable, Slot] = {}
        for frame in self.trace.frames[self.depth :]:
            slots = {**frame.heads, **{key: slot for key, (slot, _) in frame.written.items()}}
            for key, slot in slots.items():
                if not isinstance(slot, LocalAttribute) or self.knows(slot.owner):
                    found.setdefault(key, slot)
        return found

    def notes(self) -> list[tuple[Slot, Any]]:
        """What the landings know slots to have held."""
        return [note for one in self.landings for note in (*one.slots.values(), *one.held.values())]

    def roll_back(self) -> None:
        """Operations were taken back, landings perhaps among them."""
        self.last = None
        self.landings = [
            one for one in self.landings if any(op is one.operation for op in one.block.operations)
        ]

    def held(self) -> list[Any]:
        """The values that the region holds for its own purposes."""
        found = list(self.last or ())
        for landing in self.landings:
            found += [landing.error, *landing.values]
            found += [value for _, value in landing.slots.values()]
            found += [value for _, value in landing.held.values()]
        return found

    # -- when the body is traced ----------------------------------------------------------------------

    def settle(self, before: Mapping[Hashable, Any]) -> tuple[Spec, list[Spec], list[tuple[Slot, Spec]]]:
        """What the handler gets: of the exception, the variables, the slots. The landings hand it over.

        ``before``: what the slots that the body wrote held when it began (a loop in it knows its own head's).
        """
        error = self._settle_exception()
        variables = [
            self._settle([landing.values[position] for landing in self.landings])
            for position in range(len(self.state.names))
        ]
        slots = {key: slot for one in self.landings for key, (slot, _) in one.slots.items()}
        found = []
        for key, slot in slots.items():
            if not self._is_gone(slot):
                began = before[key] if key in before else slot.get()
                values = [one.slots[key][1] if key in one.slots else began for one in self.landings]
                spec = self._settle(values)
                require_one(self.trace, slot.name, spec)
                found.append((slot, spec))
        return error, variables, found

    def _settle_exception(self) -> Spec:
        kinds = [kind for landing in self.landings for kind in kinds_of(spec_of(landing.error))]
        kinds = [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]
        few = len(kinds) <= MAX_EXCEPTIONS
        spec: Spec = Const(False) if not few else kinds[0] if len(kinds) == 1 else Variant(tuple(kinds))
        return self._hand_over([landing.error if few else False for landing in self.landings], spec)

    def _settle(self, values: list[Any]) -> Spec:
        values = range_parts(values)
        return self._hand_over(values, reduce(join, map(spec_of, values)))

    def _hand_over(self, values: list[Any], spec: Spec) -> Spec:
        """Each landing has one value more to hand over."""
        for value, landing in zip(values, self.landings, strict=True):
            made = Block()
            with self.trace.into(made):
                flat = adapt(value, spec, self.trace)
            landing.operation.inputs += tuple(flat)
            operations = landing.block.operations
            position = next(k for k, op in enumerate(operations) if op is landing.operation)
            operations[position:position] = made.operations
        return spec

    def _is_gone(self, slot: Slot) -> bool:
        """Is this the contents of a list or dict that the body made, and that nobody holds any more?"""
        if not isinstance(slot, Contents):
            return False
        slots: dict[int, Slot] = {id(slot): slot}
        for landing in self.landings:
            slots |= {id(one): one for one, _ in landing.slots.values()}
        slots |= {id(one): one for one, _ in self.trace.noted.values()}
        for frame in self.trace.frames:
            slots |= {id(one): one for one, _ in frame.written.values()}
            slots |= {id(one): one for one in frame.heads.values()}
        known = sum(
            1 for one in slots.values() if isinstance(one, Contents) and one.container is slot.container
        )
        return sys.getrefcount(slot.container) - 1 <= known + 1  # one more: what keeps its identity


def protected(trace: Trace, body: Callable[[], Any], on_error: Callable[[Any], Any], state: State) -> None:
    """Append a ``try``: ``body()``, and where it raises ``on_error(exception)``."""
    trace.poll()  # what was written before the body belongs before it
    before = state.get()
    region = Region(trace, state)
    trace.assign(state, before)
    block = Block()
    trace.regions.append(region)
    try:
        with trace.hold(before):
            outcome = _trace_part(trace, block, body, state, before)
    finally:
        trace.regions.pop()
    if not region.landings:  # nothing in it can raise: it is simply part of the code around
        body()
        return
    with trace.hold(before, () if outcome.ended else outcome.result):
        handled = _trace_handler(trace, region, outcome, on_error, state)
    trace.assign(state, before)
    for key, (slot, _, after) in handled.slots.items():
        if isinstance(slot, PolledSlot):  # as a variable it had a value at the handler's start, too
            handled.slots[key] = (slot, slot.get(), after)
    _append(trace, region, [outcome, handled], state)


def _trace_part(
    trace: Trace,
    block: Block,
    part: Callable[[], Any],
    state: State,
    before: tuple[Any, ...],
    heads: Iterable[Slot] = (),
) -> Outcome:
    def run() -> tuple[Any, ...]:
        part()
        values = state.get()
        trace.give_back(state, before)
        return values

    try:
        return trace_block(trace, block, run, containers(before), state, before=before, heads=heads)
    finally:
        state.set(before)


def _trace_handler(
    trace: Trace, region: Region, body: Outcome, on_error: Callable[[Any], Any], state: State
) -> Outcome:
    exception = Value(EXCEPTION, "error")
    before = {key: (slot, value) for key, (slot, value, _) in body.slots.items()}
    began = views_of(trace, before, (), [*region.notes(), *body.slots.values()], (region.last or (),))  # type: ignore[list-item]
    known, specs, slots = region.settle({key: value for key, (_, value) in began.items()})
    block = Block([exception, *(Value(type, "error") for type in leaf_types(known))])
    about = block.params[1:]
    named = [*zip(state.names, specs, strict=True), *((slot.name, spec) for slot, spec in slots)]
    for name, spec in named:
        block.params += [Value(type, hint_of(name, spec)) for type in leaf_types(spec)]
    values = iter(block.params[1 + len(about) :])
    variables = tuple([rebuild(spec, values, trace) for spec in specs])
    kept = [(slot, slot.get(), rebuild(spec, values, trace)) for slot, spec in slots]
    trace.assign(state, variables)  # after that: a global is a variable and a slot
    for slot, _, value in kept:
        slot.set(value)
    entered = state.get()

    exits = frozenset(loop.name for loop in trace.closing if loop.closes_by_exit(region))

    def run() -> None:
        on_error(Caught(exception, handled(trace, rebuild(known, iter(about), trace), exception), exits))

    with trace.hold(entered):
        outcome = _trace_part(trace, block, run, state, entered, [slot for slot, _, _ in kept])
    for slot, original, value in kept:
        slot.set(original)
        if slot.key not in outcome.slots:
            outcome.slots[slot.key] = (slot, original, value)
        else:
            outcome.slots[slot.key] = (slot, original, outcome.slots[slot.key][2])
    return outcome


def _append(trace: Trace, region: Region, outcomes: list[Outcome], state: State) -> None:
    operation = Operation("try", (), (), {"region": region.number}, tuple(o.block for o in outcomes))
    noted = region.notes()
    variables, slots = join_paths(trace, operation, outcomes, state.names, state.get(), noted=noted)
    for slot, value in slots:
        trace.merge(slot, value)
    known = [(slot, slot.known) for slot in trace.polled]
    trace.assign(state, tuple(variables))
    for slot, before in known:
        if trace.frames and slot.known is not before:  # the block around ends with what it began with
            trace.note(slot, before)


def try_statement(
    trace: Trace,
    body: Callable[[], None],
    handlers: tuple[Handler, ...],
    orelse: Callable[[], None] | None,
    finalbody: Callable[[], None] | None,
    state: State,
) -> None:
    """``try/except/else/finally`` in the graph."""
    if finalbody is None:
        _try_except(trace, body, handlers, orelse, state)
        return

    def finish(caught: Caught) -> None:
        with handling(trace, caught):
            finalbody()
        raise_again(trace, caught)

    protected(trace, lambda: _try_except(trace, body, handlers, orelse, state), finish, state)
    finalbody()


def _try_except(
    trace: Trace,
    body: Callable[[], None],
    handlers: tuple[Handler, ...],
    orelse: Callable[[], None] | None,
    state: State,
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
    protected(trace, run, handle, wider)
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
        dispatch(
            handler.types(), lambda types: _try_handler(trace, caught, types, handler, others, state), state
        )


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


def _handle(trace: Trace, caught: Caught, handler: Handler) -> None:
    for loop in trace.closing:
        loop.learn(caught)
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
