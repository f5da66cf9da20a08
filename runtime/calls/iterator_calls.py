"""`enumerate`, `zip`, `reversed`, `map`, `iter`, `next` and `len`: what makes and asks item iterators.

The handlers of these builtins that are registered before (`itertools_calls.py`) are called by those here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from runtime.calls import itertools_calls as itertools_calls  # registers its handlers
from runtime.control_flow.branches import branch
from runtime.control_flow.builtin_iterables import ItemIterator, StagedIterator
from runtime.control_flow.indexed import (
    Indexed,
    as_int,
    in_groups,
    indexed,
    over_items,
    staged_enumerate,
    staged_reversed,
    staged_zip,
)
from runtime.control_flow.iterators import TracedIterator, traced
from runtime.iterables.advancing import AdvancingIterator
from runtime.staged.containers import StagedContainer
from runtime.staged.needed_now import class_of_iterator
from runtime.tracer.builder import Staged, emit
from runtime.tracer.call_handlers import handler_there, handles_each
from runtime.tracer.known_items import is_known_kind
from runtime.tracer.spec import Choice, narrowed
from runtime.tracer.trace import Trace, require_trace
from runtime.types import ArrayType


def _source(iterable: Any) -> Indexed | None:
    """An array, a range, or a list whose items a run reads when they are taken; None: another thing."""
    if is_known_kind(iterable) and iterable.type.name == "list":
        length = require_trace().heap.length(iterable.value)
        if length is not None:
            return Indexed((0, length, 1), lambda place: iterable[place], "this list", known=(iterable,))
    source = indexed(iterable)
    if source is None:
        return over_items(iterable)
    is_list = len(source.over) == 1 and iterable is source.over[0] and iterable.type.name == "list"
    return source if is_list or not (source.over or source.known) else None


#: what makes of sources that of an iterator whose place only a run knows
_SOURCES: dict[Any, Callable[..., Any]] = {
    enumerate: staged_enumerate,
    zip: staged_zip,
    reversed: staged_reversed,
    iter: lambda source: source,
}


#: the handlers that are called by the one here
_BEFORE = {function: handler_there(function) for function in (*_SOURCES, map)}


@handles_each(*_BEFORE)
def stage_iterator(function: Any, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    if function in (iter, reversed) and len(args) == 1 and isinstance(args[0], StagedIterator):
        if function is iter:
            return args[0]
        raise TypeError(f"'{args[0].name}' object is not reversible")
    if function is enumerate:
        args, kwargs = _with_int_start(*args, **kwargs)
    is_one = function is zip and len(args) > 1 and all(arg is args[0] for arg in args)
    if is_one and isinstance(args[0], StagedIterator) and not kwargs.get("strict"):
        return ItemIterator(trace, in_groups(args[0].handed_over(), len(args)), zip)
    args = tuple([arg.handed_over() if isinstance(arg, StagedIterator) else arg for arg in args])
    source_of = _SOURCES.get(function)
    site = None if source_of is None else (function.__name__, trace.containers.here())
    if source_of is not None and site in trace.decisions.advancing and not kwargs:
        sources = list(map(_source, args[:1] if function is enumerate else args))
        source = source_of(*sources, *args[len(sources) :]) if sources and None not in sources else None
        follows = function in (iter, enumerate)
        if source is not None and (follows or not source.over):
            kind = class_of_iterator(function, *args) or Iterator
            return AdvancingIterator(trace, source, kind, follows)
    made = _BEFORE[function](trace, *args, **kwargs)
    if type(made) is Indexed:
        return ItemIterator(trace, made, class_of_iterator(function, *args) or Iterator, site)
    made = traced(trace, function(*args, **kwargs)) if made is NotImplemented else made
    if isinstance(made, TracedIterator):
        made.is_made_at(site)
        made.is_made_by(class_of_iterator(function, *args) or made.__class__)
    return made


def _with_int_start(iterable: Any, start: Any = 0) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (iterable, start if isinstance(start, Choice) else as_int(start)), {}


def without_none(trace: Trace, function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of `zip` or `enumerate`, after the TypeError that one of them raises where it is None.

    So that is raised on a path of its own, and what they make does not belong to a path.
    """
    known = list(args)
    for position, arg in enumerate(args):
        if not isinstance(arg, Choice):
            is_array = isinstance(arg, Staged) and isinstance(arg.type, ArrayType) and arg.type.ndim > 0
            if not is_array and not isinstance(arg, list | tuple | range | StagedContainer):
                break  # which may raise first
            continue
        nones = [place for place in trace.implied.positions(arg) if arg.values[place] is None]
        if len(nones) == 1 and len(trace.implied.positions(arg)) > 1:
            test = emit("py.eq", [arg.tag, nones[0]])
            trace.implied.note_position(test, arg, nones[0])
            branch(test, lambda: function(*[()] * position, None), lambda: None)
        known[position] = narrowed(arg)
    return tuple(known)
