"""What a block of traced code works on: the values of its variables, structures of tensors, attributes.

Attributes of objects and items of dicts that the block changes are its variables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import optree

from autograph.operators import Undefined
from autograph.stages.heap import Heap, Names, Slot
from autograph.staging import State
from runtime.graph import Value
from runtime.tf.tensors import Tensor, apply, convert
from runtime.tf.traces import Trace, current
from runtime.types import Type

NAMESPACE = "runtime.tf"


def iterator_of(iterable: Any) -> Any:
    """What runs a traced loop over something that only a run can go over, such as a data set; or None."""
    return iterable._traced_loop() if hasattr(iterable, "_traced_loop") else None


class Result:
    """A leaf of what a function returns that is the k-th result of its graph."""

    def __init__(self, place: int) -> None:
        self.place = place


def traced() -> Trace:
    trace = current()
    assert trace is not None
    return trace


def truth(cond: Any) -> Tensor:
    """A test as a boolean scalar."""
    cond = convert(cond)
    if cond.ndim:
        raise ValueError(
            f"The truth value of a tensor of shape {cond.shape} is ambiguous: use tf.reduce_any or"
            f" tf.reduce_all"
        )
    return cond if cond.dtype == np.bool_ else apply("not_equal", cond, convert(0, cond.dtype))


def is_undefined(value: Any) -> bool:
    return isinstance(value, Undefined)


def is_of_program(name: str) -> bool:
    """Is it a variable that the program has, and not one of the conversion?"""
    return not name.startswith(("retval", "do_return", "did_", "ag_"))


def flatten(value: Any) -> tuple[list[Any], Any]:
    return optree.tree_flatten(value, none_is_leaf=True, namespace=NAMESPACE)


def is_tensor_like(value: Any) -> bool:
    """What becomes a tensor where it changes: tensors, numbers and arrays."""
    return isinstance(value, Tensor | bool | int | float | complex | np.ndarray | np.generic) or hasattr(
        value, "_as_tensor"
    )


def like_of(value: Any, like: Tensor | None) -> Tensor | None:
    """The tensor whose element type a Python number takes, where it can hold it."""
    if like is None or isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        return None
    number = np.asarray(value)
    return like if "biufc".index(number.dtype.kind) <= "biufc".index(like.dtype._numpy.kind) else None


def placeholder(trace: Trace, type: Type) -> Value:
    """A value of this type that nobody reads."""
    return trace.append("undef", (), (type,), {"type": type})[0]


def _is_opaque(value: Any) -> bool:
    """What is ours looks after itself, and nobody changes an array of a program's in a graph."""
    module = type(value).__module__
    return module.startswith("runtime.") or module == "numpy"


def heap_of(state: State, blocks: Iterable[Callable[..., Any]]) -> Heap:
    """What the blocks of a statement can reach, as it is now."""
    return Heap(blocks, state, _is_opaque)


def containers_in(value: Any) -> Iterator[int]:
    """The identities of the lists, tuples and dicts of which a value is made."""
    if isinstance(value, list | tuple | dict):
        yield id(value)
        for part in value.values() if isinstance(value, dict) else value:
            yield from containers_in(part)


def taken_back(
    heap: Heap, without: Iterable[Slot] = (), carried: Collection[int] = ()
) -> dict[Any, tuple[Slot, Any]]:
    """Attributes and items of dicts that hold other tensors or numbers now, or are new, by the place; they
    hold again what they held. All else that has changed stays so: it is Python's, and happens while tracing.

    carried: the containers of which the values of variables are made, whose items are carried with them.
    """
    found: dict[Any, tuple[Slot, Any]] = {}
    known = {slot.identity for slot in without}
    for slot in heap.changes():
        if id(slot.owner) not in carried and slot.key != "cell_contents":
            for place, before in _places(slot, heap.before(slot)):
                if place.identity not in known:
                    found[place.identity] = place, place.read()
                    place.write(before)
    return found


def _places(slot: Slot, before: Any) -> Iterator[tuple[Slot, Any]]:
    """An attribute itself, and of a dict the items that have changed; with what they held before."""
    if not isinstance(slot.owner, dict):
        was_number = before is None or isinstance(before, Undefined) or _is_number(before)
        if was_number and _is_number(slot.read()):
            yield slot, before
    elif slot.key == "contents":
        held = dict(zip(before.keys, before.values, strict=True))
        for key, value in [*slot.owner.items()] if held.keys() <= slot.owner.keys() else ():
            if value is not held[key] if key in held else _is_number(value):
                name = f"{slot.name}[{key!r}]"
                item = Names(slot.owner, "{}", slot.owner).slot(key)
                yield replace(item, key=("item", key), name=name), held.get(key, Undefined(name))


def _is_number(value: Any) -> bool:
    return isinstance(value, Tensor | bool | int | float | complex)


def extended(state: State, slots: list[Slot]) -> State:
    """The state with these places among its variables."""
    count = len(state.names)

    def get() -> tuple[Any, ...]:
        return (*state.get(), *[slot.read() for slot in slots])

    def set(values: tuple[Any, ...]) -> None:
        state.set(values[:count])
        for slot, value in zip(slots, values[count:], strict=True):
            slot.write(value)

    return State((*state.names, *[slot.name for slot in slots]), get, set)
