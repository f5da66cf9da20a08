"""What the forward part of a gradient keeps for the backward part: stacks, last in, first out.

A stack of words holds numbers, 8 bytes each; one of objects holds references. Who pops says of which types the
values are: those that were pushed together. An array that is pushed is not copied.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import FLOAT, INT
>>> stack = REGISTRY["stack.new"].kernel(words=True)
>>> REGISTRY["stack.push"].kernel(stack, 1.5, 2)
>>> REGISTRY["stack.pop"].kernel(stack, types=(FLOAT, INT))
(1.5, 2)
"""

from __future__ import annotations

from typing import Any

from runtime.ops.definition import BY_SWEEP, Effects, op
from runtime.types import STACK, ArrayType, ObjectType, Type

Stack = list[Any]


def _push(stack: Stack, *values: Any) -> None:
    stack.extend(values)


def _pop(stack: Stack, types: tuple[Type, ...]) -> Any:
    if len(types) == 1:
        return stack.pop()
    found = tuple(stack[-len(types) :])
    del stack[-len(types) :]
    return found


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
