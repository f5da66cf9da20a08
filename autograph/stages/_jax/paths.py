"""The staged conditions around the block that is being traced, for effects that must happen only under them.

Under `vmap` both branches of a `cond` run, so that an effect asks itself.

>>> with entered(True):
...     inside(), len(_path.guards)
(True, 1)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, TypeVar

import jax.numpy as jnp

_F = TypeVar("_F", bound=Callable[..., Any])


class _Path(threading.local):
    def __init__(self) -> None:
        self.guards: list[Any] = []
        self.heaps: list[Any] = []
        self.tries: list[int] = []


_path = _Path()


@contextmanager
def entered(guard: Any) -> Iterator[None]:
    """While a block is traced that runs only where `guard` holds."""
    _path.guards.append(guard)
    try:
        yield
    finally:
        _path.guards.pop()


def inside() -> bool:
    """Is a staged block being traced?"""
    return bool(_path.guards)


@contextmanager
def heap_of_block(heap: Any) -> Iterator[None]:
    """While a block is traced: the objects that were there before it."""
    _path.heaps.append(heap)
    try:
        yield
    finally:
        _path.heaps.pop()


def is_in_block(value: Any) -> bool:
    """Was this object there before the innermost block, which looks after it?"""
    return bool(_path.heaps) and value in _path.heaps[-1]


_blocks: set[int] = set()


def runs_blocks(function: _F) -> _F:
    """Let the frames of this function be known as those from which a staged block runs."""
    _blocks.add(id(function.__code__))
    return function


def is_block(code: CodeType) -> bool:
    """Is this the code of a function from which a staged block runs?"""
    return id(code) in _blocks


def is_old(value: Any) -> bool:
    """Was this object there before a staged block that is being traced?"""
    return any(value in heap for heap in _path.heaps)


@contextmanager
def trying() -> Iterator[None]:
    """While the body of a `try` with handlers runs."""
    _path.tries.append(len(_path.guards))
    try:
        yield
    finally:
        _path.tries.pop()


def tried() -> bool:
    """Is there a `try` with handlers around, which a raise at run time could not reach?"""
    return bool(_path.tries)


def tried_in_block() -> bool:
    """Is there one inside the innermost staged block?"""
    return bool(_path.tries) and _path.tries[-1] == len(_path.guards)


def condition() -> Any:
    """Under what condition the program comes to this point: a bool, perhaps staged."""
    combined: Any = True
    for guard in _path.guards:
        combined = guard if combined is True else jnp.logical_and(combined, guard)
    return combined
