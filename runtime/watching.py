"""What converted code asks about containers: where one is made, what is read from one, `+`, `*` and `==`.

Asked in code converted with `watch_containers` only; see runtime/containers.py.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from runtime.builder import Staged
from runtime.choices import dispatch
from runtime.containers import KINDS
from runtime.elements import element_of, join_elements
from runtime.spec import Choice
from runtime.staged.containers import StagedContainer, StagedList, without_choices
from runtime.trace import Trace

_INDEXED = (list, tuple, str, dict, range)


def get_item(trace: Trace, container: Any, key: Any) -> Any:
    """``container[key]``, or NotImplemented where plain Python reads it."""
    if isinstance(container, Choice):
        return dispatch(container, lambda c: read(trace, c, key))
    if isinstance(key, Choice):
        return dispatch(key, lambda k: read(trace, container, k))
    if isinstance(container, StagedContainer):
        return NotImplemented
    if isinstance(key, slice) and type(container) in KINDS:
        if any(isinstance(part, Staged | Choice) for part in (key.start, key.stop, key.step)):
            trace.containers.require(container)
        return trace.containers.born(container[key])
    if isinstance(key, Staged) and isinstance(container, _INDEXED):
        return item_at(trace, container, key)
    return NotImplemented


def read(trace: Trace, container: Any, key: Any) -> Any:
    result = get_item(trace, container, key)
    return container[key] if result is NotImplemented else result


def item_at(trace: Trace, container: Any, key: Any) -> Any:
    """An item of a container whose items are known while tracing, at a place that a run knows."""
    element = None
    for item in container.values() if isinstance(container, dict) else container:
        if type(item) in KINDS:
            trace.containers.require(item)
        element = join_elements(element, element_of(item))
    name = "dict.getitem" if isinstance(container, dict) else "list.getitem"
    if isinstance(container, range):
        container = tuple(container)
    return without_choices((container, key), lambda c, k: trace.containers.perform(name, (c, k), element))


def apply(trace: Trace, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """``a + b``, ``a * b``, ``a == b``, ... where one is a container; else NotImplemented."""
    if not isinstance(a, (*KINDS, tuple)) and not isinstance(b, KINDS):
        return NotImplemented
    if function in (operator.iadd, operator.imul) and type(a) in KINDS:
        return change_in_place(trace, function, a, b)
    if function in (operator.mul, operator.imul):
        for sequence, times in ((a, b), (b, a)):
            if type(sequence) is list and isinstance(times, Staged):
                trace.containers.require(sequence)
    if function in (operator.add, operator.mul) and type(a) is list:
        return trace.containers.born(function(a, b))
    return NotImplemented


def change_in_place(trace: Trace, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """``a += b`` and ``a *= b`` of a list that the trace knows item by item."""
    if isinstance(b, Staged):
        trace.containers.require(a)
        return NotImplemented
    trace.write_contents(a, f"this {type(a).__name__}", lambda: function(a, b))
    return a


def contains(trace: Trace, item: Any, container: Any) -> Any:
    if isinstance(container, StagedList):
        return container.contains(item)
    return NotImplemented
