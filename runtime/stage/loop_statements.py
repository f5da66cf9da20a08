"""`for` and `while` under a trace: which are unrolled, which staged, and which begin again as the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, NoReturn

from autograph.errors import StagingError
from autograph.loading import is_loaded
from autograph.staging import State, Thunk
from runtime.calls import builtin_calls, container_loops
from runtime.control_flow import branches, choices
from runtime.control_flow.blocks import plain
from runtime.control_flow.builtin_iterables import ItemIterator
from runtime.control_flow.indexed import Collected, Indexed, KnownTurns, indexed
from runtime.control_flow.iterators import TracedIterator, is_pulled
from runtime.control_flow.loops import UnrolledLoop, for_loop, is_unrolled, staged_loop, truth, while_loop
from runtime.iterables import advancing, generators, user_iterables
from runtime.tracer.builder import Staged
from runtime.tracer.decisions import (
    MAX_COST,
    Kept,
    Restart,
    Site,
    site_here,
    site_of_loop,
    stage_longest_loop,
)
from runtime.tracer.known_items import known_items
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import ContainerType

#: Python `while` loops with more iterations or operations under a trace are restarted as staged loops
MAX_PYTHON_ITERATIONS = 500
MAX_PYTHON_OPERATIONS = 2_000


def _stage_after_change(trace: Trace, site: Site, source: Indexed) -> NoReturn:
    """A loop that is unrolled changes what it runs over: as a staged one it asks each time, or is refused."""
    if site not in trace.decisions.unrolled:
        raise Restart(trace.decisions.with_staged(site), "a container changes in a loop over it")
    raise trace.refuse(
        f"a container changes its length in a loop over {source.what}", "iterate over a copy: list(...)"
    )


def _nothing() -> None:
    """Nobody collects what the turns give."""


def _is_list_of_run(iterable: Any) -> bool:
    kind = iterable.type if isinstance(iterable, Staged) else None
    return isinstance(kind, ContainerType) and kind.name == "list"


class _TurnsOfList(Iterator[Any]):
    """The items of a list of the run, one by one as long as its length is known."""

    def __init__(self, items: Any, changed: Callable[[], NoReturn]) -> None:
        self._items, self._changed = items, changed
        self._place = 0

    def __next__(self) -> Any:
        length = self._items.length()
        if isinstance(length, Staged):
            self._changed()
        if self._place >= length:
            raise StopIteration
        self._place += 1
        return self._items[self._place - 1]


_CONTAINERS: list[Any] = [
    [], (), range(0), {}, {}.keys(), {}.values(), {}.items(), "", b"", set(), frozenset()
]  # fmt: skip
_CONTAINER_TYPES = frozenset(map(type, _CONTAINERS))
#: these keep nothing for their next turn but where they are, and what was there when they were made
_ITERATORS: tuple[type, ...] = (
    *{type(iter(container)) for container in (*_CONTAINERS, reversed([]))}, _TurnsOfList, KnownTurns,
    zip, enumerate, map, filter, itertools.product, itertools.combinations, itertools.permutations,
    itertools.islice, itertools.zip_longest, itertools.chain, itertools.pairwise, itertools.accumulate,
)  # fmt: skip


def while_statement(trace: Trace, test: Thunk, body: Thunk, state: State) -> None:
    site = site_here(trace.loops)
    try:
        while_loop(test, body, plain(state))
    except StagingError as error:
        if site not in trace.decisions.staged_loops:
            raise
        raise _unrolled_after(trace, site, error) from None


def _unrolled_after(
    trace: Trace, site: Site, error: StagingError, inside: AbstractSet[Site] = frozenset()
) -> Restart:
    """Begin again with a loop unrolled that was refused when it was staged."""
    decisions = trace.decisions.with_unrolled(site, Kept(error.message, error.line), inside)
    return Restart(decisions, f"the loop cannot be staged: {error.message}")


def must_be_staged(trace: Trace) -> bool:
    """Is the `while` that begins here one that begins again as a staged loop?"""
    return site_here(trace.loops) in trace.decisions.staged_loops


def checkpoint(trace: Trace) -> Any:
    """Where the trace stands, before a test is evaluated that may have to be taken back."""
    site = site_here(trace.loops)
    budget = trace.loops.budgets.setdefault(site, trace.budget)
    trace.loops.turns[site] += 1
    if trace.loops.turns[site] > MAX_PYTHON_ITERATIONS or budget - trace.budget > MAX_PYTHON_OPERATIONS:
        stage_longest_loop(trace.decisions, trace.loops)
    trace.references.finish_all()
    known = dict(trace.implied.known)
    place = trace.block, len(trace.block.operations), trace.heap.moment()
    return trace, site, *place, trace.writes, known


def rollback(checkpoint: Any) -> None:
    """Take the evaluation of a test back."""
    trace, site, block, length, moment, writes, trace.implied.known = checkpoint
    if trace.writes != writes:
        if site not in trace.decisions.unrolled:
            raise Restart(trace.decisions.with_staged(site), "its test changes objects")
        raise trace.refuse(
            "the test of this `while` changes objects outside",
            "compute the test in the body, into a variable",
        )
    del block.operations[length:]
    trace.heap.go_back(moment)
    for region in trace.regions:
        region.roll_back()


def for_statement(
    trace: Trace, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State
) -> Any:
    if isinstance(iterable, Collected):
        offered = _for_statement(trace, iterable.items, test, body, state, iterable)
        return iterable.items if offered is NotImplemented else offered
    return _for_statement(trace, iterable, test, body, state, None)


def _for_statement(
    trace: Trace,
    iterable: Any,
    test: Thunk | None,
    body: Callable[[Any], None],
    state: State,
    collected: Collected | None,
) -> Any:
    in_run: Callable[[], None] = _nothing if collected is None else collected.in_run
    if isinstance(iterable, Choice):
        in_run()
        return choices.dispatch(iterable, lambda i: _for(i, test, body, state), plain(state))
    if not isinstance(iterable, Indexed):
        own = user_iterables.iterated(trace, iterable)
        if own is not iterable:
            _for(own if collected is None else Collected(own, in_run), test, body, state)
            return None
        if generators.can_push(iterable):
            generators.loop_over(iterable, test, body, state, None if collected is None else in_run)
            return None
    elif is_loaded(advancing) and isinstance(iterable, advancing.AdvancingIterator):
        in_run()
        iterable.iterate(test, body, plain(state))
        return None
    source = indexed(iterable)
    if source is None:
        builtin_calls.refuse_consumption(trace, iterable)
        return _item_by_item(trace, iterable)
    site, _ = place = site_of_loop(trace.loops)
    static = source.static
    if static is not None and not source.is_parallel and is_unrolled(trace, site, len(static), collected):
        return _unrolled(trace, iterable, source, len(static), place, state)
    in_run()
    loop = staged_loop(trace, place)
    if collected is not None and static is not None and len(static) <= trace.max_unrolled:
        trace.loops.collecting.add(site)
    source = source.begun(early=test is not None)
    try:
        if source.over:
            container_loops.for_each(trace, iterable, source, test, body, plain(state))
        else:
            for_loop(source.bounds, source.item, test, body, plain(state), parallel=source.is_parallel)
    except StagingError as error:
        if static is None or len(static) > trace.max_unrolled or source.is_parallel:
            raise
        raise _unrolled_after(trace, site, error, loop.inside) from None
    return None


def _unrolled(
    trace: Trace, iterable: Any, source: Indexed, length: int, place: tuple[Site, int], state: State
) -> UnrolledLoop:
    """The turns of a loop over what a run indexes and the trace knows the length of."""
    changed = partial(_stage_after_change, trace, place[0], source)
    if _is_list_of_run(iterable):
        turns: Iterator[Any] = _TurnsOfList(iterable, changed)
    elif source.over and not isinstance(iterable, ItemIterator):
        turns = KnownTurns(source, changed)
    else:
        turns = iter(source) if isinstance(iterable, Staged) else iter(iterable)
    is_short = length <= trace.decisions.unroll_limit
    is_known = bool(source.over) and all(known_items(trace.heap, one) is not None for one in source.over)
    # items that are known one by one may be of as many kinds: no run is to choose from them
    may_be_staged = None if is_short and is_known else state
    return UnrolledLoop(trace, place, length, turns, may_be_staged, MAX_COST if is_short else 0)


def _item_by_item(trace: Trace, iterable: Any) -> Any:
    """The turns of a loop over what the trace knows item by item, which may be anything."""
    if type(iterable) in _CONTAINER_TYPES:
        return UnrolledLoop(trace, site_of_loop(trace.loops), len(iterable), iter(iterable), None)
    if is_pulled(iterable):
        return UnrolledLoop(trace, site_of_loop(trace.loops), 1, iterable, None)
    return NotImplemented


def _for(iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> None:
    from autograph.operators import for_stmt

    for_stmt(iterable, test, body, state.get, state.set, state.names)


def for_rest(
    trace: Trace, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
) -> None:
    unrolled = iterator if isinstance(iterator, UnrolledLoop) else None
    site = site_here(trace.loops) if unrolled is None else unrolled.site
    iterator = iterator if unrolled is None else unrolled.items
    plainly: Any = iterator._inner if is_pulled(iterator) else iterator
    is_decided = site in trace.decisions.unrolled or site in trace.decisions.staged_loops
    if isinstance(plainly, type(iter(range(0)))) and not is_decided:
        raise Restart(trace.decisions.with_staged(site), "it may end early, at a staged condition")
    if not isinstance(plainly, (*_ITERATORS, ItemIterator)):
        if isinstance(iterator, TracedIterator):  # begins again, where that was not tried
            iterator.may_advance_anywhere()
        raise trace.refuse(
            f"this loop over a {type(plainly).__name__} may end early at a staged condition",
            "iterate over a list, a range or an array",
        )
    more = [True]
    advance: Any = getattr(plainly, "advanced" if isinstance(plainly, ItemIterator) else "__next__")

    def step() -> None:
        try:
            item = advance() if unrolled is None else unrolled.take(advance)
        except StopIteration:
            more[0] = False
            return
        body(item)

    while more[0]:
        branches.branch(truth(test()), step, lambda: None, plain(state))
    if isinstance(iterator, TracedIterator | ItemIterator):
        iterator.spend()
