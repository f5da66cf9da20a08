"""Generator functions: a loop over one runs the generator's code, which hands its items to the loop's body.

Python pulls items out of a generator that stands still in between; a `lax.cond` cannot stand still. So a loop
turns it inside out (`autograph/passes/push_yields.py`): where it says `yield v`, the body of the loop
runs with `v`, under the staged conditions of both. A generator that is pulled (`next`, `list`, `zip`) runs as
Python, as long as nothing staged decides whether it yields.

>>> def halves(x):
...     yield x
...     yield x / 2
>>> made = PushedGenerator(halves, halves, (3.0,), {})
>>> next(made), made.can_be_pushed(), list(made)
(3.0, False, [1.5])
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_GENERATOR
from types import CodeType, FunctionType
from typing import Any

from autograph.conversion import inside_out
from autograph.errors import ConversionError
from autograph.operators import call
from autograph.stages._jax.unknown import SUSPECTS, refusal
from autograph.staging import Thunk


class _Consuming(threading.local):
    def __init__(self) -> None:
        self.blocks: tuple[Any, ...] = ()


_consuming = _Consuming()


def blocks_of_consumers() -> tuple[Any, ...]:
    """The user's code in loops that consume a generator whose code is running: it runs where that yields."""
    return _consuming.blocks


def is_generator_function(code: CodeType) -> bool:
    """Does a call of this code give a generator?"""
    return bool(code.co_flags & CO_GENERATOR)


def iterated(value: Any) -> Any:
    """What a loop over `value` goes through: what its `__iter__` gives, where that is a user's generator."""
    method = getattr(type(value), "__iter__", None)
    if type(method) is FunctionType and is_generator_function(method.__code__):
        return call(method, value)
    return value


class PushedGenerator:
    """What a call of a generator function gives while JAX traces.

    `plain` makes the generator that Python pulls, `function` is what is turned inside out.
    """

    def __init__(
        self,
        function: Any,
        plain: Callable[..., Iterator[Any]],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.pulled: Any = plain(*args, **kwargs)
        self.begun = False

    def __iter__(self) -> PushedGenerator:
        return self

    def __next__(self) -> Any:
        return self._resume(self.pulled.__next__)

    def send(self, value: Any) -> Any:
        return self._resume(self.pulled.send, value)

    def throw(self, *error: Any) -> Any:
        return self._resume(self.pulled.throw, *error)

    def close(self) -> None:
        self._resume(self.pulled.close)

    def _resume(self, way: Callable[..., Any], *args: Any) -> Any:
        self.begun = True
        try:
            return way(*args)
        except SUSPECTS as error:
            refused = refusal(error)
            if refused is None:
                raise
            refused.hint = (
                "go through the generator with a `for` statement, `sum`, `any`, `all`, `min` or `max`"
            )
            raise refused from error

    def can_be_pushed(self) -> bool:
        """Is it still at its start, and can its code be turned inside out?"""
        if self.begun:
            return False
        try:
            inside_out(self.function)
        except ConversionError:
            return False
        return True

    def push(self, test: Thunk | None, body: Callable[[Any], Any], blocks: tuple[Any, ...]) -> None:
        """`for item in self: body(item)`, ended when `test()` is false; `blocks`: the user's code in it."""
        self.begun = True
        self.pulled.close()
        around = _consuming.blocks

        def consume(item: Any) -> Any:
            with _running(around):
                body(item)
                return True if test is None else test()

        with _running((*around, *blocks)):
            inside_out(self.function).bind(self.function)(consume, *self.args, **self.kwargs)


@contextmanager
def _running(blocks: tuple[Any, ...]) -> Iterator[None]:
    before, _consuming.blocks = _consuming.blocks, blocks
    try:
        yield
    finally:
        _consuming.blocks = before
