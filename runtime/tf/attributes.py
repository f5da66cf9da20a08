"""Attributes of objects and items of dicts that a block of traced code changes: they are its variables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from autograph.operators import Undefined
from autograph.stages.heap import Heap
from autograph.stages.slots import Contents, Slot
from autograph.staging import State
from runtime.tf.tensors import Tensor


def _is_opaque(value: Any) -> bool:
    """What is ours looks after itself, and nobody changes an array of a program's in a graph."""
    module = type(value).__module__
    return module.startswith("runtime.") or module == "numpy"


def heap_of(state: State, blocks: Iterable[Callable[..., Any]]) -> Heap:
    """What the blocks of a statement can reach, as it is now."""
    return Heap.of_statement(state, blocks, _is_opaque)


def containers_in(value: Any) -> Iterator[int]:
    """The identities of the lists, tuples and dicts of which a value is made."""
    if isinstance(value, list | tuple | dict):
        yield id(value)
        for part in value.values() if isinstance(value, dict) else value:
            yield from containers_in(part)


def taken_back(
    heap: Heap, without: Iterable[Slot] = (), carried: Collection[int] = ()
) -> dict[Any, tuple[Slot, Any]]:
    """Attributes and items of dicts that hold other tensors or numbers now, by the place; they hold again
    what they held. All else that has changed stays so: it is Python's, and happens while tracing.

    carried: the containers of which the values of variables are made, whose items are carried with them.
    """
    found: dict[Any, tuple[Slot, Any]] = {}
    known = {slot.identity for slot in without}
    for slot in heap.changes():
        now, before = slot.read(), heap.before(slot)
        if (
            slot.identity in known
            or id(slot.owner) in carried
            or slot.key == "cell"
            or (isinstance(slot.owner, dict) and slot.key != "contents")
        ):
            continue
        if isinstance(now, Contents):
            if not isinstance(slot.owner, dict) or now.keys != before.keys:
                continue
        elif not _is_number(now) or not (
            _is_number(before) or before is None or isinstance(before, Undefined)
        ):
            continue
        found[slot.identity] = slot, now
        slot.write(before)
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, Tensor | bool | int | float | complex)


def read(slot: Slot) -> Any:
    """What a place holds; of a dict, its items in order."""
    held = slot.read()
    return held.values if isinstance(held, Contents) else held


def plain(value: Any) -> Any:
    return value.values if isinstance(value, Contents) else value


def write(slot: Slot, value: Any) -> None:
    held = slot.read()
    slot.write(Contents(held.keys, tuple(value)) if isinstance(held, Contents) else value)


def extended(state: State, slots: list[Slot]) -> State:
    """The state with these places among its variables."""
    count = len(state.names)

    def get() -> tuple[Any, ...]:
        return (*state.get(), *map(read, slots))

    def set(values: tuple[Any, ...]) -> None:
        state.set(values[:count])
        for slot, value in zip(slots, values[count:], strict=True):
            write(slot, value)

    return State((*state.names, *[slot.name for slot in slots]), get, set)
