"""What lists hold whose items the trace knows: Python's own methods, done on the known items.

    items = [a, b]       list.new                items are known: a, b
    items.append(c)      list.append             a, b, c
    items.pop(0)         list.pop, which is a    b, c

The operation is done by each run; that its result, and what the list holds then, is known here, spares the
loads. What a method compares, and a place that only a run knows, leaves the items unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.graph import Value
from runtime.heap.shadow import UNKNOWN, ShadowHeap
from runtime.ops.containers import CHANGERS, MAKERS
from runtime.tracer.builder import Staged
from runtime.types import ContainerType

#: the methods that neither compare nor hash, and which of their arguments are places, lengths or lists
_INDICES: dict[str, tuple[int, ...]] = {
    "list.append": (), "list.insert": (1,), "list.pop": (1,), "list.clear": (), "list.reverse": (),
    "list.extend": (), "list.setitem": (1,), "list.delitem": (1,), "list.setslice": (1,), "list.imul": (1,),
    "list.concat": (), "list.repeat": (1,), "list.slice": (1,), "list.of": (), "list.copy": (),
}  # fmt: skip
_OF_LISTS = frozenset({"list.extend", "list.setslice", "list.concat", "list.of"})
#: a list of more items is not known item by item
MAX_LENGTH = 64


class Effect:
    """What an operation on known items does, found before it is appended."""

    def __init__(self, heap: ShadowHeap, operation: str, args: tuple[Any, ...]) -> None:
        """Raises LookupError, ValueError or TypeError where Python's own method does."""
        self.heap = heap
        #: of a changed list, or of the list that is made: what it holds then; None: unknown
        self.items: list[Any] | None = None
        #: of a method that takes an item out
        self.taken: Any = UNKNOWN
        places = _INDICES.get(operation)
        if places is None or not all(map(_is_place, [args[k] for k in places if k < len(args)])):
            return
        known = [self._plain(operation, k, arg) for k, arg in enumerate(args)]
        if any(arg is UNKNOWN for arg in known):
            return
        function: Callable[..., Any] = CHANGERS.get(operation) or MAKERS[operation]
        if operation in CHANGERS:
            taken = function(*known)
            self.items = known[0]
            self.taken = taken if operation == "list.pop" else UNKNOWN
        else:
            self.items = function(*known)
        if len(self.items) > MAX_LENGTH:
            self.items = None

    def _plain(self, operation: str, position: int, arg: Any) -> Any:
        """An argument for Python's own method; UNKNOWN where it is not known well enough."""
        if isinstance(arg, Staged) and isinstance(arg.type, ContainerType):
            if position and operation not in _OF_LISTS:
                return arg  # an item
            items = self.heap.items(arg.value) if arg.type.name == "list" else None
            return UNKNOWN if items is None else items
        if position == 0 or (operation in _OF_LISTS and position not in _INDICES[operation]):
            return list(arg) if type(arg) in (list, tuple) else UNKNOWN
        return arg


def known_items(heap: ShadowHeap, items: Any) -> list[Any] | None:
    """What a list of the run holds, where the trace knows all of it."""
    if not isinstance(items, Staged) or not isinstance(items.type, ContainerType) or items.type.name != "list":
        return None
    found = heap.items(items.value)
    return None if found is None or any(one is UNKNOWN for one in found) else found


def learn_items(
    heap: ShadowHeap, items: Value, values: list[Any] | None, can_be_fact: Callable[[Any], bool]
) -> None:
    """A list holds these values from here on."""
    if values is not None and isinstance(items.type, ContainerType) and items.type.name == "list":
        heap.learn_items(items, [value if can_be_fact(value) else UNKNOWN for value in values])


def _is_place(value: Any) -> bool:
    """Is it an index, a number of times or a slice that the trace knows?"""
    if isinstance(value, slice):
        return all(part is None or _is_place(part) for part in (value.start, value.stop, value.step))
    return type(value) in (int, bool)
