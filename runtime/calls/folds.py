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

from collections.abc import Callable
from typing import Any

from autograph.operators import call, for_stmt
from runtime.calls.container_calls import called, has_unknown
from runtime.control_flow.indexed import Indexed
from runtime.control_flow.iterators import TracedIterator
from runtime.iterables.comprehensions import CONSUMERS, kind_of_number, sum_of
from runtime.numpy_calls import staged_calls
from runtime.objects.acting import acts_unseen
from runtime.objects.compared_by_runs import orders_itself
from runtime.objects.comparing import VIEWS
from runtime.ops.containers import SUM_IS_PLAIN
from runtime.ops.promotion import dummy, result_type
from runtime.specs.spec import Leaf, Spec, kinds_of
from runtime.staged.containers import StagedContainer, keys_of, new_list, without_choices
from runtime.staged.list_arrays import as_list, is_list
from runtime.staged.numbers import StagedNumber, kind_of
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import handles, handles_each
from runtime.tracer.elements import element_of, join_elements
from runtime.tracer.spec import Choice, is_instance
from runtime.tracer.trace import Trace
from runtime.types import ArrayType, NumberType, ScalarType

_NOT_GIVEN = object()
_PASSING: tuple[Any, ...] = (dict, *VIEWS, TracedIterator)
#: their items are known while tracing
_KNOWN = (list, tuple, range, str, bytes, set, frozenset)


@handles(sum)
def stage_sum(trace: Trace, iterable: Any, /, start: Any = 0) -> Any:
    if isinstance(start, str):
        return sum((), start)  # which raises
    is_array = isinstance(iterable, Staged) and isinstance(iterable.type, ArrayType) and iterable.type.ndim
    of_complex = isinstance(start, complex | StagedNumber) and kind_of(start) == "complex"
    if isinstance(iterable, Indexed) or (is_array and of_complex):  # float64 + complex is complex
        return sum_of(iterable, start)
    if isinstance(iterable, list | tuple):
        has_floats = any(isinstance(item, Choice) or kind_of_number(item) == "float" for item in iterable)
        keeps_losses = not SUM_IS_PLAIN and has_floats and has_unknown((*iterable, start))
        if keeps_losses or any(
            is_instance(one) or trace.outside.is_foreign(one) for one in (start, *iterable)
        ):
            return sum_of(iterable, start)
    if not is_list(iterable):
        return _as_before(sum, (iterable, start), {})
    items = as_list(trace, iterable)

    def total(start: Any) -> Any:
        of_lists = isinstance(start, list | tuple | StagedContainer)
        kinds = None if of_lists else kinds_of_sum(items.element, start)
        if kinds is None:
            return sum_of(items, start)
        return trace.containers.perform("list.sum", (items, start), kinds)

    return without_choices((start,), total)


def kinds_of_sum(element: Spec | None, start: Any) -> Spec | None:
    """The kinds of a sum of numbers: what Python's ``+`` gives, from the left; None where it is no number."""
    kinds = element_of(start)
    parts = kinds_of(element)
    if not all(_is_number(part) for part in (*parts, kinds)):
        return None
    while True:
        joined: Spec | None = kinds
        for left in kinds_of(kinds):
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


@handles_each(min, max)
def stage_extreme(function: Any, trace: Trace, *args: Any, key: Any = None, default: Any = _NOT_GIVEN) -> Any:
    defaults = {} if default is _NOT_GIVEN else {"default": default}
    items = args[0] if len(args) == 1 else args
    if len(args) == 1 and isinstance(items, _PASSING):
        items = list(items)
    if key is None and not defaults and is_list(items):
        items = as_list(trace, items)
        return trace.containers.perform(f"list.{function.__name__}", (items,), items.element)
    one_by_one = key is not None or isinstance(items, Indexed) or _no_numbers(items) or _is_ordered(items)
    if one_by_one or (defaults and has_unknown((items, default))):
        if not args or (len(args) > 1 and defaults):
            return function(*args, key=key, **defaults)  # which raises
        return CONSUMERS[function](items, key=called(key), **defaults)
    return _as_before(function, (items,) if len(args) == 1 else args, defaults)


def _keys_of(trace: Trace, items: list[Any], key: Callable[[Any], Any]) -> Any:
    """A plain list of the keys where the trace knows all of them, else one of the run.

    From the first key on that only a run knows, those of many more items are a loop of the graph.
    """
    keys: list[Any] = []
    for count, item in enumerate(items, 1):
        keys.append(call(key, item))
        if len(items) - count > trace.decisions.unroll_limit and _is_compared_by_run(keys[-1:]):
            found = as_list(trace, keys, "keys")
            for_stmt(items[count:], None, lambda item: found.append(call(key, item)))
            return found
    return as_list(trace, keys, "keys") if _is_compared_by_run(keys) else keys


def _is_compared_by_run(items: Any) -> bool:
    return has_unknown(items) or _is_ordered(items)


def _is_ordered(items: Any) -> bool:
    """Are there instances among these whose class compares them?"""
    return isinstance(items, list | tuple) and any(map(orders_itself, items))


def _no_numbers(items: Any) -> bool:
    """Are there tuples, lists or strings among these, and is something in them known only at run time?"""
    kinds = (tuple, list, str)
    return isinstance(items, list | tuple) and any(isinstance(v, kinds) for v in items) and has_unknown(items)


@handles(sorted)
def stage_sorted(trace: Trace, iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    if key is not None and acts_unseen(called(key)):
        iterable = call(list, iterable)  # what the key changes is not sorted
    known: Any = iterable if isinstance(iterable, (*_KNOWN, *_PASSING)) else None
    items: Any = as_list(trace, iterable) if known is None else [*known]
    if items is NotImplemented:
        return _as_before(sorted, (iterable,), {"reverse": reverse, "key": key})
    if key is None:
        if isinstance(items, list) and not _is_compared_by_run(items):
            return trace.containers.born(sorted(items, reverse=reverse))
        items = as_list(trace, items)
        return new_list(trace.containers, "list.sorted", (items, reverse), items.element)
    key = called(key)
    keys = _keys_of(trace, items, key) if isinstance(items, list) else keys_of(items, key)
    if isinstance(keys, list):
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
        return trace.containers.born([items[position] for position in order])
    items = as_list(trace, items)
    return new_list(trace.containers, "list.sorted_by", (items, keys, reverse), items.element)


def _as_before(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The staged form that the table has, or the plain call."""
    result = staged_calls.staged_call(function, args, kwargs)
    return function(*args, **kwargs) if result is NotImplemented else result
