"""Attributes of objects, and items of lists, as if they were variables: where paths meet, and around a loop.

The stores stand in the blocks. That a load need not ask the object, each path hands on what it knows the
attribute (or the item) to hold, and a loop carries what its body reads and stores. What nobody asks for
goes again. Of static places no load finds what they hold: each is handed on that a path or a body stores to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.staging import State
from runtime.control_flow.joined_contents import is_simple
from runtime.graph import Block, Value
from runtime.heap.places import StaticPlace
from runtime.heap.shadow import Change, Moment, ShadowHeap
from runtime.specs.spec import Leaf, Spec, generalise
from runtime.tracer.elements import holds_opaque
from runtime.tracer.spec import spec_of
from runtime.types import ArrayType, InstanceType, NumberType, ScalarType

#: an attribute can be a variable where it holds things of one of these types on all paths
_KINDS = (NumberType, ScalarType, ArrayType, InstanceType)


def fields_left(heap: ShadowHeap, before: Moment, count: int, ends: Sequence[Block]) -> list[Change]:
    """Attributes of which all paths that go on know what they hold, and which one value can stand for, or
    of which no load finds out.

    The arguments are those of `ShadowHeap.on_paths`.
    """
    found = heap.on_paths(before, count, ends) if ends else ()
    if ends:
        heap.keep_unchanged(before, ends)
        heap.join_names_and_lengths(before, count, ends)
    return [
        change
        for change in found
        if isinstance(change.place, StaticPlace)
        or _kind_of(change.values) is not None
        or _are_numbers(change)
        or (len(ends) > 1 and any(map(holds_opaque, change.values)))
    ]


def fields_carried(
    heap: ShadowHeap, head: Moment, body: Block, spec: Callable[[type, str], Spec | None], is_small: bool
) -> list[Change]:
    """Attributes of objects from before a loop that its body reads and stores to.

    What one holds at the head and at the end is known, or a load finds it that surely succeeds: ``spec`` says
    what all instances of a class hold. Where the body is not small, these are items, and what no load finds.
    """
    found = []
    for change in heap.changed_in(body, head) if body.ends != "never" else ():
        loaded: list[Spec | None] = []
        if len(change.values) < 2:
            kind = change.place.type if isinstance(change.place, Value) else None
            loaded = [spec(kind.cls, change.name) if isinstance(kind, InstanceType) else None]
        is_item = not isinstance(change.place, Value) and all(map(is_simple, change.values))
        is_number = is_small and _kind_of(change.values, loaded) is not None
        is_static = isinstance(change.place, StaticPlace)
        if is_static or is_item or is_number or any(map(holds_opaque, change.values)):
            found.append(change)
    return found


def learn_fields(heap: ShadowHeap, fields: Sequence[Change], values: Sequence[Any]) -> None:
    """From here on the attributes are known to hold these values."""
    for field, value in zip(fields, values, strict=True):
        if isinstance(field.place, StaticPlace):
            heap.hold(field.place, value)
        else:
            heap.learn_place(field.field, field.place, value)


def with_fields(
    heap: ShadowHeap, state: State, fields: Sequence[Change], held: Callable[[Change], Any]
) -> State:
    """The variables of a loop, and these attributes beside them; ``held`` reads one that is not known."""
    count = len(state.names)

    def get() -> tuple[Any, ...]:
        return (*state.get(), *map(held, fields))

    def set_all(values: tuple[Any, ...]) -> None:
        state.set(values[:count])
        learn_fields(heap, fields, values[count:])

    return State((*state.names, *(field.name for field in fields)), get, set_all)


def _are_numbers(change: Change) -> bool:
    """An item of a list that is a number on each path, of one type or another: NumPy is to know all items."""
    if not isinstance(change.place, tuple):
        return False
    kinds = [generalise(spec_of(value)) for value in change.values]
    return all(isinstance(kind, Leaf) and isinstance(kind.type, NumberType | ScalarType) for kind in kinds)


def _kind_of(values: list[Any], others: Sequence[Spec | None] = ()) -> Spec | None:
    """That of numbers of one type, of arrays of one, or of objects of one class; else None."""
    kinds = {*others, *(generalise(spec_of(value)) for value in values)}
    kind = kinds.pop()
    return kind if not kinds and isinstance(kind, Leaf) and isinstance(kind.type, _KINDS) else None
