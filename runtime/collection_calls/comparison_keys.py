"""``functools.cmp_to_key`` in a trace: a list in the order that a comparison of the user's gives.

    sorted(points, key=functools.cmp_to_key(lambda a, b: a.x * b.y - a.y * b.x))

Python's own sort asks for the truth of each comparison at once. Here each item is inserted where it belongs,
in a loop of the graph: the same order, if the comparison does not contradict itself.
"""

from __future__ import annotations

import functools
from typing import Any

from runtime.tracer.builder import refuse
from runtime.tracer.call_handlers import handles
from runtime.tracer.trace import Trace


class ComparisonKey:
    """What ``cmp_to_key`` gives for a function of two items."""

    def __init__(self, compare: Any) -> None:
        self.compare = compare

    def __call__(self, item: Any) -> Any:
        raise refuse(
            "a key made by `cmp_to_key` is called outside of a sort", "call the function that compares itself"
        )


def check_key(trace: Trace, key: Any, sorts: bool) -> None:
    """Raises StagingError for a key made by ``cmp_to_key`` that this call cannot take."""
    if type(key) is _MADE_OUTSIDE:
        raise trace.refuse(
            "a key that `cmp_to_key` made outside hides the function that compares",
            "call cmp_to_key in the decorated function",
        )
    if isinstance(key, ComparisonKey) and not sorts:
        raise trace.refuse("a key made by `cmp_to_key` is staged in a sort only", "use sorted(...)[0]")


_MADE_OUTSIDE = type(functools.cmp_to_key(lambda a, b: 0))


@handles(functools.cmp_to_key)
def stage_cmp_to_key(trace: Trace, mycmp: Any) -> Any:
    return ComparisonKey(mycmp)


def inserted(items: Any, compare: Any) -> Any:
    """The items in order; converted, and run where the user sorts."""
    order: list[Any] = []
    for item in items:
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            if compare(item, order[middle]) < 0:
                high = middle
            else:
                low = middle + 1
        order.insert(low, item)
    return order


def sorted_by_comparison(trace: Trace, items: Any, key: ComparisonKey, reverse: Any) -> Any:
    """``sorted(items, key=key, reverse=reverse)``."""
    if type(reverse) is not bool:
        raise trace.refuse(
            "whether a sort is reversed is known only at run time", "write two calls and an `if`"
        )
    trace.containers.methods.check_comparison(key.compare, items)
    sort = trace.environment.enter(inserted, None)
    if not reverse:
        return sort(items, key.compare)
    order = sort(items[::-1], key.compare)  # equal items keep their order
    return order[::-1]


__all__ = ["ComparisonKey", "check_key", "sorted_by_comparison"]
