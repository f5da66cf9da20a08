"""A block of staged control flow: the Python code that fills it is run; variables that a statement rebinds.

What the block leaves in variables is the outcome; the statement joins the outcomes of its blocks. What it
leaves elsewhere is a fact of the shadow heap.

Values of the graph inside Python objects that live on after the block that computed them.

    try:
        faults.append(IndexError(10 // n))
    finally:
        log.append(partial(scaled, 10 // n))

A `partial`, a slice, a function with attributes are no structures that a run could choose or make anew:
they stay the objects they are, with the values that they hold. Where one block alone comes to its end, these
values become outputs of the statement. Where several do, the objects cannot be told apart at run time:
refused.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from autograph.errors import AutographError, is_internal_code
from autograph.records import record
from autograph.staging import State
from runtime.control_flow.indexed import Indexed
from runtime.graph import Block, Operation, Value, walk
from runtime.heap.places import base_of
from runtime.heap.shadow import Moment
from runtime.ops.template import plain_items
from runtime.tracer.builder import Staged
from runtime.tracer.cells import contents_of, watch_leaving, without_shared
from runtime.tracer.decisions import Control, PathEnded
from runtime.tracer.elements import holds_opaque
from runtime.tracer.faults import unrefused
from runtime.tracer.spec import Choice, reference_of
from runtime.tracer.static_places import Frame, made_in_trace
from runtime.tracer.trace import Trace, require_trace


@record(slots=False, frozen=False, eq=False)
class Outcome:
    """What tracing a block gave: its end, and what the runner returned."""

    block: Block
    result: Any

    @property
    def ended(self) -> bool:
        return self.block.ends == "never"


def trace_block(
    trace: Trace,
    block: Block,
    run: Callable[[], Any],
    before: Moment,
    state: State | None = None,
) -> Outcome:
    """Run Python code that fills ``block``; what it shares with others holds what it held, afterwards.

    ``before``: where the statement began. With ``state``, that of the statement, whose variables the caller
    looks after, ``run`` gives a tuple of what they hold now.
    """
    frame = Frame(block, before.references)
    trace.frames.append(frame)
    result = None
    try:
        with trace.into(block):
            try:
                result = run()
                if state is not None:
                    watch_leaving(trace, [*result, *_kept(trace, before)], frame, state)
            except PathEnded:
                block.ends = "never"
            except (AutographError, Control):
                raise
            except Exception as error:  # noqa: BLE001  any error of the user's code is staged
                trace.raise_at_run_time(unrefused(error))
    finally:
        trace.frames.pop()
        trace.heap.end_block(block, frame.began)
    return Outcome(block, result)


def _kept(trace: Trace, before: Moment) -> Iterator[Any]:
    """What the innermost block has stored that no load finds."""
    yield from filter(holds_opaque, trace.heap.learned_here())
    for change in trace.heap.stored_on_paths(before, before.references, [trace.block]):
        yield from change.values


def plain(state: State) -> State:
    """The state without shared variables, and with that of the loops whose bodies may run in it."""
    trace = require_trace()
    return with_consumers(trace, without_shared(trace, state))


def with_consumers(trace: Trace, state: State) -> State:
    """``state``, and that of the loops whose bodies run in the middle of the statement."""
    if not trace.consuming:
        return state
    parts = (state, *trace.consuming)

    def get() -> tuple[Any, ...]:
        return tuple([value for part in parts for value in part.get()])

    def set_(values: tuple[Any, ...]) -> None:
        begin = 0
        for part in parts:
            part.set(tuple(values[begin : begin + len(part.names)]))
            begin += len(part.names)

    return State(tuple([name for part in parts for name in part.names]), get, set_)


def own_values(block: Block) -> set[Value]:
    """The values of a graph that a block makes, or is given."""
    return {v for op in walk(block) for v in op.outputs} | set(block.params)


def staged_inside(trace: Trace, values: Iterable[Any]) -> Iterator[Staged]:
    """Each staged value that these hold, in whatever object the trace has made."""
    waiting, seen = list(values), set[int]()
    for value in waiting:  # grows meanwhile
        if isinstance(value, Staged):
            yield value
        elif id(value) not in seen:
            seen.add(id(value))
            waiting += _parts(trace, value)


def _parts(trace: Trace, value: Any) -> Iterable[Any]:
    if isinstance(value, Choice):
        return (value.tag, *value.values)
    if isinstance(value, functools.partial):
        return (value.func, *value.args, *value.keywords.values())
    if isinstance(value, slice):
        return (value.start, value.stop, value.step)
    if isinstance(value, types.MethodType):
        return (value.__self__,)
    if isinstance(value, Indexed):
        return (*value.bounds, *value.over, *value.known, value.item)
    if isinstance(value, types.FunctionType):
        return _held_by(trace, value)
    if isinstance(value, type) and value in trace.outside.classes.inside:
        return trace.outside.classes.namespace(value).values()
    if type(value) in trace.outside.classes.inside:
        return (type(value),)  # whose attributes it has
    return plain_items(value)


def _held_by(trace: Trace, function: types.FunctionType) -> Iterable[Any]:
    """Of a function of the program its defaults, and what is set on it; of one of ours, as an iterator has,
    what it uses."""
    if made_in_trace(function):
        defaults = *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()
        return *defaults, *trace.outside.classes.namespace(function).values()
    if not is_internal_code(function.__code__):
        return ()
    return map(contents_of, function.__closure__ or ())


def carry_out(trace: Trace, operation: Operation, block: Block, values: Sequence[Any]) -> None:
    """What only the block knows, and these values hold after it, are outputs of the operation; so is what is
    known of lists, dicts and objects among them, and what no load finds out of others."""
    own = own_values(block)
    if not own:
        return
    outputs = {
        inner: outer
        for inner, outer in zip(block.results, operation.outputs, strict=True)
        if inner in own and inner.type == outer.type
    }
    facts = trace.heap.left_by(block, own)

    def carry(held: Iterable[Any]) -> None:
        for staged in staged_inside(trace, held):
            inner = staged.value
            if inner in own:
                if inner not in outputs:
                    outputs[inner] = Value(inner.type, inner.hint, operation)
                    block.results += (inner,)
                    operation.outputs += (outputs[inner],)
                staged.value = outputs[inner]

    carry(values)
    count = -1
    while len(facts) != count:  # what is carried may refer to more
        count = len(facts)
        hidden = [fact for fact in facts if base_of(fact[1]) in own and base_of(fact[1]) not in outputs]
        for field, place, value in facts:
            base = base_of(place)
            if base in own and base not in outputs:
                continue
            is_needed = base in outputs or holds_opaque(value)
            if not is_needed and next(staged_inside(trace, (value,)), None) is not None:
                continue  # a load finds it
            if _can_be_carried(value):
                carry((value,))
                trace.heap.learn_as(field, place, outputs.get(base, base), value)
        facts = hidden


def _can_be_carried(value: Any) -> bool:
    """Is it no stand-in of an object of the run, which keeps the name that it has?"""
    parts = plain_items(value) if isinstance(value, tuple) else ()
    return (isinstance(value, Staged) or reference_of(value) is None) and all(map(_can_be_carried, parts))


def require_visible(
    trace: Trace,
    blocks: Sequence[Block],
    variables: Iterable[tuple[str, Any]],
) -> None:
    """Raises StagingError where an object in one of these places holds what only one of the blocks knows."""
    own: set[Value] = set().union(*map(own_values, blocks))
    for name, value in variables if own else ():
        if any(staged.value in own for staged in staged_inside(trace, (value,))):
            raise trace.refuse(
                f"`{name}` gets an object that holds what one path of a staged condition has computed",
                "make the object before the statement, or after it from values that are chosen there",
                name,
            )
