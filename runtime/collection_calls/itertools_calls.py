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
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.operators import and_, call
from autograph.staging import Clause
from runtime.collection_calls.container_calls import called, has_unknown, is_open_array, is_vector
from runtime.collection_calls.folds import kinds_of_sum
from runtime.collection_calls.streams import is_lazy
from runtime.collection_calls.watching import read
from runtime.control_flow.choices import truth
from runtime.iterables.comprehensions import folded, reduced
from runtime.iterables.generator_expressions import generator_expression
from runtime.iterables.generators import TracedGenerator, made_of
from runtime.iteration.indexed import Indexed, as_int
from runtime.iteration.iterators import traced
from runtime.objects.acting import acts_unseen
from runtime.specs.spec import Leaf
from runtime.staged.list_arrays import as_list, is_list
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import handles
from runtime.tracer.spec import is_instance
from runtime.tracer.trace import Trace
from runtime.types import FLOAT, ArrayType, NumberType


def groupby(items: Any, key: Any) -> Iterator[Any]:
    """Of a list; a group stays valid when the next one begins."""
    begin = 0
    if len(items) > 0:
        current = items[0] if key is None else key(items[0])
        while begin < len(items):
            end = begin + 1
            other = current
            while end < len(items):
                other = items[end] if key is None else key(items[end])
                if not (current == other):
                    break
                end = end + 1
            group = items[begin:end]
            yield current, (item for item in group)
            current = other
            begin = end


def can_be_listed(items: Any) -> bool:
    return not isinstance(items, TracedGenerator) and (
        isinstance(items, list | tuple | str | range) or is_by_place(items) or is_vector(items)
    )


def _clause(trace: Trace, element: Callable[[Any], Any], items: Any, keep: Any = None) -> TracedGenerator:
    return generator_expression(trace, Clause(element, items, keep))


@handles(itertools.chain.from_iterable)
def chain_from_iterable(trace: Trace, iterables: Any) -> Any:
    known = isinstance(iterables, list | tuple)
    if not is_lazy(iterables) and not (known and any(is_lazy(i) or is_instance(i) for i in iterables)):
        return NotImplemented
    return _clause(trace, lambda items: Clause(lambda item: item, items), iterables)


@handles(itertools.groupby)
def stage_groupby(trace: Trace, iterable: Any, key: Any = None) -> Any:
    lazy = is_vector(iterable) or is_lazy(iterable)
    if not lazy and not (can_be_listed(iterable) and has_unknown(iterable)):
        return NotImplemented
    if isinstance(iterable, TracedGenerator):
        return NotImplemented
    if key is not None and acts_unseen(called(key)):
        raise trace.refuse(
            "the key of a `groupby` changes something, and is called as the items are asked for",
            "group in a loop of your own, or leave the effect out",
        )
    if is_list(iterable):
        iterable = call(list, iterable)
    elif isinstance(iterable, Staged | Indexed):
        iterable = as_list(trace, iterable)
    return made_of(trace, groupby, iterable, key)


# -- pairs, products and choices of items -----------------------------------------------------------------

#: so many numbers of an array are taken out before a loop over pairs of them, as Python does
FEW = 8


def is_by_place(items: Any) -> bool:
    """Are these items that a staged loop reads at a place: of a range, of an array, of a list of the run?"""
    if isinstance(items, range | Indexed) or is_lazy(items):
        return True
    if not isinstance(items, Staged) or not isinstance(items.type, ArrayType) or not items.type.ndim:
        return False
    return not (is_vector(items) and items.shape[0] <= FEW)  # type: ignore[attr-defined]


def _pool(trace: Trace, items: Any) -> Any:
    """The items as they are now, to be read by their places."""
    if is_vector(items):
        return items.copy() if is_open_array(items) or items.shape[0] > FEW else tuple(items)
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
            return tuple([read(trace, pool, place) for pool, place in zip(pools, places, strict=True)])
        test = None if keep is None else lambda place: keep(places, place)
        return Clause(lambda place: clause((*places, place)), ranges(places), test)

    made = _clause(trace, lambda place: clause((place,)), ranges(()))
    made.is_made_by(function)
    return made


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


def _choosing(function: Any, ranges: Callable[[Any, tuple[Any, ...]], Any], keep: Any = None) -> None:
    @handles(function)
    def choose(trace: Trace, iterable: Any, r: Any = None) -> Any:
        if isinstance(r, Staged) and isinstance(r.type, NumberType):
            known = operator.index(r)  # type: ignore[arg-type]  # the trace begins again with it
            return call(function, iterable, known)
        if not is_by_place(iterable) or not can_be_listed(iterable) or type(r) is not int or r < 1:
            return NotImplemented
        pool = _pool(trace, iterable)
        if isinstance(pool, tuple):
            return traced(trace, function(pool, r))
        length = call(len, pool)
        return _nested(trace, function, [pool] * r, lambda places: ranges(length, places), keep)


_choosing(itertools.combinations, lambda n, places: call(range, places[-1] + 1 if places else 0, n))
_choosing(
    itertools.combinations_with_replacement, lambda n, places: call(range, places[-1] if places else 0, n)
)


def _is_new(places: tuple[Any, ...], place: Any) -> Any:
    return and_(True, *[lambda other=other: truth(place != other) for other in places])


_choosing(itertools.permutations, lambda n, places: call(range, n), _is_new)


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


@handles(functools.reduce)
def stage_reduce(trace: Trace, function: Any, items: Any, *initial: Any) -> Any:
    if not is_lazy(items) and not isinstance(items, Indexed):
        return NotImplemented
    if not initial:
        return reduced(items, called(function))
    return folded(items, initial[0], functools.partial(call, called(function)))


@handles(math.prod)
def stage_prod(trace: Trace, items: Any, /, *, start: Any = 1) -> Any:
    if not is_lazy(items):
        return NotImplemented
    known = call(list, items)
    kinds = kinds_of_sum(known.element, start) if is_list(known) else None
    if kinds is None:
        return folded(known, start, operator.mul)
    return trace.containers.perform("list.prod", (known, start), kinds)


@handles(math.fsum)
def stage_fsum(trace: Trace, items: Any, /) -> Any:
    lazy = is_lazy(items)
    if not lazy and not isinstance(items, Staged) and not has_unknown(items):
        return NotImplemented
    given = NotImplemented if lazy else as_list(trace, items)
    if given is NotImplemented:
        given = call(list, items)  # which says what cannot be iterated over
    return trace.containers.perform("list.fsum", (given,), Leaf(FLOAT))


def _first_ones(function: Any, reverse: bool) -> None:
    @handles(function)
    def take(trace: Trace, n: Any, iterable: Any, key: Any = None) -> Any:
        if key is None and not (is_lazy(iterable) or has_unknown(iterable) or isinstance(n, Staged)):
            return NotImplemented
        if key is not None and type(n) is int and n <= 0:
            call(iter, iterable)
            return []
        best = call(sorted, iterable, key=None if key is None else called(key), reverse=reverse)
        return read(trace, best, slice(0, n)) if not isinstance(n, int) or n > 0 else best[:0]


_first_ones(heapq.nlargest, True)
_first_ones(heapq.nsmallest, False)
