"""What the forward part of a gradient keeps for the backward part: stacks, last in, first out.

A stack of words holds numbers, 8 bytes each; one of objects holds references. Who pops says of
which types the values are: those that were pushed together. An array that is pushed is not copied.

>>> from runtime.ops import REGISTRY
>>> stack = REGISTRY["stack.new"].kernel(words=True)
>>> REGISTRY["stack.push"].kernel(stack, 1.5, 2)
>>> REGISTRY["stack.pop"].kernel(stack, types=(FLOAT, INT))
(1.5, 2)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import BY_SWEEP, Effects, op
from runtime.types import BOOL, FLOAT, INT, STACK, ArrayType, NumberType, ObjectType, ScalarType, Type

#: places in the header of a `Words`, how long it is, and the size of one word
ADDRESS, COUNT, CAPACITY, HEADER, WORD = 0, 1, 2, 3, 8
#: so many words stand behind the header at first
FIRST_CAPACITY = 8192
#: memory of stacks that are gone, for the next ones: to ask the system for new memory costs more than all
#: pushes into it. So many pieces at most, of so many words at most.
_spare: list[np.ndarray[Any, Any]] = []
_MOST_SPARE, _LARGEST_SPARE = 2, 4 << 20


def is_a_word(type: Type) -> bool:
    """Does a value fit into 8 bytes: a number, but a complex one?"""
    return (
        isinstance(type, NumberType | ScalarType) and type.dtype.kind in "biuf" and type.dtype.itemsize <= 8
    )


class Words(np.ndarray[Any, Any]):
    """Numbers of 8 bytes in memory that grows: the stack of machine code, which reads the header.

    >>> words = Words()
    >>> words.push((1.5, 2, True))
    >>> words.pop((FLOAT, INT, BOOL))
    [1.5, 2, True]
    """

    #: where the words are, once they do not fit behind the header
    grown: _Grown | None = None

    def __new__(cls, capacity: int = FIRST_CAPACITY) -> Words:
        """The header, and behind it the first memory. (Machine code makes the same by itself.)"""
        self: Words = np.ndarray.__new__(cls, HEADER + capacity, np.int64)
        self[ADDRESS] = self.__array_interface__["data"][0] + HEADER * WORD
        self[COUNT], self[CAPACITY] = 0, capacity
        return self

    @property
    def memory(self) -> np.ndarray[Any, Any]:
        """The words as an array. It is not kept: a view of itself would keep the stack alive for ever."""
        return self.view(np.ndarray)[HEADER:] if self.grown is None else self.grown.memory

    def _use(self, memory: np.ndarray[Any, Any]) -> None:
        self.grown = _Grown(memory)
        self[ADDRESS], self[CAPACITY] = memory.ctypes.data, len(memory)

    def push(self, values: tuple[Any, ...]) -> None:
        count, memory = int(self[COUNT]), self.memory
        if count + len(values) > len(memory):
            grown = _memory(2 * len(memory) + len(values))
            grown[:count] = memory[:count]
            self._use(grown)
            memory = grown
        for k, value in enumerate(values, count):
            number = np.asarray(value)
            memory[k : k + 1].view(number.dtype)[0] = number
        self[COUNT] = count + len(values)

    def pop(self, types: tuple[Type, ...]) -> list[Any]:
        first = int(self[COUNT]) - len(types)
        self[COUNT] = first
        found, memory = [], self.memory
        for k, type in enumerate(types, first):
            assert isinstance(type, NumberType | ScalarType)
            number = memory[k : k + 1].view(type.dtype)[0]
            found.append(number.item() if isinstance(type, NumberType) else number)
        return found


class _Grown:
    """Memory of a stack, which is spare when the stack is gone."""

    __slots__ = ("memory",)

    def __init__(self, memory: np.ndarray[Any, Any]) -> None:
        self.memory = memory

    def __del__(self) -> None:
        if len(_spare) < _MOST_SPARE and len(self.memory) <= _LARGEST_SPARE:
            _spare.append(self.memory)


def _memory(least: int) -> np.ndarray[Any, Any]:
    """Memory for so many words: a spare piece where one is large enough."""
    try:
        found = _spare.pop()
    except IndexError:  # none, or another thread has it
        return np.empty(least, np.int64)
    return found if len(found) >= least else np.empty(least, np.int64)


Stack = list[Any] | Words


def _push(stack: Stack, *values: Any) -> None:
    if isinstance(stack, list):
        stack.extend(values)
    else:
        stack.push(values)


def _pop(stack: Stack, types: tuple[Type, ...]) -> Any:
    if isinstance(stack, list):
        found = stack[-len(types) :]
        del stack[-len(types) :]
    else:
        found = stack.pop(types)
    return found[0] if len(types) == 1 else tuple(found)


def _push_effects(types: tuple[Type, ...]) -> Effects:
    keeps = any(isinstance(t, ArrayType | ObjectType) for t in types[1:])
    return Effects(writes=(0,), ordered=keeps, reads=False)


op(
    "stack.new",
    kernel=lambda words: [],
    infer=lambda types, words: STACK,
    native=None,
    effects=Effects(),
    samples=[],
    family="stack",
    vjp=BY_SWEEP,
)
op(
    "stack.push",
    kernel=_push,
    infer=lambda types: (),
    native=None,
    effects=_push_effects,
    samples=[],
    family="stack",
    vjp=BY_SWEEP,
)
op(
    "stack.pop",
    kernel=_pop,
    infer=lambda types_, types: types if len(types) > 1 else types[0],
    native=None,
    effects=Effects(writes=(0,)),
    samples=[],
    family="stack",
    vjp=BY_SWEEP,
)

__all__ = ["BOOL", "FLOAT", "INT", "Words"]
