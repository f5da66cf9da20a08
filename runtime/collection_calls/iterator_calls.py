"""`enumerate`, `zip`, `reversed`, `map`, `iter`, `next` and `len`: what makes and asks item iterators.

It is imported after the modules that say what these builtins make of staged values, and wraps their handlers.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograph.operators import if_exp
from runtime.collection_calls.container_calls import called
from runtime.collection_calls.streams import handler_of_stream
from runtime.collection_calls.watching import item_at
from runtime.handlers.handler_calls import call_in_run
from runtime.iterables.advancing import AdvancingIterator, Endless
from runtime.iterables.callbacks import call_by_iterator
from runtime.iteration.indexed import (
    Indexed,
    as_int,
    containers_of,
    indexed,
    over_items,
    staged_enumerate,
    staged_reversed,
    staged_zip,
)
from runtime.iteration.item_iterators import ItemIterator, StagedIterator
from runtime.iteration.iterators import OutsideIterator, TracedIterator, traced
from runtime.staged.mappings import View
from runtime.staged.value_classes import class_of_iterator
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import handler_there, handles
from runtime.tracer.elements import element_of
from runtime.tracer.known_items import as_plain, is_known_kind
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, require_trace
from runtime.types import INT

Source = Indexed | None

_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def _source(iterable: Any) -> Source:
    found = (kind(iterable) for kind in (_over_known, indexed, over_items, _over_keys))
    return next((source for source in found if source is not None), None)


def _over_known(container: Any) -> Source:
    """A list of which the trace knows the length, or a dict, or a view of one, of which it knows the keys: a
    run reads each item when it is taken."""
    is_view = isinstance(container, View)
    owner = container.over[0] if is_view else container
    if not is_known_kind(owner):
        return None
    heap = require_trace().heap
    if owner.type.name == "list":
        length = heap.length(owner.value)
        item = lambda place: owner[place]
        return None if length is None else Indexed((0, length, 1), item, "this list", known=(owner,))
    contents = heap.contents(owner.value)
    if contents is None:
        return None
    keys, what = [*contents], f"this {container.__class__.__name__}"

    def item_of_view(place: Any) -> Any:
        now = heap.contents(owner.value)
        if now is None or [*now] != keys:
            raise _keys_have_changed(what)
        return (container.again() if is_view else owner.keys()).items[place]

    return Indexed((0, len(keys), 1), item_of_view, what, known=(owner,))


def _keys_have_changed(what: str) -> Exception:
    return require_trace().refuse(
        f"the keys of what {what} runs over have changed since it was made",
        "make the iterator when the changes are done, or iterate over a copy: list(...)",
    )


def _over_keys(mapping: Any) -> Source:
    """What a dict that the trace knows, or a view of it, gives: each item as it is when it is taken."""
    if type(mapping) not in (dict, *_VIEWS):
        return None
    table = mapping if type(mapping) is dict else mapping.mapping
    keys, what = list(table), f"this {type(mapping).__name__}"

    def item(place: Any) -> Any:
        if list(table) != keys:
            raise _keys_have_changed(what)
        return item_at(require_trace(), list(mapping), place)

    return Indexed((0, len(keys), 1), item, what, known=(mapping,))


def _enumerated(iterable: Any, start: Any = 0) -> Source:
    source = _source(iterable)
    return None if source is None else staged_enumerate(source, start)


def _zipped(*iterables: Any, strict: bool = False) -> Source:
    sources = [_source(iterable) for iterable in iterables]
    return None if strict or None in sources or not sources else staged_zip(*sources)


def _reversed(sequence: Any) -> Source:
    source = _source(sequence)
    return None if source is None else staged_reversed(source)


def _mapped(function: Any, *iterables: Any) -> Source:
    if len(iterables) == 1:
        (source,) = map(_source, iterables)
        item = lambda i: call_by_iterator(called(function), source.item(i))  # type: ignore[union-attr]
    else:
        source = _zipped(*iterables)
        item = lambda i: call_by_iterator(called(function), *source.item(i))  # type: ignore[union-attr]
    return None if source is None else source.like(source.bounds, item, "this map")


def _iterated(*args: Any) -> Source:
    return _source(args[0]) if len(args) == 1 else None


def _counted(start: Any = 0, step: Any = 1) -> Source:
    """Of ints: Python adds floats one by one, which gives others than a product."""
    if not all(type(n) is int or (isinstance(n, Staged) and n.type == INT) for n in (start, step)):
        return None
    return Endless(lambda i: start + i * step, "this count")


def _cycled(iterable: Any) -> Source:
    """`cycle` keeps the items that it saw the first time: a list must not change meanwhile."""
    now = as_plain(iterable)
    if type(now) not in (list, tuple, str, range):
        return None
    items = tuple(now)
    source = over_items(items)
    assert source is not None

    def item(i: Any) -> Any:
        now = as_plain(iterable)
        if type(now) not in (tuple, str, range) and not (type(now) is list and _are_same(now, items)):
            raise require_trace().refuse(
                "this cycle runs over a list that was changed since", "make the cycle of a copy: list(...)"
            )
        return source.item(i % len(items))

    return Endless(item, "this cycle") if items else source


def _are_same(items: list[Any], others: Sequence[Any]) -> bool:
    return len(items) == len(others) and all(map(operator.is_, items, others))


def _chained(*iterables: Any) -> Source:
    parts = [_source(iterable) for iterable in iterables]
    if None in parts or any(isinstance(part, Endless) for part in parts[:-1]) or not parts:
        return None
    counted = [part.counted() for part in parts if part is not None]
    if any(part.over for part in counted):
        return None
    first, *rest = counted
    for other in rest:
        first = _after(first, other)
    return first


def _after(first: Indexed, second: Indexed) -> Indexed:
    """The items of one, then those of the other, each of its own kind."""
    middle, end = first.bounds[1], second.bounds[1]

    def item(i: Any) -> Any:
        kinds = []

        def noted(value: Any) -> Any:
            kinds.append(value if isinstance(value, Choice) else element_of(value))
            return value

        found = if_exp(i < middle, lambda: noted(first.item(i)), lambda: noted(second.item(i - middle)))
        if any(isinstance(kind, Choice) or kind != kinds[0] for kind in kinds):
            raise require_trace().refuse(
                "this chain has items of different kinds, and only a run knows which is next",
                "run over the parts of the chain one after the other",
            )
        return found

    _, known = containers_of((first, second))
    if end is None:
        return Endless(item, "this chain", known)
    return Indexed((0, middle + end, 1), item, "this chain", known=known)


def _with_int_start(iterable: Any, start: Any = 0) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (iterable, start if isinstance(start, Choice) else as_int(start)), {}


def _makes(function: Any, source_of: Callable[..., Source]) -> None:
    before = handler_of_stream(function)
    kind = function.__name__

    @handles(function)
    def make(trace: Trace, *args: Any, **kwargs: Any) -> Any:
        if function in (iter, reversed) and len(args) == 1 and isinstance(args[0], StagedIterator):
            if function is iter:
                return args[0]
            raise TypeError(f"'{args[0].name}' object is not reversible")
        if function is enumerate:
            args, kwargs = _with_int_start(*args, **kwargs)
        site = (kind, trace.containers.here())
        args = tuple([arg.handed_over() if isinstance(arg, StagedIterator) else arg for arg in args])
        if site in trace.decisions.advancing:
            source = source_of(*args, **kwargs)
            follows = kind in ("iter", "enumerate", "map", "reversed")
            if source is not None and (not source.over or (follows and _follows(source, args))):
                return AdvancingIterator(trace, source, kind, class_of_iterator(function, *args) or Iterator)
        made = NotImplemented if before is None else before(trace, *args, **kwargs)
        if type(made) is Indexed:
            return ItemIterator(trace, made, kind, class_of_iterator(function, *args) or Iterator, site)
        made = traced(trace, function(*args, **kwargs)) if made is NotImplemented else made
        if isinstance(made, TracedIterator):
            made.is_made_at(site)
            made.is_made_by(class_of_iterator(function, *args) or made.__class__)
        return made


def _follows(source: Indexed, args: tuple[Any, ...]) -> bool:
    """Is it one list that a run knows, item by item, so that its length can be asked for each time?"""
    over = source.over
    return len(over) == 1 and over[0].type.name == "list" and any(one is over[0] for one in args)


_makes(builtins.enumerate, _enumerated)
_makes(builtins.zip, _zipped)
_makes(builtins.reversed, _reversed)
_makes(builtins.map, _mapped)
_makes(builtins.iter, _iterated)
_makes(itertools.count, _counted)
_makes(itertools.cycle, _cycled)
_makes(itertools.chain, _chained)

_next = handler_there(next)


@handles(next)
def stage_next(trace: Trace, iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, StagedIterator):
        return iterator.take(*default)
    if type(iterator) is OutsideIterator and _counts_ints(iterator.original):
        return call_in_run(trace, next, (iterator.original,), {}, (INT,))
    return _next(trace, iterator, *default)


def _counts_ints(iterator: Any) -> bool:
    """Is it a `count` of ints? What it is at shows in ``count(5)``, ``count(0.5)``, ``count(5, 2)`` only."""
    if type(iterator) is not itertools.count:
        return False
    return all(type(part) is int for part in ast.literal_eval("(" + repr(iterator)[6:-1] + ",)"))


_len = handler_there(len)


@handles(len)
def stage_len(trace: Trace, value: Any) -> Any:
    return len(value) if isinstance(value, StagedIterator) else _len(trace, value)
