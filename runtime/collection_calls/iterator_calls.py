"""`enumerate`, `zip`, `reversed`, `map`, `iter`, `next` and `len`: what makes and asks item iterators.

The handlers of these builtins that are registered before (`streams.py`) are called by those here.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

from runtime.collection_calls import streams as streams  # registers its handlers
from runtime.iterables.advancing import AdvancingIterator
from runtime.iteration.indexed import (
    Indexed,
    as_int,
    indexed,
    over_items,
    staged_enumerate,
    staged_reversed,
    staged_zip,
)
from runtime.iteration.item_iterators import ItemIterator, StagedIterator
from runtime.iteration.iterators import TracedIterator, traced
from runtime.staged.value_classes import class_of_iterator
from runtime.tracer.call_handlers import HANDLERS, handler_there, handles
from runtime.tracer.known_items import is_known_kind
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, require_trace

Source = Indexed | None


def _source(iterable: Any) -> Source:
    found = (kind(iterable) for kind in (_over_known, indexed, over_items))
    return next((source for source in found if source is not None), None)


def _over_known(items: Any) -> Source:
    """A list of which the trace knows the length: a run reads each item when it is taken."""
    if not is_known_kind(items) or items.type.name != "list":
        return None
    length = require_trace().heap.length(items.value)
    item = lambda place: items[place]
    return None if length is None else Indexed((0, length, 1), item, "this list", known=(items,))


def _with_int_start(iterable: Any, start: Any = 0) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (iterable, start if isinstance(start, Choice) else as_int(start)), {}


def _makes(function: Any, source_of: Callable[..., Any] | None = None) -> None:
    """``source_of``: makes of sources that of an iterator whose place only a run knows; None: none such."""
    before = HANDLERS.get(function)
    kind = function.__name__

    @handles(function)
    def make(trace: Trace, *args: Any, **kwargs: Any) -> Any:
        if function in (iter, reversed) and len(args) == 1 and isinstance(args[0], StagedIterator):
            if function is iter:
                return args[0]
            raise TypeError(f"'{args[0].name}' object is not reversible")
        if function is enumerate:
            args, kwargs = _with_int_start(*args, **kwargs)
        site = None if source_of is None else (kind, trace.containers.here())
        args = tuple([arg.handed_over() if isinstance(arg, StagedIterator) else arg for arg in args])
        if source_of is not None and site in trace.decisions.advancing:
            sources = list(map(_source, args[:1] if function is enumerate else args))
            known = sources and None not in sources and not kwargs
            source = source_of(*sources, *args[len(sources) :]) if known else None
            if source is not None and (not source.over or (kind != "zip" and _follows(source, args))):
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


_makes(builtins.enumerate, staged_enumerate)
_makes(builtins.zip, staged_zip)
_makes(builtins.reversed, staged_reversed)
_makes(builtins.iter, lambda source: source)
_makes(builtins.map)

_next = handler_there(next)


@handles(next)
def stage_next(trace: Trace, iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, StagedIterator):
        return iterator.take(*default)
    return _next(trace, iterator, *default)


_len = handler_there(len)


@handles(len)
def stage_len(trace: Trace, value: Any) -> Any:
    return len(value) if isinstance(value, StagedIterator) else _len(trace, value)
