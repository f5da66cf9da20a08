"""`enumerate`, `zip`, `reversed`, `map`, `iter`, `next` and `len`: what makes and asks item iterators.

It is imported after the modules that say what these builtins make of staged values, and wraps their handlers.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from autograph.operators import call
from runtime import streams as streams  # its handlers come first
from runtime.builtin_calls import HANDLERS, handles
from runtime.container_calls import called
from runtime.item_iterators import AdvancingIterator, ItemIterator, StagedIterator
from runtime.iteration import (
    Indexed,
    indexed,
    over_items,
    staged_enumerate,
    staged_reversed,
    staged_zip,
)
from runtime.iterators import TracedIterator, traced
from runtime.trace import Trace

Source = Indexed | None


def _source(iterable: Any) -> Source:
    return indexed(iterable) or over_items(iterable)


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
        item = lambda i: call(called(function), source.item(i))  # type: ignore[union-attr]
    else:
        source = _zipped(*iterables)
        item = lambda i: call(called(function), *source.item(i))  # type: ignore[union-attr]
    return None if source is None else Indexed(source.bounds, item, "this map", source.over)


def _iterated(*args: Any) -> Source:
    return _source(args[0]) if len(args) == 1 else None


def _makes(function: Any, source_of: Callable[..., Source]) -> None:
    before = HANDLERS[function]
    kind = function.__name__

    @handles(function)
    def make(trace: Trace, *args: Any, **kwargs: Any) -> Any:
        if function in (iter, reversed) and len(args) == 1 and isinstance(args[0], StagedIterator):
            if function is iter:
                return args[0]
            raise TypeError(f"'{args[0].kind}' object is not reversible")
        site = (kind, trace.containers.here())
        args = tuple([arg.handed_over() if isinstance(arg, StagedIterator) else arg for arg in args])
        if site in trace.decisions.advancing:
            source = source_of(*args, **kwargs)
            if source is not None and (not source.over or _follows(source, args)):
                return AdvancingIterator(trace, source, kind)
        made = before(trace, *args, **kwargs)
        if type(made) is Indexed:
            return ItemIterator(trace, made, kind, site)
        made = traced(trace, function(*args, **kwargs)) if made is NotImplemented else made
        if isinstance(made, TracedIterator):
            made.is_made_at(site)
        return made


def _follows(source: Indexed, args: tuple[Any, ...]) -> bool:
    """Is it one list that a run knows, item by item, so that its length can be asked for each time?"""
    return source.over == args and args[0].type.name == "list"


_makes(builtins.enumerate, _enumerated)
_makes(builtins.zip, _zipped)
_makes(builtins.reversed, _reversed)
_makes(builtins.map, _mapped)
_makes(builtins.iter, _iterated)

_next = HANDLERS[next]


@handles(next)
def stage_next(trace: Trace, iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, StagedIterator):
        return iterator.take(*default)
    return _next(trace, iterator, *default)


_len = HANDLERS[len]


@handles(len)
def stage_len(trace: Trace, value: Any) -> Any:
    return len(value) if isinstance(value, StagedIterator) else _len(trace, value)
