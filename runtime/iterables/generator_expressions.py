"""Generator expressions, and the comprehensions of which they are the lazy form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from autograph.operators import for_stmt, if_stmt
from autograph.operators.comprehensions import arguments_of, generate
from autograph.staging import Clause, State
from runtime.control_flow.branches import NO_STATE
from runtime.iterables.generators import Consume, InRun, TracedGenerator
from runtime.iterables.user_iterables import iterated
from runtime.iteration.indexed import Collected, indexed
from runtime.iteration.iterators import traced
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace


def generator_expression(trace: Trace, clause: Clause) -> TracedGenerator:
    """``(element for ... in iterable if ...)``."""
    items = clause.iterable
    # asking for the iterator of a staged array or a range has no effect, and may be impossible
    if not isinstance(items, Choice) and indexed(items) is None:
        items = _iterator_of(trace, items)
    push = partial(run_clause, Clause(clause.element, items, clause.keep, clause.unpack))
    return TracedGenerator(trace, generate(clause, _iterate(items)), push, is_expression=True)


def _iterator_of(trace: Trace, iterable: Any) -> Any:
    """A new iterator is the generator's own; one that was there before is looked after as what it is."""
    own = iterated(trace, iterable)
    if own is not iterable:
        return own
    iterator = iter(iterable)
    return iterator if iterator is iterable else traced(trace, iterator)


def _iterate(items: Any) -> Iterator[Any]:
    """The items, asked for when the first one is needed."""
    yield from items


def run_clause(
    clause: Clause, consume: Consume, early: bool, in_run: InRun = None, only_keeps: bool = False
) -> Any:
    """Hand each element of a comprehension to ``consume``; whether to go on after that.

    ``in_run``: each element is kept; it is called before a run decides which there are (see
    `iteration.Collected`).
    """
    arguments, keep = arguments_of(clause, offered=True), clause.keep
    go_on = [True]

    def set_go_on(values: tuple[Any, ...]) -> None:
        go_on[0] = values[0]

    state = State(("go_on",), lambda: (go_on[0],), set_go_on) if early else NO_STATE

    def take(given: tuple[Any, ...]) -> None:
        made = clause.element(*given)
        is_inner = type(made) is Clause
        go_on[0] = run_clause(made, consume, early, in_run) if is_inner else consume(made)

    def body(item: Any) -> None:
        given = arguments(item)
        if keep is None:
            take(given)
        else:
            is_kept = keep(*given)
            if in_run is not None and type(is_kept) is not bool:
                in_run()
            if_stmt(is_kept, lambda: take(given), lambda: None, state.get, state.set, state.names)

    test = (lambda: go_on[0]) if early else None
    iterable: Any = clause.iterable if in_run is None else Collected(clause.iterable, in_run)
    for_stmt(iterable, test, body, state.get, state.set, state.names)
    return go_on[0]
