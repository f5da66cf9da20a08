"""More of `itertools`, where only a run knows how many items there are: pairs, products, choices, groups.

    for a, b in itertools.combinations(kept, 2):
        total += a * b

Each is a generator expression over places, or a generator function, which a loop turns inside out.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph import operators
from autograph.operators import and_, call
from autograph.staging import Clause
from runtime.collection_calls.container_calls import called, has_unknown, is_vector
from runtime.collection_calls.streams import is_lazy
from runtime.collection_calls.watching import read
from runtime.control_flow.choices import truth
from runtime.iterables.comprehensions import folded, reduced
from runtime.iterables.generator_expressions import generator_expression
from runtime.iterables.generators import TracedGenerator
from runtime.iteration.indexed import Indexed, as_int
from runtime.iteration.iterators import traced
from runtime.staged.list_arrays import is_list
from runtime.tracer.builder import Staged, type_of_staged
from runtime.tracer.call_handlers import handles, handles_each
from runtime.tracer.spec import is_instance
from runtime.tracer.trace import Trace
from runtime.types import ArrayType, NumberType


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
