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

import numpy as np

from autograph.operators import and_, if_stmt
from autograph.staging import State
from runtime.collection_calls.container_calls import has_unknown
from runtime.iterables.generators import InRun, TracedGenerator, inside_out
from runtime.iterables.loops import loop_over
from runtime.iteration.indexed import Indexed, indexed, is_int, over_items
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import HANDLERS, handler_there, handles
from runtime.tracer.trace import Trace
from runtime.types import ArrayType, ContainerType

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


def repeat(item: Any) -> Iterator[Any]:
    while True:
        yield item


def takewhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        if not predicate(item):
            break
        yield item


def dropwhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


def filterfalse(predicate: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress(data: Any, selectors: Any) -> Iterator[Any]:
    for item, selector in zip(data, selectors, strict=False):
        if selector:
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


def until(function: Any, sentinel: Any) -> Iterator[Any]:
    while True:
        item = function()
        if item == sentinel:
            break
        yield item


def enumerated(iterable: Any, start: Any = 0) -> Iterator[Any]:
    for item in iterable:
        yield start, item
        start = start + 1


def mapped(function: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        yield function(item)


def filtered(predicate: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        if item if predicate is None else predicate(item):
            yield item


def starmap(function: Any, iterable: Any) -> Iterator[Any]:
    for arguments in iterable:
        yield function(*tuple(arguments))  # whose words `starmap` has for what is no tuple


def chain(*iterables: Any) -> Iterator[Any]:
    for iterable in iterables:
        for item in iterable:  # noqa: UP028
            yield item


def pairwise(iterable: Any) -> Iterator[Any]:
    begun = False
    previous = None
    for item in iterable:
        if begun:
            yield previous, item
        begun = True
        previous = item


def pulled(*iterables: Any) -> Iterator[Any]:
    """``zip``, which asks for no iterator before it is advanced."""
    yield from zip(*iterables, strict=False)


def each_of(iterable: Any) -> Iterator[Any]:
    for item in iterable:  # noqa: UP028
        yield item


def ndenumerate(array: Any) -> Iterator[Any]:
    shape = array.shape
    for place in range(array.size):
        index: tuple[Any, ...] = ()
        rest = place
        for length in shape[::-1]:
            index = (rest % length, *index)
            rest = rest // length
        yield index, array[index]


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


def _streams(function: Any, equivalent: Callable[..., Iterator[Any]], known: Callable[..., bool]) -> None:
    """A call of ``function`` is ``equivalent``, unless its arguments are ``known`` while tracing."""
    before = HANDLERS.get(function)

    @handles(function)
    def make(trace: Trace, *args: Any, **kwargs: Any) -> Any:
        if known(*args, **kwargs):
            return NotImplemented if before is None else before(trace, *args, **kwargs)
        lazy = any(is_lazy(arg) or isinstance(arg, Staged) for arg in (*args, *kwargs.values()))
        plainly = (equivalent if lazy else function)(*args, **kwargs)

        def push(consume: Callable[[Any], Any], early: bool, in_run: InRun) -> None:
            inside_out(trace, equivalent)(consume, *args, **kwargs)

        return TracedGenerator(trace, plainly, push)


def _nothing_unknown(*args: Any, **kwargs: Any) -> bool:
    return not any(has_unknown(arg) or can_push(arg) for arg in (*args, *kwargs.values()))


def _no_generator(*args: Any, **kwargs: Any) -> bool:
    return not any(map(can_push, (*args, *kwargs.values())))


def _known_start(iterable: Any, start: Any = 0) -> bool:
    return not can_push(iterable) and not (isinstance(start, Staged) and isinstance(iterable, list | tuple))


def _none_lazy(*args: Any, **kwargs: Any) -> bool:
    return not any(map(is_lazy, (*args, *kwargs.values())))


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
    if isinstance(items, Staged) and isinstance(items.type, ArrayType):
        return items.type.shape[:1] == (None,)
    return can_push(items) or (isinstance(items, Staged) and isinstance(items.type, ContainerType))


def can_push(value: Any) -> bool:
    """Is it a generator at its start?"""
    return isinstance(value, TracedGenerator) and value.can_push()


_streams(itertools.count, count, lambda *_, **__: False)
_streams(itertools.cycle, cycle, lambda _: False)
_streams(itertools.repeat, repeat, lambda *args, **kwargs: len(args) > 1 or bool(kwargs))
_streams(iter, until, lambda *args: len(args) == 1)
_streams(iter, each_of, lambda *args: len(args) != 1 or not is_lazy(args[0]) or can_push(args[0]))
_streams(np.ndenumerate, ndenumerate, lambda array: not isinstance(array, Staged))
_streams(itertools.takewhile, takewhile, _nothing_unknown)
_streams(itertools.dropwhile, dropwhile, _nothing_unknown)
_streams(itertools.filterfalse, filterfalse, _nothing_unknown)
_streams(itertools.compress, compress, _nothing_unknown)
_streams(itertools.accumulate, accumulate, _adds_numbers)
_streams(itertools.starmap, starmap, _none_lazy)
_streams(itertools.chain, chain, _none_lazy)
_streams(itertools.pairwise, pairwise, _has_items)
_streams(enumerate, enumerated, _known_start)
_streams(filter, filtered, _no_generator)
_streams(map, mapped, lambda *args: len(args) != 2 or _no_generator(args[1]))


_WRONG_STOP = "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
_WRONG_INDICES = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize."
_WRONG_STEP = "Step for islice() must be a positive integer or None."


def check_bounds(start: Any, stop: Any, step: Any) -> None:
    """What `islice` says of its bounds when it is called."""
    if stop is not None and stop == -1:
        raise ValueError(_WRONG_STOP)
    if start < 0 or (stop is not None and stop < 0):
        raise ValueError(_WRONG_INDICES)
    if step < 1:
        raise ValueError(_WRONG_STEP)


@handles(itertools.islice)
def sliced(trace: Trace, iterable: Any, *bounds: Any) -> Any:
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    lazy = is_lazy(iterable) or any(isinstance(bound, Staged) for bound in bounds)
    if not lazy or len(bounds) not in (1, 2, 3):
        return NotImplemented
    start, step = 0 if start is None else start, 1 if step is None else step
    for bound, words in ((stop, _WRONG_STOP), (start, _WRONG_INDICES), (step, _WRONG_STEP)):
        if bound is not None and not (is_int(bound) if isinstance(bound, Staged) else type(bound) is int):
            raise ValueError(words)
    trace.environment.enter(check_bounds, None)(start, stop, step)
    plainly = up_to(iterable, start, stop, step)
    push = lambda consume, early, in_run: inside_out(trace, up_to)(consume, iterable, start, stop, step)
    return TracedGenerator(trace, plainly, push)


_plain_zip = handler_there(zip)


@handles(zip)
def zipped(trace: Trace, *iterables: Any, strict: bool = False) -> Any:
    """``zip`` of one generator and of what has a length."""
    places = [place for place, iterable in enumerate(iterables) if can_push(iterable)]
    lengthy = [i for i in iterables if not can_push(i)]
    sources = [over_items(i) if indexed(i) is None else indexed(i) for i in lengthy]
    if len(places) != 1 or strict or any(source is None for source in sources):
        return _plain_zip(trace, *iterables, strict=strict)
    (place,) = places
    known = [source.counted() for source in sources if source is not None]
    before, after = known[:place], known[place:]

    def push(consume: Callable[[Any], Any], early: bool, in_run: InRun) -> None:
        values: list[Any] = [0, True]  # how many items were handed on, and whether to go on
        set_values = lambda new: values.__setitem__(slice(None), new)
        state = State(("position", "go_on"), lambda: tuple(values), set_values)

        def there(sources: list[Indexed]) -> Any:
            return and_(True, *[lambda s=s: values[0] < s.length() for s in sources])

        def hand_on(item: Any) -> None:
            parts = [source.item(values[0]) for source in known]
            go_on = consume((*parts[:place], item, *parts[place:]))
            values[0] = values[0] + 1
            values[1] = and_(go_on, lambda: there(before))

        def stop() -> None:
            values[1] = False

        def body(item: Any) -> None:
            if_stmt(there(after), lambda: hand_on(item), stop, state.get, state.set, state.names)

        def run() -> None:
            iterables[place].is_taken_over()
            loop_over(iterables[place], lambda: values[1], body, state)

        if_stmt(there(before), run, lambda: None, state.get, state.set, state.names)

    return TracedGenerator(trace, pulled(*iterables), push)
