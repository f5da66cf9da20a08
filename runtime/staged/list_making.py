"""A list that a run makes, of anything that gives items."""

from __future__ import annotations

from typing import Any

from autograph.operators import for_stmt
from runtime.iteration.indexed import Indexed
from runtime.staged.containers import items_of, new_list
from runtime.staged.list_arrays import is_list
from runtime.staged.mappings import View
from runtime.staged.objects import StagedObject
from runtime.tracer.builder import Staged, emit
from runtime.tracer.trace import Trace
from runtime.types import STR, ArrayType


def as_list(trace: Trace, items: Any, role: str = "items") -> Any:
    """The items as a list that a run knows; NotImplemented for what is none of ours. (See `new_list`.)"""
    if is_list(items):
        return items.items_now() if items.type.is_mapping or items.type.name == "set" else items
    if isinstance(items, Staged) and isinstance(items.type, ArrayType) and items.type.ndim:
        return new_list(
            trace.containers, "list.of", (items,), items_of(trace.containers, items)[1], role=role
        )
    if isinstance(items, Staged) and items.type == STR:
        return items.letters()  # type: ignore[attr-defined]
    if isinstance(items, View) and items.was_just_made():
        return new_list(trace.containers, "list.of", (items.items,), items.items.element, role=role)
    if isinstance(items, Indexed):
        made = new_list(trace.containers, "list.new", ([],), None, role=role)
        for_stmt(items, None, lambda item: made.append(item))
        return made
    if isinstance(items, list | tuple):
        return trace.containers.make(list(items), (trace.containers.here(), "list", role))
    return NotImplemented


def join(trace: Trace, separator: Any, items: Any) -> Any:
    """``separator.join(items)``."""
    if type(items) is StagedObject:
        raise items.unknown("joining the items of")
    return emit("list.join", [separator, as_list(trace, items)])
