"""What the forward part of a gradient keeps for the backward part: stacks, last in, first out.

A stack of words holds numbers, 8 bytes each, and copies of small arrays whose shape is known; one
of objects holds references. Who pops says of which types the values are: those that were pushed
together.

>>> from runtime.ops import REGISTRY
>>> push, pop = REGISTRY["stack.push"].kernel, REGISTRY["stack.pop"].kernel
>>> stack = REGISTRY["stack.new"].kernel(words=True)
>>> x = np.array([1.0, 2.0])
>>> push(stack, 1.5, 2, x, words=True)
>>> x[0] = 7.0
>>> pop(stack, types=(FLOAT, INT, ArrayType(np.dtype("float64"), (2,))), words=True)
(1.5, 2, array([1., 2.]))
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from runtime.ops.definition import BY_SWEEP, Effects, family
from runtime.types import (
    BOOL,
    FLOAT,
    INT,
    STACK,
    ArrayType,
    NumberType,
    ObjectType,
    ScalarType,
    Type,
    is_known,
    lengths,
)

op = family("stack", vjp=BY_SWEEP, lowered=("stack",))

#: places in the header of a `Words`, how long it is, and the size of one word
ADDRESS, COUNT, CAPACITY, HEADER, WORD = 0, 1, 2, 3, 8
#: so many words stand behind the header at first
FIRST_CAPACITY = 8192
#: memory of stacks that are gone, for the next ones: to ask the system for new memory costs more than all
#: pushes into it. So many pieces at most, of so many words at most.
_spare: list[np.ndarray] = []
_MOST_SPARE, _LARGEST_SPARE = 2, 4 << 20


#: of an array of more words a reference is kept; copies were faster up to about twice as many
LARGEST_COPIED = 128


def is_a_word(type: Type) -> bool:
    """Does a value fit into 8 bytes: a number, but a complex one?"""
    return isinstance(type, NumberType | ScalarType) and _is_numeric(type.dtype)


def _is_numeric(dtype: np.dtype) -> bool:
    return dtype.kind in "biuf" and dtype.itemsize <= 8 and dtype.name != "float16" and dtype.isnative


def words_of(type: Type) -> int | None:
    """How many words a value takes on a stack of words; None where it has no place there."""
    if is_a_word(type):
        return 1
    if not isinstance(type, ArrayType) or not is_known(type.shape) or not _is_numeric(type.dtype):
        return None
    size = math.prod(type.shape) * type.dtype.itemsize
    count = -(-size // WORD)
    return count if count <= LARGEST_COPIED else None


class Words(np.ndarray):
    """Words of 8 bytes in memory that grows: the stack of machine code, which reads the header.

    >>> words = Words()
    >>> words.push((1.5, 2, True))
    >>> words.pop((FLOAT, INT, BOOL))
    [1.5, 2, True]
    """

    #: where the words are, once they do not fit behind the header
    grown: _Grown | None = None

    def __new__(cls, capacity: int = FIRST_CAPACITY) -> Self:
        """The header, and behind it the first memory. (Machine code makes the same by itself.)"""
        self: Self = np.ndarray.__new__(cls, HEADER + capacity, np.int64)
        self[ADDRESS] = self.__array_interface__["data"][0] + HEADER * WORD
        self[COUNT], self[CAPACITY] = 0, capacity
        return self

    @property
    def memory(self) -> np.ndarray:
        """The words as an array. It is not kept: a view of itself would keep the stack alive for ever."""
        return self.view(np.ndarray)[HEADER:] if self.grown is None else self.grown.memory

    def _use(self, memory: np.ndarray) -> None:
        self.grown = _Grown(memory)
        self[ADDRESS], self[CAPACITY] = memory.ctypes.data, len(memory)

    def push(self, values: tuple[Any, ...]) -> None:
        items = [np.asarray(value) for value in values]
        counts = [-(-item.nbytes // WORD) for item in items]
        count, memory = int(self[COUNT]), self.memory
        if count + sum(counts) > len(memory):
            grown = _memory(2 * len(memory) + sum(counts))
            grown[:count] = memory[:count]
            self._use(grown)
            memory = grown
        for item, words in zip(items, counts, strict=True):
            memory[count : count + words].view(item.dtype)[: item.size] = item.ravel()
            count += words
        self[COUNT] = count

    def pop(self, types: tuple[Type, ...]) -> list[Any]:
        counts = [words_of(type) or 0 for type in types]
        place = int(self[COUNT]) - sum(counts)
        self[COUNT] = place
        found, memory = [], self.memory
        for type, words in zip(types, counts, strict=True):
            assert isinstance(type, NumberType | ScalarType | ArrayType)
            items = memory[place : place + words].view(type.dtype)
            place += words
            if isinstance(type, ArrayType):
                shape = lengths(type.shape)
                found.append(items[: math.prod(shape)].reshape(shape).copy())
            else:
                found.append(items[0].item() if isinstance(type, NumberType) else items[0])
        return found


class _Grown:
    """Memory of a stack, which is spare when the stack is gone."""

    __slots__ = ("memory",)

    def __init__(self, memory: np.ndarray) -> None:
        self.memory = memory

    def __del__(self) -> None:
        if len(_spare) < _MOST_SPARE and len(self.memory) <= _LARGEST_SPARE:
            _spare.append(self.memory)


def _memory(least: int) -> np.ndarray:
    """Memory for so many words: a spare piece where one is large enough."""
    try:
        found = _spare.pop()
    except IndexError:  # none, or another thread has it
        return np.empty(least, np.int64)
    return found if len(found) >= least else np.empty(least, np.int64)


Stack = list[Any] | Words


def _push(stack: Stack, *values: Any, words: bool) -> None:
    if not isinstance(stack, list):
        stack.push(values)
    elif words:
        stack.extend([np.array(value) if isinstance(value, np.ndarray) else value for value in values])
    else:
        stack.extend(values)


def _pop(stack: Stack, types: tuple[Type, ...], words: bool, writable: bool = False) -> Any:
    if isinstance(stack, list):
        found = stack[-len(types) :]
        del stack[-len(types) :]
    else:
        found = stack.pop(types)
    return found[0] if len(types) == 1 else tuple(found)


def _check(types: tuple[Type, ...], words: bool) -> None:
    wrong = [str(type) for type in types if words and words_of(type) is None]
    if wrong:
        raise TypeError(f"a stack of words has no place for {', '.join(wrong)}")


def _infer_push(types: tuple[Type, ...], words: bool) -> tuple[()]:
    _check(types[1:], words)
    return ()


def _infer_pop(types_: tuple[Type, ...], types: tuple[Type, ...], words: bool, writable: bool = False) -> Any:
    """``writable``: the arrays are memory that the gradient made, so that nobody has to ask."""
    _check(types, words)
    return types if len(types) > 1 else types[0]


def _push_effects(types: tuple[Type, ...], words: bool) -> Effects:
    keeps = not words and any(isinstance(t, ArrayType | ObjectType) for t in types[1:])
    reads = words and any(isinstance(t, ArrayType) for t in types)
    return Effects(writes=(0,), ordered=keeps, reads=reads, touches="nothing")


op(
    "stack.new",
    lambda words: [],
    lambda types, words: STACK,
    Effects(makes="memory"),
    bind=lambda words: list,
)
op("stack.push", _push, _infer_push, _push_effects)
op(
    "stack.pop",
    _pop,
    _infer_pop,
    lambda types_, types, words, writable=False: Effects(writes=(0,), makes="memory" if words else ""),
)

__all__ = ["BOOL", "FLOAT", "INT", "Words"]
