"""Generator expressions over staged values, consumed by `sum`, `any`, `all`, `min` or `max`.

`sum(x * x for x in xs if x > 0)` is the loop that it abbreviates. Consumed by anything else it is a
generator of Python's, which goes through its items one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp

from autograph.operators.comprehensions import arguments_of, generate
from autograph.stages._jax import loops
from autograph.stages._jax.branches import if_statement, truth
from autograph.stages._jax.iteration import source_of
from autograph.stages._jax.tracing import is_staged
from autograph.staging import Clause, State

Step = Callable[[Any, Any], Any]


class Generated:
    """The generator of a clause whose iterable goes by number."""

    def __init__(self, clause: Clause) -> None:
        self.clause = clause
        self._items: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._items is None:
            self._items = generate(self.clause, iter(self.clause.iterable))
        return next(self._items)

    def fold(self, start: Any, step: Step) -> Any:
        """`start` combined with each element in turn."""
        held = [start]
        state = State(("the result",), lambda: (held[0],), lambda values: held.__setitem__(0, values[0]))
        if self._items is None:
            _fold(self.clause, held, step, state)
        else:
            for item in self._items:
                held[0] = step(held[0], item)
        self._items = iter(())
        return held[0]


def generator_of(clause: Clause) -> Any:
    """What to make of a generator expression, or NotImplemented for one of Python's."""
    return NotImplemented if source_of(clause.iterable) is None else Generated(clause)


def _fold(clause: Clause, held: list[Any], step: Step, state: State) -> None:
    arguments = arguments_of(clause)

    def take(given: tuple[Any, ...]) -> None:
        made = clause.element(*given)
        if type(made) is Clause:
            _fold(made, held, step, state)
        else:
            held[0] = step(held[0], made)

    def body(item: Any) -> None:
        given = arguments(item)
        kept = True if clause.keep is None else truth(clause.keep(*given))
        if is_staged(kept):
            if_statement(kept, lambda: take(given), lambda: None, state, blocks)
        elif kept:
            take(given)

    blocks = [clause.element, clause.keep]
    if loops.for_statement(clause.iterable, None, body, state, blocks) is NotImplemented:
        for item in clause.iterable:
            body(item)


def add(total: Any, element: Any) -> Any:
    """A step of `sum`."""
    return total + element


def either(found: Any, element: Any) -> Any:
    """A step of `any`."""
    return jnp.logical_or(found, truth(element))


def each(held: Any, element: Any) -> Any:
    """A step of `all`."""
    return jnp.logical_and(held, truth(element))
