"""itertools in a trace: the Python equivalents that its documentation gives, and more.

    for i in itertools.count():
        if i * i > x:
            break

A loop over one of these that only a run knows how far to go, or what it gives, is such a generator's loop
(runtime/iterables/generators.py). Over what the trace knows, itertools itself is asked, item by item.

Pairs, products, choices and groups, where only a run knows how many items there are, are generators, too.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph import operators
from autograph.operators import and_, call
from autograph.staging import Clause
from runtime.calls.container_calls import called, has_unknown, is_open_array, is_vector
from runtime.calls.watching import read
from runtime.control_flow.choices import truth
from runtime.control_flow.indexed import Indexed, as_int, is_int
from runtime.control_flow.iterators import traced
from runtime.iterables.comprehensions import folded, generator_expression, reduced
from runtime.iterables.generators import TracedGenerator, can_push, made_of
from runtime.staged.list_arrays import is_list
from runtime.tracer.builder import Staged, type_of_staged
from runtime.tracer.call_handlers import HANDLERS, handles, handles_each, refused
from runtime.tracer.spec import is_instance
from runtime.tracer.trace import Trace
from runtime.types import ArrayType, ContainerType, NumberType

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


def can_be_listed(items: Any) -> bool:
    is_listed = isinstance(items, list | tuple | str) or is_by_place(items)
    return is_listed and not isinstance(items, TracedGenerator)


@handles(itertools.chain)
def stage_chain(trace: Trace, *iterables: Any) -> Any:
    return chain_from_iterable(trace, iterables)


@handles(itertools.chain.from_iterable)
def chain_from_iterable(trace: Trace, iterables: Any) -> Any:
    known = isinstance(iterables, list | tuple)
    if not is_lazy(iterables) and not (known and any(is_lazy(i) or is_instance(i) for i in iterables)):
        return NotImplemented
    return generator_expression(trace, Clause(lambda items: Clause(lambda item: item, items), iterables))


# -- pairs, products and choices of items -----------------------------------------------------------------


def is_by_place(items: Any) -> bool:
    """Are these items that a staged loop reads at a place: of a range, of an array, of a list of the run?"""
    is_array = isinstance(items, Staged) and isinstance(items.type, ArrayType) and items.type.ndim > 0
    return isinstance(items, range | Indexed) or is_lazy(items) or is_array


def _pool(trace: Trace, items: Any) -> Any:
    """The items as they are now, to be read by their places."""
    if is_vector(items):
        return items.copy()
    if isinstance(items, Indexed) or is_list(items):
        made = call(list, items)
        return tuple(made) if isinstance(made, list) else made
    return items


def _nested(
    trace: Trace,
    function: Any,
    pools: list[Any],
    ranges: Callable[[tuple[Any, ...]], Any],
    keep: Any = None,
) -> Any:
    """Tuples of an item of each pool; ``ranges(places)`` says which places the next item may have."""

    def clause(places: tuple[Any, ...]) -> Any:
        if len(places) == len(pools):
            return tuple([_item(trace, pool, place) for pool, place in zip(pools, places, strict=True)])
        test = (lambda place: keep(places, place)) if keep and places else None
        return Clause(lambda place: clause((*places, place)), ranges(places), test)

    made = generator_expression(trace, clause(()))
    made.is_made_by(function)
    return made


def _item(trace: Trace, pool: Any, place: Any) -> Any:
    return pool.counted().item(place) if isinstance(pool, Indexed) else read(trace, pool, place)


@handles(itertools.product)
def stage_product(trace: Trace, *iterables: Any, repeat: Any = 1) -> Any:
    if not any(map(is_by_place, iterables)) or not all(map(can_be_listed, iterables)):
        return NotImplemented
    if type(repeat) is not int or repeat < 1:
        return NotImplemented
    pools = [_pool(trace, items) for items in iterables] * repeat
    if all(isinstance(pool, tuple | str) for pool in pools):
        return traced(trace, itertools.product(*pools))
    return _nested(trace, itertools.product, pools, lambda places: call(range, call(len, pools[len(places)])))


@handles_each(itertools.combinations, itertools.permutations)
def stage_choices(function: Any, trace: Trace, iterable: Any, r: Any = None) -> Any:
    if isinstance(r, Staged) and isinstance(r.type, NumberType):
        known = operator.index(r)  # type: ignore[arg-type]  # the trace begins again with it
        return call(function, iterable, known)
    if not is_by_place(iterable) or not can_be_listed(iterable) or type(r) is not int or r < 1:
        return NotImplemented
    pool = _pool(trace, iterable)
    if isinstance(pool, tuple):
        return traced(trace, function(pool, r))
    length = call(len, pool)
    if function is itertools.permutations:
        return _nested(trace, function, [pool] * r, lambda places: call(range, length), _is_new)
    behind = lambda places: call(range, places[-1] + 1 if places else 0, length)
    return _nested(trace, function, [pool] * r, behind)


def _is_new(places: tuple[Any, ...], place: Any) -> Any:
    return and_(True, *[lambda other=other: truth(place != other) for other in places])


def check_lengths(lengths: Any) -> None:
    for length in lengths:
        if length < 0:
            raise ValueError("negative dimensions are not allowed")


@handles(np.ndindex)
def stage_ndindex(trace: Trace, *shape: Any) -> Any:
    """The indices of an array of this shape, the last one fastest: loops in each other."""
    lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    if not lengths or not all(isinstance(length, int | Staged) for length in lengths):
        return NotImplemented
    ranges = [call(range, as_int(length)) for length in lengths]
    trace.environment.enter(check_lengths, None)(lengths)
    return _nested(trace, np.ndindex, ranges, lambda places: ranges[len(places)])


@handles(np.ndenumerate)
def stage_ndenumerate(trace: Trace, array: Any) -> Any:
    if type_of_staged(array) is None:
        return NotImplemented
    indices = stage_ndindex(trace, array.shape)
    return generator_expression(trace, Clause(lambda place: (place, array[place]), indices))


@handles(functools.reduce)
def stage_reduce(trace: Trace, function: Any, items: Any, *initial: Any) -> Any:
    if not is_lazy(items) and not isinstance(items, Indexed):
        return NotImplemented
    if not initial:
        return reduced(items, called(function))
    return folded(items, initial[0], functools.partial(call, called(function)))


@handles(math.prod)
def stage_prod(trace: Trace, items: Any, /, *, start: Any = 1) -> Any:
    return folded(items, start, operators.times) if is_lazy(items) else NotImplemented


@handles_each(heapq.nlargest, heapq.nsmallest)
def stage_first_ones(function: Any, trace: Trace, n: Any, iterable: Any, key: Any = None) -> Any:
    if key is None and not (is_lazy(iterable) or has_unknown(iterable) or isinstance(n, Staged)):
        return NotImplemented
    if key is not None and type(n) is int and n <= 0:
        call(iter, iterable)
        return []
    key = None if key is None else called(key)
    best = call(sorted, iterable, key=key, reverse=function is heapq.nlargest)
    return read(trace, best, slice(0, n)) if not isinstance(n, int) or n > 0 else best[:0]
