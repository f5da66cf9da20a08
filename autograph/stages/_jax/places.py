"""What a staged block may change: the variables of the statement, and the objects that it reaches.

>>> x = [1]
>>> state = State(("x",), lambda: (x[0],), lambda values: x.__setitem__(0, values[0]))
>>> places = Places(state, ())
>>> outcome = places.run(lambda: state.set((2,)))
>>> [(place.name, value) for place, value in outcome.changed], state.get()
([('x', 2)], (1,))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from inspect import getattr_static
from itertools import chain
from types import FunctionType
from typing import Any

import numpy as np

from autograph.errors import StagingError, error_at_frame
from autograph.operators import Undefined
from autograph.registry import NEVER_STAGED
from autograph.stages._jax import paths
from autograph.stages._jax.choices import Choice, simplified
from autograph.stages._jax.contents import View
from autograph.stages._jax.outside import is_free, is_outside, note_entry, refuse_change
from autograph.stages._jax.pushed import blocks_of_consumers
from autograph.stages._jax.tracing import is_array, is_opaque
from autograph.stages.heap import Heap
from autograph.stages.slots import Slot, cells_of, contents_of, globals_written, user_code
from autograph.staging import State


@dataclass(frozen=True, slots=True)
class Place:
    """A variable, by its position in the state, or a slot of an object."""

    key: Any
    name: str
    slot: Slot | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a block left: the places that hold something else than before, and what they hold."""

    changed: list[tuple[Place, Any]]
    ends: bool = False
    """The block ended in a raise: nothing of it goes on."""

    def view(self) -> View:
        """Containers from before, as the block left them."""
        return View({place.key: value for place, value in self.changed})


class PathEnds(BaseException):
    """The block that is being traced ends here: a staged raise was recorded."""


class Places:
    """The places as they are before a statement, and what its blocks do to them."""

    def __init__(self, state: State, blocks: Iterable[Any]) -> None:
        self.state = state
        note_entry()
        try:
            self.before = state.get()
        except NameError as error:
            raise error_at_frame(
                StagingError,
                f"the global `{error.name}` is assigned under a staged condition, and has no value before",
                variable=error.name,
                hint="give it a value first, at module level",
            ) from None
        blocks = list(user_code(block for block in blocks if block is not None))
        cells = list(cells_of(blocks))
        ours = [c for c, name in [*cells, *cells_of([state.get, state.set])] if name in state.names]
        setter = state.set
        self._global_names = globals_written(setter.__code__) if isinstance(setter, FunctionType) else ()
        consumers = blocks_of_consumers()
        cells += cells_of(consumers)
        self._variables = [(name, value) for cell, name in cells for value in contents_of(cell)]
        self._names = {id(cell): name for cell, name in cells}
        self.heap = Heap([*blocks, *consumers, *self.before], without=ours, opaque=_is_leaf)

    def variables(self) -> list[Place]:
        return [Place(k, name) for k, name in enumerate(self.state.names)]

    def read_before(self, place: Place) -> Any:
        if place.slot is None:
            return self.before[place.key]
        held = self.heap.before(place.slot)
        return _of_the_class(place.slot, held) if isinstance(held, Undefined) else held

    def write(self, values: Iterable[tuple[Place, Any]]) -> None:
        """Give places new values; the others keep theirs."""
        variables = list(self.state.get())
        slots = []
        for place, value in values:
            if place.slot is None:
                variables[place.key] = value
            else:
                slots.append((place.slot, value))
        self.state.set(tuple(variables))
        for slot, value in slots:
            slot.write(value)

    @paths.runs_blocks
    def run(self, block: Callable[[], Any], held: Iterable[tuple[Place, Any]] = ()) -> Outcome:
        """Run a block with these values in place; what it changed is noted, and undone."""
        held = list(held)
        with _read_only(self.heap), paths.heap_of_block(self.heap):
            try:
                self.write(held)
                try:
                    block()
                except PathEnds:
                    return Outcome([], ends=True)
                changed = list(self._changed(held))
                self._refuse_outside(changed)
                return Outcome(changed)
            except ValueError as error:
                if "read-only" not in str(error) or not self.heap.leaves:
                    raise
                raise _written_array() from error
            finally:
                self.state.set(self.before)
                self.heap.restore()

    def _refuse_outside(self, changed: list[tuple[Place, Any]]) -> None:
        """What is changed must belong to the function that JAX traces, or to one that it called."""
        for place, _ in changed:
            if place.slot is None:
                theirs = place.name in self._global_names or is_free(place.name)
            else:
                theirs = self.heap.is_shared(place.slot) or is_outside(place.slot.owner)
            if theirs:
                raise refuse_change(place.name)

    def _changed(self, held: list[tuple[Place, Any]]) -> Iterator[tuple[Place, Any]]:
        given = {place.key: value for place, value in held}
        now = self.state.get()
        for place in self.variables():
            value = simplified(now[place.key])
            if value is not given.get(place.key, self.before[place.key]):
                yield place, value
            elif place.key in given and holds_containers(value):
                yield place, value  # made for this iteration, so that nobody noted what it held
        slots = {slot.identity: slot for slot in self.heap.changes()}
        slots |= {place.key: place.slot for place, _ in held if place.slot is not None}
        for key, slot in slots.items():
            value = slot.read()
            if value is not given.get(key, self):
                yield Place(key, self._name_of(slot), slot), value

    def _name_of(self, slot: Slot) -> str:
        """A container by the name of a variable or attribute that holds it."""
        if slot.key != "contents":
            return self._names.get(id(slot.owner), slot.name)
        named = chain(zip(self.state.names, self.before, strict=True), self._variables)
        found = next((name for name, value in named if value is slot.owner), None)
        return found or self.heap.holder(slot.owner) or slot.name


def _of_the_class(slot: Slot, missing: Undefined) -> Any:
    """What an attribute reads as that the object has not: a number or text of its class."""
    held = getattr_static(type(slot.owner), str(slot.key), missing)
    return held if type(held) in NEVER_STAGED or is_array(held) else missing


def holds_containers(value: Any) -> bool:
    """Is this a list or a dict, or a tuple with one in it?"""
    if isinstance(value, Choice):
        return any(map(holds_containers, value.options))
    return isinstance(value, (list, dict)) or (isinstance(value, tuple) and any(map(holds_containers, value)))


def _is_leaf(value: Any) -> bool:
    return is_opaque(value) and not isinstance(value, np.ndarray)


class _read_only:
    """NumPy arrays from before may not be written in a block, whose writes would happen while tracing."""

    def __init__(self, heap: Heap) -> None:
        self.arrays = [a for a in heap.leaves if isinstance(a, np.ndarray) and a.flags.writeable]

    def __enter__(self) -> None:
        for array in self.arrays:
            array.flags.writeable = False

    def __exit__(self, *_: object) -> None:
        for array in sorted(self.arrays, key=lambda array: array.base is not None):  # owners before views
            array.flags.writeable = True


def _written_array() -> StagingError:
    return error_at_frame(
        StagingError,
        "a NumPy array from before is written under a staged condition, while JAX traces",
        hint="make it a JAX array, with jnp.asarray or jnp.zeros",
    )
