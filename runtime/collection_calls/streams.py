"""itertools in a trace: the Python equivalents that its documentation gives, which a loop turns inside out.

    for i in itertools.count():
        if i * i > x:
            break

A loop over one of these that only a run knows how far to go, or what it gives, is such a generator's loop
(runtime/iterables/generators.py). Over what the trace knows, itertools itself is asked, item by item.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from runtime.collection_calls.container_calls import has_unknown, is_open_array
from runtime.iterables.generators import can_push, made_of
from runtime.iteration.indexed import Indexed, is_int
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import HANDLERS, handles, refused
from runtime.tracer.trace import Trace
from runtime.types import ContainerType

# The equivalents: each is converted, and runs where the user calls the function of its name.


def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    while True:
        yield start
        start = start + step


def cycle(iterable: Any) -> Iterator[Any]:
    items = list(iterable)
    while items:
        for item in items:  # noqa: UP028
            yield item


def takewhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        if not predicate(item):
            break
        yield item


def accumulate(iterable: Any, func: Any = operator.add, *, initial: Any = None) -> Iterator[Any]:
    begun = initial is not None
    total = initial
    if begun:
        yield total
    for item in iterable:
        if begun:
            total = func(total, item)
        else:
            begun = True
            total = item
        yield total


def repeat(item: Any, times: Any = None) -> Iterator[Any]:
    done = 0
    while times is None or done < times:
        yield item
        done = done + 1


def starmap(function: Any, iterable: Any) -> Iterator[Any]:
    for arguments in iterable:
        yield function(*arguments)


def enumerated(iterable: Any, start: Any = 0) -> Iterator[Any]:
    for item in iterable:
        yield start, item
        start = start + 1


def pairwise(iterable: Any) -> Iterator[Any]:
    begun = False
    previous = None
    for item in iterable:
        if begun:
            yield previous, item
        begun = True
        previous = item


def up_to(iterable: Any, start: Any, stop: Any, step: Any) -> Iterator[Any]:
    position = 0
    last = start if stop is None else max(start, stop)
    if stop is None or last > 0:
        for item in iterable:
            if position >= start and (stop is None or position < stop) and (position - start) % step == 0:
                yield item
            position = position + 1
            if stop is not None and position >= last:
                break


def check_bounds(start: Any, stop: Any, step: Any) -> None:
    """What `islice` says of its bounds when it is called."""
    if stop is not None and stop == -1:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if start < 0 or (stop is not None and stop < 0):
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")


def _streams(function: Any, equivalent: Callable[..., Iterator[Any]], known: Callable[..., bool]) -> None:
    """A call of ``function`` is ``equivalent``, unless its arguments are ``known`` while tracing."""
    before = HANDLERS.get(function)

    @handles(function)
    def make(trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
        if known(*args, **kwargs):
            return NotImplemented if before is None else before(trace, *args, **kwargs)
        lazy = any(is_lazy(arg) or isinstance(arg, Staged) for arg in (*args, *kwargs.values()))
        plainly = equivalent(*args, **kwargs) if lazy else function(*args, **kwargs)
        return made_of(trace, equivalent, plainly, args, kwargs)


def _nothing_unknown(*args: Any, **kwargs: Any) -> bool:
    return not any(has_unknown(arg) or can_push(arg) for arg in (*args, *kwargs.values()))


def _known_start(iterable: Any, start: Any = 0) -> bool:
    return not can_push(iterable) and not (isinstance(start, Staged) and isinstance(iterable, list | tuple))


def _has_items(items: Any) -> bool:
    """Does it hold its items already, so that an iterator may keep one from one block to the next?"""
    return type(items) in (list, tuple, str, range, dict, set, frozenset)


def _adds_numbers(iterable: Any, func: Any = None, *, initial: Any = None) -> bool:
    """Are all sums known, so that an iterator may keep one from one block to the next?"""
    if func is not None or type(iterable) not in (tuple, range):  # a list may be changed meanwhile
        return False
    return all(type(item) in (int, float, str) for item in (*iterable, initial or 0))


def is_lazy(items: Any) -> bool:
    """Are these items that Python's own iterators cannot ask for?"""
    if isinstance(items, Indexed):
        return items.static is None or bool(items.over)
    of_run = isinstance(items, Staged) and isinstance(items.type, ContainerType)
    return of_run or can_push(items) or is_open_array(items)


_streams(itertools.count, count, lambda *_, **__: False)
_streams(itertools.cycle, cycle, lambda _: False)
_streams(itertools.takewhile, takewhile, _nothing_unknown)
_streams(itertools.accumulate, accumulate, _adds_numbers)
_streams(itertools.repeat, repeat, lambda _, times=None: type(times) is int)
_streams(itertools.starmap, starmap, lambda *_: False)
_streams(itertools.pairwise, pairwise, _has_items)
_streams(enumerate, enumerated, _known_start)


@handles(itertools.islice)
def sliced(trace: Trace, iterable: Any, *bounds: Any) -> Any:
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    lazy = is_lazy(iterable) or any(isinstance(bound, Staged) for bound in bounds)
    if not lazy or len(bounds) not in (1, 2, 3):
        return NotImplemented
    start, step = 0 if start is None else start, 1 if step is None else step
    for bound in (start, stop, step):
        if bound is not None and not (is_int(bound) if isinstance(bound, Staged) else type(bound) is int):
            raise ValueError("the bounds of an islice must be None or integers")
    trace.environment.enter(check_bounds, None)(start, stop, step)
    given = iterable, start, stop, step
    return made_of(trace, up_to, up_to(*given), given, {})


_REFUSED = "combinations_with_replacement compress dropwhile filterfalse tee".split()
refused("write the loop, or a generator expression", *[getattr(itertools, name) for name in _REFUSED])
