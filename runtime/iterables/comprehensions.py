"""Comprehensions and generator expressions under a trace, and the builtins that consume a generator.

A comprehension is a loop that appends, and is unrolled or staged by the rules of loops
(control_flow/loops.py). Unrolled, it gives a list that the trace knows item by item; staged, or with an
``if`` that only a run knows, a list of the run. ``sum(v for v in x if v > 0)`` is a loop with a total.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from autograph.errors import StagingError
from autograph.operators import (
    Undefined,
    call,
    for_stmt,
    greater,
    if_exp,
    if_stmt,
    less,
    not_,
    plus,
    set_item,
)
from autograph.operators.comprehensions import arguments_of, generate
from autograph.staging import Clause, State
from runtime.control_flow.branches import NO_STATE, branch
from runtime.control_flow.choices import dispatch, is_undefined, resolve, truth
from runtime.control_flow.indexed import Collected, Indexed, indexed
from runtime.control_flow.iterators import is_pulled, traced
from runtime.iterables import generators
from runtime.iterables.generators import Consume, InRun, TracedGenerator, can_push
from runtime.iterables.user_iterables import iterated
from runtime.ops import containers
from runtime.staged.containers import StagedContainer
from runtime.staged.list_arrays import is_list
from runtime.staged.numbers import StagedNumber
from runtime.tracer.builder import Staged
from runtime.tracer.decisions import Restart, site_here
from runtime.tracer.known_items import is_place
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, require_trace


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


def comprehension(trace: Trace, kind: str, clause: Clause) -> Any:
    """A list, set or dict comprehension."""
    if kind == "set":
        made = trace.containers.born(set())
        add = lambda item: call(made.add, item)
        run_clause(clause, add, early=False, in_run=lambda: None)
        return made
    collected = _Collected(trace, {} if kind == "dict" else [])
    take = collected.put if kind == "dict" else collected.append
    run_clause(clause, take, early=False, in_run=collected.in_run)
    return collected.made()


class _Collected:
    """A list or dict as it is made, which nobody sees before it is complete.

    As long as the trace has all turns, it is a plain one, and one operation makes the whole of it.
    """

    def __init__(self, trace: Trace, items: Any) -> None:
        self._trace, self._items = trace, items
        self._is_in_run = False

    def append(self, item: Any) -> None:
        if self._is_in_run:
            call(self._items.append, item)
        else:
            self._items.append(item)

    def put(self, pair: Any) -> None:
        key, value = pair
        if not is_place(key):
            self.in_run()
        if self._is_in_run:
            set_item(self._items, key, value)
        else:
            self._items[key] = value

    def in_run(self) -> None:
        """A run appends what is still to come."""
        if not self._is_in_run:
            self._items = self._trace.containers.born(self._items)
            self._is_in_run = True

    def made(self) -> Any:
        self.in_run()
        return self._items


# What consumes a generator


def stage_consumer(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call that consumes a generator, its first argument; NotImplemented for other calls."""
    by_turns = len(args) == 1 and (is_pulled(args[0]) or isinstance(args[0], Indexed) or is_list(args[0]))
    if (function is any or function is all) and by_turns and not kwargs:
        return CONSUMERS[function](args[0])
    if not args or not can_push(args[0]):
        return NotImplemented
    consumer = CONSUMERS.get(function) if type(function).__hash__ is not None else None
    if consumer is not None:
        return consumer(*args, **kwargs)
    if len(args) == 1 and not kwargs:
        return _taken_by(getattr(function, "__self__", None), getattr(function, "__name__", ""), args[0])
    return NotImplemented


def _taken_by(owner: Any, method: str, items: TracedGenerator) -> Any:
    """A method of a text, list, deque, dict or set that takes all that a generator yields."""
    kind = owner.type.name if isinstance(owner, StagedContainer) else type(owner).__name__
    if (kind, method) == ("str", "join"):
        return call(owner.join, items_of(items))
    put = {("list", "extend"): "append", ("deque", "extend"): "append", ("set", "update"): "add"}
    name = put.get((kind, method))
    if name is None and (kind, method) != ("dict", "update"):
        return NotImplemented
    generators.loop_over(
        items,
        None,
        lambda item: set_item(owner, *item) if name is None else call(getattr(owner, name), item),
        NO_STATE,
    )
    return None


def folded(
    items: Any, value: Any, step: Callable[[Any, Any], Any], go_on: Callable[[Any], Any] | None = None
) -> Any:
    """The value after ``value = step(value, item)`` for each item, as long as ``go_on(value)``."""
    held = [value]

    def body(item: Any) -> None:
        held[0] = step(held[0], item)

    def set_value(values: tuple[Any, ...]) -> None:
        (held[0],) = values

    test = None if go_on is None else lambda: go_on(held[0])
    for_stmt(items, test, body, lambda: (held[0],), set_value, ("result",))
    return held[0]


def sum_of(items: Any, start: Any = 0) -> Any:
    if isinstance(start, str):
        return sum((), start)  # which raises
    if containers.SUM_IS_PLAIN or kind_of_number(start) not in ("int", "float"):
        return folded(items, start, plus)
    return _finished(folded(items, (start, 0.0), _added))


def any_of(items: Any) -> Any:
    return folded(items, False, lambda _, item: truth(item), not_)


def all_of(items: Any) -> Any:
    return folded(items, True, lambda _, item: truth(item), lambda value: value)


def _from_first(items: Any, begin: Callable[[Any], Any], step: Callable[[Any, Any], Any]) -> Any:
    """The value that ``begin(first item)`` and a step for each other item give; undefined where none is."""

    def next_value(value: Any, item: Any) -> Any:
        made = begin(item)
        first = is_undefined(value)
        if not isinstance(first, Staged):
            return made if first else step(value, made)
        return branch(first, lambda: made, lambda: step(resolve(value), made))

    return folded(items, Undefined("result"), next_value)


def _found_or(found: Any, default: tuple[Any, ...], error: type[Exception], *message: str) -> Any:
    """What was found; where nothing was, the default, or the error if there is none."""

    def nothing() -> Any:
        if not default:
            raise error(*message)
        return default[0]

    return if_exp(is_undefined(found), nothing, lambda: resolve(found))


_MISSING = object()
_NO_ITEMS = "iterable argument is empty" if sys.version_info >= (3, 12) else "arg is an empty sequence"


def _extreme(name: str, is_better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def extreme(items: Any, *, key: Any = None, default: Any = _MISSING) -> Any:
        def better(best: Any, candidate: Any) -> Any:
            return if_exp(is_better(candidate[0], best[0]), lambda: candidate, lambda: best)

        def none() -> Any:
            if default is _MISSING:
                raise ValueError(f"{name}() {_NO_ITEMS}")
            return default

        best = _from_first(items, lambda item: (item if key is None else call(key, item), item), better)
        return if_exp(is_undefined(best), none, lambda: resolve(best)[1])

    return extreme


def reduced(items: Any, function: Callable[[Any, Any], Any]) -> Any:
    """``functools.reduce(function, items)``: the first item is what the others are added to."""
    total = _from_first(items, lambda item: item, lambda total, item: call(function, total, item))
    return _found_or(total, (), TypeError, "reduce() of empty iterable with no initial value")


def next_of(items: TracedGenerator, *default: Any) -> Any:
    """The next item; pulled as Python does, unless something staged decides which one that is."""
    trace = require_trace()
    site = site_here(trace.loops)
    if site not in trace.decisions.staged_loops:
        try:
            return next(items, *default)
        except StagingError as error:
            raise Restart(
                trace.decisions.with_staged(site), f"it is known at run time: {error.message}"
            ) from None
    found = folded(items, Undefined("next"), lambda _, item: item, lambda _: False)
    return _found_or(found, default, StopIteration)


def items_of(items: TracedGenerator) -> Any:
    """A list of what the generator yields."""
    found = _Collected(require_trace(), [])
    generators.loop_over(items, None, found.append, NO_STATE, found.in_run, only_keeps=True)
    return found.made()


def _of_all(function: Any) -> Callable[..., Any]:
    return lambda items, /, *args, **kwargs: call(function, items_of(items), *args, **kwargs)


#: the loop that a builtin is over a generator, its first argument
CONSUMERS: dict[Any, Callable[..., Any]] = {
    sum: sum_of, any: any_of, all: all_of, next: next_of, list: items_of,
    min: _extreme("min", less), max: _extreme("max", greater),
    **{one: _of_all(one) for one in (tuple, set, frozenset, dict, Counter, OrderedDict, deque, sorted)},
}  # fmt: skip


# -- sums of floats, from Python 3.12 on: what rounding loses is kept ---------------------------------------

# As long as the sum is a float, the error of each addition (Knuth's two-sum, which is what CPython's Neumaier
# sum computes, too) is added up beside it. It is added at the end, or before what is no plain number.

#: the sum so far, and what was lost of it
Total: TypeAlias = "tuple[Any, Any]"


def kind_of_number(value: Any) -> str:
    """Which of Python's own numbers it is; empty for all else."""
    if isinstance(value, StagedNumber):
        return value.kind
    return type(value).__name__ if type(value) in (bool, int, float, complex) else ""


def _added(total: Total, item: Any) -> Total:
    """With one more item."""
    found, lost = total
    if isinstance(found, Choice):
        return dispatch(found, lambda one: _added((one, lost), item))
    if isinstance(item, Choice):
        return dispatch(item, lambda one: _added(total, one))
    if kind_of_number(found) != "float":
        return plus(found, item), lost
    if kind_of_number(item) == "float":
        whole = found + item
        part = whole - found
        return whole, lost + ((found - (whole - part)) + (item - part))
    if kind_of_number(item) in ("int", "bool"):
        return plus(found, item), lost
    return plus(_finished(total), item), 0.0


def _finished(total: Total) -> Any:
    """The sum, with what was lost where that is a number."""
    found, lost = total
    if isinstance(found, Choice):
        return dispatch(found, lambda one: _finished((one, lost)))
    if kind_of_number(found) != "float":
        return found
    with_lost = lambda: if_exp(lost - lost == 0.0, lambda: found + lost, lambda: found)
    return if_exp(lost != 0.0, with_lost, lambda: found)
