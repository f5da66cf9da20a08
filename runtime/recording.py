"""What tapes outside of decorated functions record: the calls that were made, in order, with the memory that
they read and wrote.

A *slot* stands for the memory of one array; it is the same before and after a write, as a value of a graph
is. A *step* is a call of a function or of a graph; its arguments are slots where they were Tensors. What a
call computes, and what is a view of what, is not said here: the step is traced for that, when a gradient is
asked for (`differentiation/replay.py`).

>>> record = Record()
>>> x = np.array([1.0, 2.0])
>>> start(record); slot = record.watch(x)
>>> step, = begin(np.sin, (x,), {}, [x]); end([step], [np.sin(x)]); stop(record)
>>> [item.function for item in record.items]
[<ufunc 'sin'>]
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.arguments import wrong_argument
from runtime.staged.operands import ArrayHolder, Boxed, is_trainable, storage_of
from runtime.tracer.builder import active_builders


class Slot:
    """The memory of one array, which is kept, so that its identity is its own.

    ``kept``: what it held when the record began to know it; None where a step made it.
    """

    __slots__ = ("array", "kept")

    def __init__(self, array: Any, kept: Any = None) -> None:
        self.array = array
        self.kept = kept


class Step:
    """``function(*args, **kwargs)``, with slots in place of arrays; ``function`` may be a `Fragment`.

    ``outputs`` are the slots of the results, in order, None for one that no derivative goes through.
    """

    __slots__ = ("args", "function", "inputs", "kwargs", "outputs", "record", "written")

    def __init__(
        self, record: Record, function: Any, inputs: dict[int, Slot], args: Any, kwargs: Any
    ) -> None:
        self.record = record
        self.function = function
        self.inputs = inputs
        self.args = args
        self.kwargs = kwargs
        self.outputs: list[Slot | None] = []
        self.written: list[Slot] = []


class Mark:
    """From here on derivatives are taken with respect to a slot that was a constant until now."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot


class Switch:
    """From here on the tape records, or doesn't: what is written then is constant to it."""

    def __init__(self, on: bool) -> None:
        self.on = on


class Record:
    """What one tape knows: the slots of arrays that depend on what is watched, and the calls with them."""

    def __init__(self, watches_accessed: bool = True) -> None:
        self.watches_accessed = watches_accessed  # variables, when they are read
        self.on = True
        self.clear()

    def clear(self) -> None:
        self.variables: dict[int, Any] = {}
        self.slots: dict[int, Slot] = {}
        self.roots: dict[int, Any] = {}
        self.items: list[Step | Mark | Switch] = []
        self.marks: dict[Slot, Mark | None] = {}

    # -- what is known ------------------------------------------------------------------------------------

    def slot_of(self, array: Any) -> Slot | None:
        """What stands for the array. Raises ArgumentError for another name of memory that is known."""
        found = self.slots.get(id(array))
        if found is None and type(array) is np.ndarray and id(root_of(array)) in self.roots:
            raise wrong_argument(
                "a view is used of an array that a tape follows, which was taken before it did, while it did "
                "not record, or by .numpy()",
                "take the view again of the Tensor, inside the `with`; or take a copy: x[i:j].copy()",
            )
        return found

    def add(self, array: Any, kept: Any = None) -> Slot:
        slot = self.slots[id(array)] = Slot(array, kept)
        root = root_of(array)
        self.roots[id(root)] = root
        return slot

    def watch(self, array: Any) -> Slot:
        """From here on the array counts as what derivatives are taken with respect to."""
        slot = self.slots.get(id(array))
        if slot is None:
            slot = self.add(array, self.copy_of(array))
            self.marks[slot] = None
        elif slot not in self.marks and slot.kept is not None:
            self.marks[slot] = mark = Mark(slot)
            self.items.append(mark)
        return slot

    def watch_variable(self, variable: Any) -> None:
        if id(variable) not in self.variables:
            self.variables[id(variable)] = variable
            self.watch(storage_of(variable))

    def copy_of(self, array: Any) -> Any:
        """What it holds now; other tapes know the copy for one."""
        if not isinstance(array, np.ndarray):
            return array
        made = array.copy()
        for other in records():
            slot = other.slots.get(id(array)) if other is not self else None
            if slot is not None:
                step = Step(other, np.copy, {id(array): slot}, (slot,), {})
                step.outputs = [other.add(made)]
                other.items.append(step)
        return made

    # -- calls --------------------------------------------------------------------------------------------

    def begin(
        self, function: Any, args: Any, kwargs: Any, arrays: Sequence[Any], written: Sequence[Any]
    ) -> Step | None:
        """A call is about to be made with these ``arrays``, of which ``written`` are going to be written."""
        known = [slot for array in arrays if (slot := self.slot_of(array)) is not None]
        written_known = [slot for array in written if (slot := self.slot_of(array)) is not None]
        if not (known if self.on else written_known):
            return None
        inputs = {id(slot.array): slot for slot in known}
        step = Step(self, function, inputs, None, None)
        for array in written:
            if id(array) not in inputs and _is_smooth(array):
                inputs[id(array)] = self.add(array, self.copy_of(array))
        step.written = [inputs[id(array)] for array in written if id(array) in inputs]
        step.args, step.kwargs = self._held(args, inputs), self._held(kwargs, inputs) if kwargs else {}
        return step

    def _held(self, value: Any, inputs: dict[int, Slot]) -> Any:
        """Arguments with slots in place of arrays; those of other arrays keep what these hold now."""
        kind = type(value)
        if kind is float or kind is int or kind is str or value is None:
            return value
        if kind is tuple or kind is list:
            return kind([self._held(part, inputs) for part in value])
        if isinstance(value, Boxed):
            return self._slot(value._array, inputs)
        if isinstance(value, ArrayHolder):
            return self._slot(storage_of(value), inputs)
        if isinstance(value, np.ndarray):  # also the array of a Tensor, by .numpy(): a constant to all tapes
            return Slot(value, value.copy())
        if kind is dict:
            return {name: self._held(part, inputs) for name, part in value.items()}
        if kind is slice:
            return slice(*[self._held(part, inputs) for part in (value.start, value.stop, value.step)])
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return kind._make([self._held(part, inputs) for part in value])
        return value

    def _slot(self, array: Any, inputs: dict[int, Slot]) -> Slot:
        found = inputs.get(id(array))
        if found is None:
            found = Slot(array, self.copy_of(array))
        return found

    def end(self, step: Step, results: Sequence[Any]) -> None:
        """The call gave these arrays and numbers."""
        for array in results:
            slot = step.inputs.get(id(array))
            if slot is None and self.on and _is_smooth(array):
                slot = self.add(array)
            step.outputs.append(slot)
        if step.written or any(slot is not None for slot in step.outputs):
            self.items.append(step)

    def switch(self, on: bool) -> None:
        self.on = on
        self.items.append(Switch(on))


_local = threading.local()
#: stands among the active builders, so that calls of decorated functions look here before the short way
_MARK: Any = object()


def records() -> Sequence[Record]:
    """Those of the tapes that record in this thread, or are paused, outer ones first."""
    return getattr(_local, "records", ())


def start(record: Record) -> None:
    _local.records = [*records(), record]
    active_builders.append(_MARK)


def stop(record: Record) -> None:
    _local.records = [one for one in records() if one is not record]
    active_builders.remove(_MARK)


@contextmanager
def paused(record: Record) -> Iterator[None]:
    """Inside, the tape follows no more than what is written into what it knows: constants to it."""
    record.switch(False)
    try:
        yield
    finally:
        record.switch(True)


def array_read(holder: ArrayHolder) -> Any:
    """The array of a variable; tapes that record are told that it is read."""
    for record in records():
        if record.on and record.watches_accessed and is_trainable(holder):
            record.watch_variable(holder)
    return storage_of(holder)


def is_followed(array: Any) -> bool:
    """Does a tape follow the array, or does it share memory with one that is followed?"""
    return any(one.on and (id(array) in one.slots or id(root_of(array)) in one.roots) for one in records())


def refuse_leaving(array: Any, what: str) -> None:
    """Raises ArgumentError where a tape follows the array: what is made of it here the tape wouldn't see."""
    if records() and _is_smooth(array) and is_followed(array):
        raise wrong_argument(
            f"{what} of a Tensor that a tape follows gives a value which no tape follows",
            "compute with NumPy's functions (np.exp in place of math.exp), and store into a Tensor; .numpy() "
            "and rt.stop_gradient leave the tape, and say so",
        )


def begin(
    function: Any,
    args: Any,
    kwargs: Any,
    arrays: Sequence[Any],
    written: Sequence[Any] = (),
    plain: bool = False,
) -> list[Step]:
    """A call is about to be made: its steps, one for each tape that follows one of the ``arrays``.

    ``plain``: among what is written is an array in no Tensor.
    """
    steps = [
        step for one in records() if (step := one.begin(function, args, kwargs, arrays, written)) is not None
    ]
    if plain and any(step.record.on for step in steps):
        name = getattr(function, "__name__", "this call")
        raise wrong_argument(
            f"`{name}` stores what a tape follows into an ndarray, which no tape follows",
            "store it into a Tensor: rt.constant(x) makes one; or take the result",
        )
    return steps


def end(steps: Sequence[Step], results: Sequence[Any]) -> None:
    for step in steps:
        step.record.end(step, results)


def note(function: Any, args: Sequence[Any], results: Sequence[Any]) -> None:
    """A call was made of tensors that nothing writes, and of numbers."""
    for one in records():
        step = one.begin(function, (), {}, args, ())
        if step is not None:
            step.args = tuple(
                [(step.inputs.get(id(x)) or Slot(x, x)) if hasattr(x, "_held") else x for x in args]
            )
            one.end(step, results)


def root_of(array: Any) -> Any:
    """The array that owns the memory."""
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return array


def held(value: Any) -> Any:
    """The array of what a slot knows: of a tf.Tensor, which is known by itself, as nothing writes it."""
    return getattr(value, "_held", value)


def _is_smooth(value: Any) -> bool:
    array = held(value)
    return isinstance(array, np.ndarray | np.generic) and array.dtype.kind in "fc"
