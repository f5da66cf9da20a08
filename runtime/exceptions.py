"""A staged ``try``: what runs when an operation in its body raises at run time.

Which values variables have at that moment is known wherever an operation may raise, for the trace has
just run the Python code up to there. So before such an operation a ``landing`` says what the handler would
see. The body is traced again until the specs of what it may hand over are stable.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from functools import reduce
from typing import Any

from autograph.operators import call
from autograph.staging import NOTHING, Handler, State
from runtime.branches import NO_STATE, branch, join_paths
from runtime.builder import emit
from runtime.choices import dispatch
from runtime.graph import Block, Location, Operation, Value
from runtime.joins import containers, hint_of, identities
from runtime.loops import MAX_LOOP_TRACES
from runtime.raised import Caught, append_raise, handled, may_raise_anything, narrowed, raising, view_of
from runtime.slots import LocalAttribute, PolledSlot, Slot
from runtime.spec import Choice, Const, Spec, Variant, adapt, join, kinds_of, leaf_types, rebuild, spec_of
from runtime.staged.objects import StagedObject
from runtime.trace import Outcome, Trace
from runtime.types import EXCEPTION

_numbers = itertools.count(1)

#: so many exceptions that a body may raise are told apart
MAX_EXCEPTIONS = 12


class Region:
    """The body of a ``try`` while it is traced."""

    def __init__(self, trace: Trace, state: State, number: int) -> None:
        self.trace = trace
        self.state = state
        self.number = number
        self.depth = len(trace.frames)
        self.variables: list[Spec] | None = None  # specs of the variables, None before the first landing
        self.slots: dict[Hashable, tuple[Slot, Any, Spec]] = {}  # slot, value before the try, spec
        self.stable = True
        self.last: Any = None
        self.outer = {id(frame) for frame in trace.frames}
        self.landings: list[tuple[Block, Operation, Any]] = []  # with what is known of the exception there

    def begin(self) -> None:
        self.stable = True
        self.last = None
        self.landings.clear()

    def knows(self, instance: Any) -> bool:
        """Was this instance made before the body began?"""
        frame, _ = self.trace.outside.births[id(instance)]
        return frame is None or id(frame) in self.outer

    def land(self, operation: Operation) -> None:
        """Called before an operation that may raise."""
        values = self.state.get()
        written = self._written()
        raised = self.trace.raised
        if raised is None:
            raised = may_raise_anything(operation)
        now = (self.trace.block, raised, *values, *(slot.get() for slot, _ in written.values()))
        if (
            self.last is not None
            and len(now) == len(self.last)
            and all(map(lambda a, b: a is b, now, self.last))
        ):
            return
        for name, value in zip(self.state.names, values, strict=True):
            self._require_known(name, value)
        self._learn(values, written)
        flat: list[Value] = []
        assert self.variables is not None
        if self.stable:
            for value, spec in zip(values, self.variables, strict=True):
                flat += adapt(identities(self.trace, value), spec, self.trace)
            for slot, _, spec in self.slots.values():
                flat += adapt(slot.get(), spec, self.trace)
        landing = self.trace.append(Operation("landing", tuple(flat), (), {"region": self.number}))
        view = not raised if isinstance(raised, bool) else view_of(self.trace, raised, self)
        self.landings.append((self.trace.block, landing, view))
        self.last = now

    def _require_known(self, name: str, value: Any) -> None:
        """An instance that the body made lives on in the handler: as an object of the run."""
        if isinstance(value, tuple | Choice):
            for part in value if isinstance(value, tuple) else value.values:
                self._require_known(name, part)
        elif self.trace.outside.is_local(value) and not self.knows(value):
            self.trace.references.require_class(value)
            raise self.trace.refuse(
                f"`{name}` is a {type(value).__name__} made in the body of this `try`, which may raise after that",
                "make the object before the `try`",
                variable=name,
            )

    def roll_back(self) -> None:
        """Operations were taken back, landings perhaps among them."""
        self.last = None
        self._keep([any(op is landing for op in block.operations) for block, landing, _ in self.landings])

    def _keep(self, stay: list[bool]) -> None:
        self.landings = list(itertools.compress(self.landings, stay))

    def exception_spec(self) -> Spec:
        """What a handler knows of the exception. The landings hand its values over from here on."""
        kinds = [kind for _, _, view in self.landings for kind in kinds_of(spec_of(view))]
        kinds = [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]
        if len(kinds) > MAX_EXCEPTIONS:
            self.landings = [(block, landing, False) for block, landing, _ in self.landings]
            kinds = [Const(False)]
        spec = kinds[0] if len(kinds) == 1 else Variant(tuple(kinds))
        for block, landing, view in self.landings:
            self._hand_over(block, landing, view, spec, 0)
        return spec

    def _hand_over(self, block: Block, landing: Operation, value: Any, spec: Spec, place: int) -> None:
        """One value more, at this place among the inputs of a landing."""
        made = Block()
        with self.trace.into(made):
            flat = adapt(value, spec, self.trace)
        landing.inputs = (*landing.inputs[:place], *flat, *landing.inputs[place:])
        position = next(k for k, op in enumerate(block.operations) if op is landing)
        block.operations[position:position] = made.operations

    def _written(self) -> dict[Hashable, tuple[Slot, Any]]:
        found: dict[Hashable, tuple[Slot, Any]] = {
            key: (slot, before) for key, (slot, before, _) in self.slots.items()
        }
        for frame in self.trace.frames[self.depth :]:
            for key, entry in frame.written.items():
                if not isinstance(entry[0], LocalAttribute) or self.knows(entry[0].owner):
                    found.setdefault(key, entry)
        return found

    def _learn(self, values: tuple[Any, ...], written: dict[Hashable, tuple[Slot, Any]]) -> None:
        specs = [spec_of(identities(self.trace, value)) for value in values]
        if self.variables is None:
            self.variables = specs
        else:
            joined = list(map(join, self.variables, specs))
            if joined != self.variables:
                self.variables, self.stable = joined, False
        for key, (slot, before) in written.items():
            spec = spec_of(slot.get())
            if key not in self.slots:
                self.slots[key] = (slot, before, join(spec_of(before), spec))
                self.stable = False
            else:
                known = self.slots[key][2]
                if join(known, spec) != known:
                    self.slots[key] = (slot, before, join(known, spec))
                    self.stable = False


class OnePass(Region):
    """A body that is traced once: what its landings hand over settles when it is left."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, NO_STATE, next(_numbers))
        #: for each landing, the slots written so far: the slot, its value before the body, its value there
        self.seen: list[dict[Hashable, tuple[Slot, Any, Any]]] = []

    def land(self, operation: Operation) -> None:
        super().land(operation)
        if len(self.seen) < len(self.landings):
            written = self._written().items()
            self.seen.append({key: (slot, before, slot.get()) for key, (slot, before) in written})

    def _keep(self, stay: list[bool]) -> None:
        super()._keep(stay)
        self.seen = list(itertools.compress(self.seen, stay))

    def _learn(self, values: tuple[Any, ...], written: dict[Hashable, tuple[Slot, Any]]) -> None:
        self.variables = []  # the slots are looked at later

    def settle_slots(self) -> list[tuple[Slot, Spec]]:
        """The slots that the body wrote, and their specs. The landings hand their values over from now on."""
        slots = {key: (slot, before) for seen in self.seen for key, (slot, before, _) in seen.items()}
        found: list[tuple[Slot, Spec]] = []
        for key, (slot, before) in slots.items():
            values = [seen[key][2] if key in seen else before for seen in self.seen]
            spec = reduce(join, map(spec_of, values))
            for value, (block, landing, _) in zip(values, self.landings, strict=True):
                self._hand_over(block, landing, value, spec, len(landing.inputs))
            found.append((slot, spec))
        return found


def protected(trace: Trace, body: Callable[[], Any], on_error: Callable[[Any], Any], state: State) -> None:
    """Append a ``try``: ``body()``, and where it raises ``on_error(exception)``."""
    trace.poll()  # what was written before the body belongs before it
    before = state.get()
    region = Region(trace, state, next(_numbers))
    for _ in range(MAX_LOOP_TRACES):
        region.begin()
        trace.assign(state, before)
        block = Block()
        trace.regions.append(region)
        try:
            with trace.hold(before):
                outcome = _trace_part(trace, block, body, state, before)
        finally:
            trace.regions.pop()
        if region.stable:
            break
    else:
        raise trace.refuse(
            "the variables of this `try` never settle on a type", "assign them before the `try`"
        )
    if region.variables is None:  # nothing in it can raise: it is simply part of the code around
        body()
        return
    with trace.hold(before, () if outcome.ended else outcome.result):
        handled = _trace_handler(trace, region, on_error, state)
    trace.assign(state, before)
    for key, (slot, _, after) in handled.slots.items():
        if isinstance(slot, PolledSlot):  # as a variable it had a value at the handler's start, too
            handled.slots[key] = (slot, slot.get(), after)
    _append(trace, region, [outcome, handled], state)


def _trace_part(
    trace: Trace, block: Block, part: Callable[[], Any], state: State, before: tuple[Any, ...]
) -> Outcome:
    def run() -> tuple[Any, ...]:
        part()
        values = state.get()
        trace.give_back(state, before)
        return values

    try:
        return trace.trace_block(block, run, containers(before), state, before=before)
    finally:
        state.set(before)


def _trace_handler(trace: Trace, region: Region, on_error: Callable[[Any], Any], state: State) -> Outcome:
    exception = Value(EXCEPTION, "error")
    assert region.variables is not None
    known = region.exception_spec()
    block = Block([exception, *(Value(type, "error") for type in leaf_types(known))])
    about = block.params[1:]
    for name, spec in zip(state.names, region.variables, strict=True):
        block.params += [Value(type, hint_of(name, spec)) for type in leaf_types(spec)]
    for slot, _, spec in region.slots.values():
        block.params += [Value(type, hint_of(slot.name, spec)) for type in leaf_types(spec)]
    values = iter(block.params[1 + len(about) :])
    variables = tuple([rebuild(spec, values, trace) for spec in region.variables])
    kept = [(slot, slot.get(), rebuild(spec, values, trace)) for slot, _, spec in region.slots.values()]
    trace.assign(state, variables)  # after that: a global is a variable and a slot
    for slot, _, value in kept:
        slot.set(value)
    entered = state.get()

    def run() -> None:
        on_error(Caught(exception, handled(trace, rebuild(known, iter(about), trace), exception)))

    with trace.hold(entered):
        outcome = _trace_part(trace, block, run, state, entered)
    for slot, original, value in kept:
        slot.set(original)
        if slot.key not in outcome.slots:
            outcome.slots[slot.key] = (slot, original, value)
        else:
            outcome.slots[slot.key] = (slot, original, outcome.slots[slot.key][2])
    return outcome


def _append(trace: Trace, region: Region, outcomes: list[Outcome], state: State) -> None:
    operation = Operation("try", (), (), {"region": region.number}, tuple(o.block for o in outcomes))
    variables, slots = join_paths(trace, operation, outcomes, state.names, state.get())
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
            lambda: _handle(trace, Caught(caught.value, yes()), handler),
            lambda: _dispatch(trace, Caught(caught.value, no()), tuple(others), state),
            state,
        )


def _handle(trace: Trace, caught: Caught, handler: Handler) -> None:
    trace.handling.append(caught)
    try:
        handler.body(caught.error)
    finally:
        trace.handling.pop()


def reraise(trace: Trace, error: Any, *cause: Any) -> None:
    """Raise an exception, which may have a cause."""
    append_raise(trace, error, *cause)
    trace.end_path()


def raise_again(trace: Trace, caught: Caught) -> None:
    """What a bare `raise` does, and the end of a `finally`: the traceback gets no entry for it."""
    trace.location = NOWHERE
    try:
        with raising(trace, caught.error):
            trace.emit_effect("raise", [], (trace.wrap(caught.value),), exception=None)
        trace.end_path()
    finally:
        trace.location = None


NOWHERE = Location("", 0)


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
