"""Comparisons of tuples, lists and dicts that hold staged values: item by item, as Python compares them.

Python itself would ask for the truth of an item.

    (x, 1) < (y, 2)           x < y, where x and y differ; else 1 < 2
    [a, b] == [c, d]          truth(a == c) and truth(b == d)
    (x, 1) in [(2, 1), p]     truth of each == in turn

An item that is the same object on both sides is equal to itself, NaN included.
"""

from __future__ import annotations

import dataclasses
import operator
import sys
from collections.abc import Callable
from typing import Any

from autograph.operators import and_
from autograph.operators.containers import MARKED
from autograph.plain_items import plain_items
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import dispatch, truth
from runtime.objects.compared_by_runs import compares_itself
from runtime.staged import containers
from runtime.tracer.builder import Staged
from runtime.tracer.generated import is_generated
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice, is_run_time
from runtime.tracer.trace import Trace
from runtime.types import ArrayType, ContainerType

Comparison = Callable[[Any, Any], Any]
ORDER: tuple[Comparison, ...] = (operator.lt, operator.le, operator.gt, operator.ge)
COMPARISONS: tuple[Comparison, ...] = (operator.eq, operator.ne, *ORDER)
_LONG = 16  # more items are compared by one operation
#: what `keys`, `values` and `items` of a plain dict give
VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def holds_unknown(value: Any) -> bool:
    """Is the value, or something in a tuple, list or dict or its views, known only at run time?

    So is what an object whose class has comparisons of the user's is equal to: CPython may not ask it.
    """
    if is_run_time(value) or compares_itself(value):
        return True
    if isinstance(value, VIEWS):
        return any(map(holds_unknown, value))
    return isinstance(value, tuple | list | dict) and any(map(holds_unknown, plain_items(value)))


def compare(trace: Trace, function: Comparison, a: Any, b: Any) -> Any:
    """``function(a, b)``, a comparison of any two values."""
    result = structural(trace, function, a, b)
    return MARKED[function](a, b) if result is NotImplemented else result


def structural(trace: Trace, function: Comparison, a: Any, b: Any) -> Any:
    """A comparison of two tuples, lists or dicts with staged items; else NotImplemented."""
    if isinstance(a, Choice):
        return dispatch(a, lambda one: compare(trace, function, one, b))
    if isinstance(b, Choice):
        return dispatch(b, lambda one: compare(trace, function, a, one))
    plain = short_plain(a), short_plain(b)
    if not any(isinstance(one, containers.StagedContainer) for one in plain):
        a, b = plain
    kind = _kind(a, b)
    if kind is None or not (holds_unknown(a) or holds_unknown(b)):
        return NotImplemented
    if function is operator.eq:
        return _equal(trace, a, b)
    if function is operator.ne:
        return branch(_equal(trace, a, b), lambda: False, lambda: True)
    if kind is dict:
        return NotImplemented  # a TypeError
    if min(len(a), len(b)) > _LONG:
        raise trace.refuse(f"tuples of more than {_LONG} items are put in order", "compare arrays, or lists")
    return _ordered(trace, function, a, b, 0)


def short_plain(items: Any) -> Any:
    """A list or dict of the run whose items the trace knows, as a plain one: a short one, or of constants."""
    plain = as_plain(items)
    is_short = plain is not items and (len(plain) <= _LONG or not holds_unknown(plain))
    return plain if is_short else items


def _kind(a: Any, b: Any) -> type | None:
    for kind in (tuple, list, dict):
        if isinstance(a, kind) and isinstance(b, kind):
            plain = all(getattr(type(x), "__eq__", None) is kind.__eq__ for x in (a, b))
            return kind if plain else None
    return None


def same(trace: Trace, x: Any, y: Any) -> Any:
    """Do two items count as equal: a bool, or a staged one."""
    return x is y or truth(compare(trace, operator.eq, x, y))


def require_hashable(value: Any) -> None:
    """What `in` a dict or set asks of its item. Raises TypeError as Python does."""
    for part in value if isinstance(value, tuple) else ():
        require_hashable(part)
    has_none = isinstance(value, Staged) and isinstance(value.type, ArrayType | ContainerType)
    if has_none or not (isinstance(value, tuple) or is_run_time(value)):
        hash(value)


def _equal(trace: Trace, a: Any, b: Any) -> Any:
    if len(a) != len(b):
        return False
    if isinstance(a, dict):
        if any(key not in b for key in a):
            return False
        pairs = [(a[key], b[key]) for key in a]
    else:
        pairs = list(zip(a, b, strict=True))
    return and_(True, *[lambda x=x, y=y: same(trace, x, y) for x, y in pairs])


def _ordered(trace: Trace, function: Comparison, a: Any, b: Any, place: int) -> Any:
    """The first items that differ decide; else the lengths do."""
    while place < min(len(a), len(b)):
        x, y = a[place], b[place]
        place += 1
        equal = same(trace, x, y)
        if isinstance(equal, Staged):
            here: Callable[[], Any] = lambda: compare(trace, function, x, y)
            return branch(equal, lambda: _ordered(trace, function, a, b, place), here)
        if not equal:
            return compare(trace, function, x, y)
    return function(len(a), len(b))


# -- dataclasses -----------------------------------------------------------------------------------------

_OPERATORS: dict[str, Comparison] = {f"__{function.__name__}__": function for function in COMPARISONS}


def is_dataclass_comparison(function: Any, args: tuple[Any, ...]) -> bool:
    """Is this a comparison that `dataclass` wrote?"""
    is_comparison = is_generated(function) and function.__name__ in _OPERATORS
    return is_comparison and len(args) == 2 and dataclasses.is_dataclass(args[0])


def compare_fields(trace: Trace, function: Any, a: Any, b: Any) -> Any:
    """As tuples of the fields compare; since Python 3.13 ``==`` is ``and`` of the comparisons."""
    comparison = _OPERATORS[function.__name__]
    if a is b and comparison is operator.eq:
        return True
    if type(a) is not type(b):
        return NotImplemented
    names = [field.name for field in dataclasses.fields(a) if field.compare]
    one, other = (tuple([getattr(trace.seen(value), name) for name in names]) for value in (a, b))
    if comparison is operator.eq and sys.version_info >= (3, 13):
        tests = [lambda x=x, y=y: compare(trace, comparison, x, y) for x, y in zip(one, other, strict=True)]
        return and_(True, *tests)
    return compare(trace, comparison, one, other)
