"""Staged `while` and `for`: the body is traced again until the specs of what it carries are stable.

Which loops are unrolled, and which are staged: the one place where that is decided.

A loop whose items a trace knows by number may be traced turn by turn, each time with the number itself, or
once, as a loop of the graph. It is unrolled where its body needs the number (an index into a list of the
trace, a shape, an axis), or where the copies are cheap. What they cost is known after the first turn: if all
turns together (and all copies that loops around make that cannot be staged) would cost more than `MAX_COST`,
the trace begins again with the loop staged. So an inner loop is decided before an outer one: of a nest that
is too large as a whole the outer loops are staged, and the inner ones stay unrolled where they are small.

What cannot be staged is unrolled after all: `Decisions.with_unrolled`, `Decisions.after_refusal`. So is a
loop for which a list would have to become one of the run, because it is read at its number, say, where that
costs no more than `MAX_COST_WITH_LISTS` (`Containers.require`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from autograph.staging import State
from runtime.control_flow import branches, choices
from runtime.control_flow.blocks import Outcome, trace_block
from runtime.control_flow.indexed import Collected
from runtime.control_flow.joins import contents_carried, fields_carried, with_contents
from runtime.control_flow.loop_state import LoopState
from runtime.graph import Block, Operation, Value, walk
from runtime.heap.places import StaticPlace
from runtime.heap.shadow import UNKNOWN, Change, Moment
from runtime.tracer.builder import Staged
from runtime.tracer.decisions import MAX_COST, TOO_DEAR, Loop, Restart, Site, cost_of
from runtime.tracer.trace import Trace, require_trace
from runtime.types import BOOL, INT

#: how often a loop body is traced, with nothing new that it stores to, before its state is unstable
MAX_LOOP_TRACES = 8
#: and with new static places: which of many objects is stored to may turn up one by one
MAX_PLACES_LATER = 64
#: the first iteration stands before a loop of at most so many operations, in at most so many such loops
MAX_PEELED, MAX_PEELED_AROUND = 300, 2


def trace_loop(
    name: str,
    what: str,
    state: State,
    inputs: list[Value],
    index: bool,
    test: Callable[..., Any] | None,
    body: Callable[..., Any],
    may_peel: bool = False,
    attributes: dict[str, Any] | None = None,
) -> None:
    """Append a ``while`` or ``for`` operation. With ``index`` both callables get the staged loop index.

    Raises Peel, where that is allowed and the first iteration is to stand before the loop.
    """
    trace = require_trace()
    loop, carries_parts = LoopState(trace, state, what), False
    rounds, later = MAX_LOOP_TRACES, MAX_PLACES_LATER
    began = trace.heap.moment()
    while True:
        head = trace.heap.moment()
        blocks = [] if test is None else [_trace_test(trace, loop, test, index, head)]
        block, leading = _new_block(trace, loop, index)
        with trace.into(block):  # what stands for a structure at the head is made in the body
            heads = loop.enter(block.params[len(leading) :])
        outcome = _trace_body(loop, block, lambda: body(*leading), head)
        loop.leave()
        if not outcome.ended:
            trace.heap.keep_unchanged(head, [*blocks, block])
        stored = _parts_stored(loop, head, block, carries_parts)
        wider = _from_the_beginning(loop, state, head, block, outcome, stored, carries_parts)
        if wider is not None:
            trace.heap.go_back(began)
            loop, carries_parts = LoopState(trace, wider, what, [*loop.fields, *stored]), True
            continue
        settled = loop.learn(heads, outcome)
        loop.add(stored)
        if not trace.heap.holds_again(head):
            if trace.heap.forgot_contents(head):
                trace.containers.prefer_unrolled()
            continue  # fields that the body stores to; they are forgotten by now
        if settled and not stored:
            break
        rounds, later = rounds - (not stored), later - bool(stored)
        if not rounds or not later:
            raise loop.unstable()
    if may_peel and not outcome.ended and _is_small(block) and loop.settles_at_once(heads, outcome):
        raise Peel
    if not outcome.ended:
        with trace.into(block):
            block.results = tuple(loop.flat(outcome.result))
    operation = Operation(name, (*inputs, *loop.flat_initial()), (), attributes, (*blocks, block))
    operation.outputs = tuple(Value(type, hint, operation) for type, hint in loop.leaves())
    trace.append(operation)
    loop.finish(operation)


def _parts_stored(loop: LoopState, head: Moment, body: Block, carries_parts: bool) -> list[Change]:
    """Attributes, items and static places that the body of a loop stores to, and that are no variables yet;
    where it carries such already, static places alone."""
    trace, known = loop.trace, [field.place for field in loop.fields]
    return [
        change
        for change in fields_carried(trace.heap, head, body, trace.references.spec, _is_small(body))
        if isinstance(change.place, StaticPlace | tuple) or not carries_parts
        if all(change.place is not place for place in known)
    ]


def _from_the_beginning(
    loop: LoopState,
    state: State,
    head: Moment,
    body: Block,
    outcome: Outcome,
    stored: Sequence[Change],
    carries_parts: bool,
) -> State | None:
    """The variables of a loop that is to be traced from the beginning, for it is to carry parts as well, or
    cannot; ``state``: without them."""
    if carries_parts:  # what items are hangs on the iteration
        return state if any(value is UNKNOWN for value in outcome.result or ()) else None
    if outcome.ended:
        return None
    count, heap = len(state.names), loop.trace.heap
    contents = contents_carried(heap, head, body, loop.before[:count], outcome.result[:count])
    if contents:
        return with_contents(heap, state, contents)
    return None if all(isinstance(change.place, StaticPlace) for change in stored) else state


def _trace_body(loop: LoopState, block: Block, body: Callable[[], Any], head: Moment) -> Outcome:
    trace, state = loop.trace, loop.state
    with trace.into(block):
        entered = state.get()

    def run() -> tuple[Any, ...]:
        body()
        values = state.get()
        state.set(entered)
        return values

    return trace_block(trace, block, run, head, state)


def _new_block(trace: Trace, loop: LoopState, index: bool) -> tuple[Block, list[Any]]:
    block = Block(loop.params())
    leading = []
    if index:
        value = Value(INT, "i")
        block.params.insert(0, value)
        leading.append(trace.wrap(value))
    return block, leading


class Peel(Exception):
    """The first iteration of a loop is to stand before it."""


def _is_small(block: Block) -> bool:
    return sum(1 for _ in walk(block)) <= MAX_PEELED


class TestChangesState(Exception):
    """The test of a loop assigns variables (a walrus, a call that changes an object)."""


def _trace_test(trace: Trace, loop: LoopState, test: Callable[..., Any], index: bool, head: Moment) -> Block:
    block, leading = _new_block(trace, loop, index)
    with trace.into(block):
        loop.enter(block.params[len(leading) :])
        entered, began = loop.state.get(), trace.heap.moment()

    def run() -> Any:
        result = truth(test(*leading))
        return trace.value_of(result), loop.state.get()

    outcome = trace_block(trace, block, run, head)
    loop.leave()
    if not outcome.ended:
        go_on, left = outcome.result
        block.results = (go_on,)
        changed = any(a is not b for a, b in zip(entered, left, strict=True))
        if changed or any(trace.heap.stored_on_paths(began, head.references, [block])):
            raise TestChangesState
    return block


def while_loop(test: Callable[[], Any], body: Callable[[], Any], state: State, may_peel: bool = True) -> None:
    """A staged `while` from the current state."""
    heap = require_trace().heap
    began = heap.moment()
    try:
        trace_loop("while", "`while` loop", state, [], False, test, body, may_peel and not peeled_around())
    except TestChangesState:
        heap.go_back(began)
        _rotated_while(test, body, state)
    except Peel:
        heap.go_back(began)
        rest = lambda: while_loop(test, body, state, may_peel=False)
        _first_iteration(truth(test()), body, rest, state)


def _first_iteration(go_on: Any, body: Callable[[], Any], rest: Callable[[], Any], state: State) -> None:
    """``if go_on: body(); rest()``: a loop whose first iteration stands before it."""

    def both() -> None:
        trace = require_trace()
        trace.peeled += 1
        try:
            body()
            rest()
        finally:
            trace.peeled -= 1

    branches.branch(go_on, both, lambda: None, state)


def peeled_around() -> bool:
    """Is this so deep in peeled loops that another would make too many copies?"""
    return require_trace().peeled >= MAX_PEELED_AROUND


def _rotated_while(test: Callable[[], Any], body: Callable[[], Any], state: State) -> None:
    """The test changes state: evaluate it before the loop and at the end of each iteration, and carry
    its value."""
    go_on = [truth(test())]

    def advance() -> None:
        body()
        go_on[0] = truth(test())

    def set_all(values: tuple[Any, ...]) -> None:
        go_on[0] = values[0]
        state.set(tuple(values[1:]))

    wider = State(("go_on", *state.names), lambda: (go_on[0], *state.get()), set_all)
    trace_loop("while", "`while` loop", wider, [], False, lambda: go_on[0], advance)


def for_loop(
    bounds: tuple[Any, Any, Any],
    item: Callable[[Any], Any],
    test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    state: State,
    may_peel: bool = True,
    parallel: bool = False,
) -> None:
    """A staged `for` over ``item(i) for i in range(*bounds)``; ``parallel``: over a `prange`."""
    trace = require_trace()
    inputs = [trace.value_of(bound) for bound in bounds]
    go_on = None if test is None else lambda i: test()
    start, stop, step = bounds
    may_peel = may_peel and type(step) is int and not parallel and not peeled_around()
    attributes = {"parallel": True} if parallel else {}
    began = trace.heap.moment()
    try:
        trace_loop(
            "for", "`for` loop", state, inputs, True, go_on, lambda i: body(item(i)), may_peel, attributes
        )
    except Peel:
        trace.heap.go_back(began)
        rest = lambda: for_loop((start + step, stop, step), item, test, body, state, may_peel=False)
        first = lambda: _first_iteration(
            True if test is None else truth(test()), lambda: body(item(start)), rest, state
        )
        branches.branch(truth(start < stop if step > 0 else start > stop), first, lambda: None, state)


def truth(value: Any) -> Any:
    """``bool(value)``: a plain bool, or a staged Python bool (which needs nothing of `choices.py`)."""
    return value if isinstance(value, Staged) and value.type == BOOL else choices.truth(value)


def is_unrolled(trace: Trace, site: Site, turns: int, collected: Collected | None) -> bool:
    """Is a loop of so many known turns traced turn by turn, at least to begin with?

    ``collected``: of a comprehension, more turns are as long as they cost nothing.
    """
    if site in trace.decisions.unrolled:
        return True
    may_be_free = collected is not None and collected.may_be_free
    most = trace.max_unrolled if may_be_free else trace.decisions.unroll_limit
    return turns <= most and site not in trace.decisions.staged_loops


class UnrolledLoop(Loop, Iterator[Any]):
    """The items of a loop that is unrolled, each of which begins a turn."""

    def __init__(
        self,
        trace: Trace,
        place: tuple[Site, int],
        turns: int,
        items: Iterator[Any],
        state: State | None,
        most: int = MAX_COST,
    ) -> None:
        """``state`` is what the body may rebind; None: a loop that could not be staged.

        ``most``: what all copies of the body together may cost.
        """
        site, frame = place
        forced = state is None or site in trace.decisions.unrolled
        super().__init__(site, frame, turns, is_unrolled=True, is_forced=forced)
        self.items = items
        self._trace = trace
        self._block, self._begun = trace.block, len(trace.block.operations)
        self._cost = 0
        self._copies = prod(loop.turns for loop in trace.loops if loop.is_forced)
        self._most = most
        trace.loops.begin(self)

    def __next__(self) -> Any:
        return self.take(self.items.__next__)

    def take(self, advance: Callable[[], Any]) -> Any:
        """The next item, as ``advance`` gives it."""
        if self.done:
            self._end_turn()
        try:
            item = advance()
        except StopIteration:
            self.over = True
            raise
        self.done += 1
        return item

    def _end_turn(self) -> None:
        trace = self._trace
        trace.loops.turns[self.site] += 1
        if self.is_forced or trace.block is not self._block:
            return
        operations = trace.block.operations
        self._cost += cost_of(operations[self._begun :])
        self._begun = len(operations)
        whole = self._cost * self.turns * self._copies // self.done
        if whole > self._most and self.done < self.turns:
            reason = f"{self.turns * self._copies} copies of the loop's body would be dear"
            raise Restart(trace.decisions.with_dear(self.site, whole if self._most else TOO_DEAR), reason)


def staged_loop(trace: Trace, place: tuple[Site, int]) -> Loop:
    """The loop at this place (`site_of_loop`), as one that is staged, as long as the caller holds it."""
    site, frame = place
    loop = Loop(site, frame, 1)
    trace.loops.begin(loop)
    return loop
