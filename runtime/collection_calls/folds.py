"""What becomes one value, or a list in order, of the items of a container: sum, min, max, sorted, any, all.

>>> import numpy as np
>>> import runtime as rt
>>> @rt.function
... def pivot(column):
...     return max(range(len(column)), key=lambda i: abs(column[i]))
>>> pivot(np.array([1.0, -3.0, 2.0]))
1
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph import operators
from autograph.operators import call, for_stmt
from runtime.collection_calls.container_calls import called, has_unknown
from runtime.containers.special_methods import orders_itself
from runtime.iterables.comprehensions import folded
from runtime.iterables.float_sums import added, finished, kind
from runtime.iteration.indexed import Indexed, over_array
from runtime.iteration.iterators import TracedIterator
from runtime.numpy_calls import staged_calls
from runtime.ops.containers import SUM_IS_PLAIN
from runtime.ops.promotion import dummy, result_type
from runtime.specs.spec import Leaf, Spec, Variant
from runtime.staged.containers import StagedContainer, keys_of, new_list, without_choices
from runtime.staged.list_arrays import as_list, is_list
from runtime.staged.numbers import StagedNumber, kind_of
from runtime.staged.strings import StagedString
from runtime.tracer.builder import Staged, emit
from runtime.tracer.call_handlers import handler_there, handles
from runtime.tracer.elements import element_of, join_elements
from runtime.tracer.spec import Choice, is_instance
from runtime.tracer.trace import Trace
from runtime.types import STR, ArrayType, NumberType, ScalarType

_NOT_GIVEN = object()
_PASSING: tuple[Any, ...] = (dict, type({}.keys()), type({}.values()), type({}.items()), TracedIterator)
#: their items are known while tracing
_KNOWN = (list, tuple, range, str, bytes, set, frozenset)


@handles(sum)
def stage_sum(trace: Trace, iterable: Any, /, start: Any = 0) -> Any:
    if isinstance(start, str) or (isinstance(start, Staged) and start.type == STR):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    if isinstance(iterable, list | tuple) and any(map(is_instance, (start, *iterable))):
        return functools.reduce(operators.plus, iterable, start)
    if not SUM_IS_PLAIN and kind(start) in ("int", "float") and _may_hold_floats(iterable):
        return _compensated_sum(iterable, start)
    if isinstance(iterable, Indexed) and not iterable.over and iterable.static is None:
        return without_choices((start,), lambda start: _sum_one_by_one(iterable, start))
    if isinstance(start, complex | StagedNumber) and kind_of(start) == "complex" and _is_array(iterable):
        return _sum_one_by_one(over_array(iterable), start)  # a float64 and a complex are a complex
    if not is_list(iterable) and not (isinstance(iterable, Indexed) and iterable.over):
        return _as_before(sum, (iterable, start))
    items = as_list(trace, iterable)

    def total(start: Any) -> Any:
        if isinstance(start, list | tuple | StagedContainer):
            return _sum_one_by_one(items, start)
        kinds = kinds_of_sum(items.element, start)
        if kinds is None:
            return _sum_one_by_one(items, start)
        return trace.containers.perform("list.sum", (items, start), kinds)

    return without_choices((start,), total)


def _may_hold_floats(items: Any) -> bool:
    """May there be floats among them that are added up one by one? (Those of NumPy are none of Python's.)"""
    if isinstance(items, list | tuple):
        return any(isinstance(item, Choice) or kind(item) == "float" for item in items)
    return isinstance(items, Indexed) and not items.over


def _is_array(value: Any) -> bool:
    return isinstance(value, Staged) and isinstance(value.type, ArrayType) and value.type.ndim > 0


def kinds_of_sum(element: Spec | None, start: Any) -> Spec | None:
    """The kinds of a sum of numbers: what Python's ``+`` gives, from the left; None where it is no number."""
    kinds = element_of(start)
    parts = element.alternatives if isinstance(element, Variant) else () if element is None else (element,)
    if not all(_is_number(part) for part in (*parts, kinds)):
        return None
    while True:
        joined: Spec | None = kinds
        for left in kinds.alternatives if isinstance(kinds, Variant) else (kinds,):
            for right in parts:
                joined = join_elements(joined, Leaf(result_type(_one(left) + _one(right))))
        if joined == kinds or joined is None:
            return kinds
        kinds = joined


def _is_number(spec: Spec) -> bool:
    return isinstance(spec, Leaf) and isinstance(spec.type, NumberType | ScalarType)


def _one(spec: Spec) -> Any:
    assert isinstance(spec, Leaf)
    return dummy(spec.type)


def _compensated_sum(items: Any, start: Any) -> Any:
    if isinstance(items, list | tuple):
        return finished(functools.reduce(added, items, (start, 0.0)))
    return finished(folded(items, (start, 0.0), added))


def _sum_one_by_one(items: Any, start: Any) -> Any:
    return folded(items, start, operators.plus)


def _extreme(function: Any) -> None:
    name = function.__name__

    @handles(function)
    def extreme(trace: Trace, *args: Any, key: Any = None, default: Any = _NOT_GIVEN) -> Any:
        defaults = {} if default is _NOT_GIVEN else {"default": default}
        if len(args) > 1 and not defaults and (key is not None or _no_numbers(args) or _is_ordered(args)):
            args = (args,)
        if len(args) == 1 and isinstance(args[0], _PASSING):
            args = (list(args[0]),)
        if len(args) == 1 and isinstance(args[0], Indexed) and args[0].over:
            args = (as_list(trace, args[0]),)
        only = args[0] if len(args) == 1 else None
        keyed = None if key is None or len(args) != 1 else _with_keys(trace, only, called(key), _one_by_one)
        if keyed is not None:
            items, keys = keyed
            if not isinstance(keys, list):
                return take(trace, f"list.{name}_by", (items, keys), default)
            if not items:
                return function(items, **defaults)
            return items[function(range(len(items)), key=keys.__getitem__)]
        is_known = isinstance(only, list | tuple | Staged | Indexed)
        by_run = defaults or _no_numbers(only) or _is_ordered(only)
        if key is None and (is_list(only) or is_known and by_run):
            items = as_list(trace, only)
            if items is NotImplemented:
                return function(only)  # which says what cannot be iterated over
            return take(trace, f"list.{name}", (items,), default)
        return _as_before(function, args, defaults if key is None else {"key": key, **defaults})

    def take(trace: Trace, operation: str, given: tuple[Any, ...], default: Any) -> Any:
        def perform(*default: Any) -> Any:
            element = given[0].element
            for value in default:
                element = join_elements(element, element_of(trace.containers.item(value)))
            return trace.containers.perform(operation, (*given, *default), element)

        return perform() if default is _NOT_GIVEN else without_choices((default,), perform)


def _all_at_once(trace: Trace, iterable: Any, key: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Lists of the items and of their keys, in a run; the first key is asked when all items are there."""
    items = as_list(trace, iterable)
    return items, keys_of(items, key)


def _one_by_one(trace: Trace, iterable: Any, key: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The same, where the key of an item may change those that follow."""
    items, keys = [
        new_list(trace.containers, "list.new", ([],), None, role=role) for role in ("items", "keys")
    ]

    def look(item: Any) -> None:
        items.append(item)
        keys.append(call(key, item))

    for_stmt(iterable, None, look)
    return items, keys


def _with_keys(
    trace: Trace,
    iterable: Any,
    key: Callable[[Any], Any],
    of_run: Callable[[Trace, Any, Callable[[Any], Any]], tuple[Any, Any]] = _all_at_once,
) -> tuple[Any, Any] | None:
    """Items and their keys: plain lists where the trace knows all keys, else lists of a run; None: neither.

    A trace that has the items asks for their keys one by one, so a key sees each item as it is. From the
    first key on that only a run knows, those of many more items are a loop of the graph.
    """
    if not isinstance(iterable, _KNOWN):
        is_array = (
            isinstance(iterable, Staged) and isinstance(iterable.type, ArrayType) and iterable.type.ndim
        )
        if is_list(iterable) or is_array or isinstance(iterable, StagedString | Indexed):
            return of_run(trace, iterable, key)
        return None
    items: list[Any] = []
    keys: list[Any] = []
    given = iterable if of_run is _one_by_one else [*iterable]
    for position, item in enumerate(given, 1):
        items.append(item)
        keys.append(call(key, item))
        if len(given) - position > trace.decisions.unroll_limit and _is_compared_by_run(keys[-1:]):
            found = as_list(trace, keys, "keys")
            items = [*given]
            for_stmt(items[position:], None, lambda item: found.append(call(key, item)))
            return as_list(trace, items), found
    if not _is_compared_by_run(keys):
        return items, keys
    return as_list(trace, items), as_list(trace, keys, "keys")


def _is_compared_by_run(items: Any) -> bool:
    return has_unknown(items) or _is_ordered(items)


def _is_ordered(items: Any) -> bool:
    """Are there instances among these whose class compares them?"""
    return isinstance(items, list | tuple) and any(map(orders_itself, items))


def _no_numbers(items: Any) -> bool:
    """Are there tuples, lists or strings among these, and is something in them known only at run time?"""
    kinds = (tuple, list, str)
    return isinstance(items, list | tuple) and any(isinstance(v, kinds) for v in items) and has_unknown(items)


_extreme(min)
_extreme(max)


@handles(sorted)
def stage_sorted(trace: Trace, iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    iterable = list(iterable) if isinstance(iterable, _PASSING) else iterable
    keyed = None if key is None else _with_keys(trace, iterable, called(key))
    if keyed is not None:
        items, keys = keyed
        if isinstance(keys, list):
            order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
            return trace.containers.born([items[position] for position in order])
        return new_list(trace.containers, "list.sorted_by", (items, keys, reverse), items.element)
    if key is None and not _is_compared_by_run(iterable):
        return trace.containers.born(sorted(iterable, reverse=reverse))
    items = as_list(trace, iterable) if key is None else NotImplemented
    if items is NotImplemented:
        keywords = {"reverse": reverse} if key is None else {"reverse": reverse, "key": key}
        return _as_before(sorted, (iterable,), keywords)
    return new_list(trace.containers, "list.sorted", (items, reverse), items.element)


def _truth_of_items(function: Any) -> None:
    before = handler_there(function)

    @handles(function)
    def fold(trace: Trace, iterable: Any, /) -> Any:
        if is_list(iterable):
            return emit(f"list.{function.__name__}", [iterable])
        return before(trace, iterable)


_truth_of_items(any)
_truth_of_items(all)


def _as_before(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """The staged form that the table has, or the plain call."""
    result = staged_calls.staged_call(function, args, kwargs or {})
    return function(*args, **(kwargs or {})) if result is NotImplemented else result
