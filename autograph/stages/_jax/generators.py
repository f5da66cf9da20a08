"""Generator expressions over staged values, consumed by `sum`, `any`, `all`, `min` or `max`.

`sum(x * x for x in xs if x > 0)` is the loop that it abbreviates. Consumed by anything else it is a
generator of Python's, which goes through its items one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp

from autograph.operators.comprehensions import arguments_of, generate
from autograph.stages._jax import loops, paths
from autograph.stages._jax.branches import if_statement, truth
from autograph.stages._jax.filtered import Filtered
from autograph.stages._jax.iteration import source_of
from autograph.stages._jax.pushed import PushedGenerator, iterated
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

    def fold(self, start: Any, step: Step, ends: Callable[[Any], Any] | None = None) -> Any:
        """`start` combined with each element in turn.

        `ends(result)`: does Python ask for no further element? What these print or raise does not happen.
        """
        fold = _Fold(start, step, ends)
        if self._items is None:
            fold.go_through(self.clause)
        else:
            for item in self._items:
                fold.held[0] = step(fold.result, item)
        self._items = iter(())
        return fold.result


def generator_of(clause: Clause) -> Any:
    """What to make of a generator expression, or NotImplemented for one of Python's."""
    if source_of(clause.iterable) is None and not isinstance(clause.iterable, (PushedGenerator, Filtered)):
        return NotImplemented
    return Generated(clause)


def as_generated(value: Any) -> Any:
    """What a generator function gave, as the generator expression that hands its items on."""
    value = iterated(value)
    if isinstance(value, PushedGenerator) and value.can_be_pushed():
        return Generated(Clause(lambda item: item, value))
    return value


class _Fold:
    def __init__(self, start: Any, step: Step, ends: Callable[[Any], Any] | None) -> None:
        self.held, self.step, self.ends = [start], step, ends
        self.state = State(("the result",), lambda: tuple(self.held), self._set)

    def _set(self, values: tuple[Any, ...]) -> None:
        self.held[:] = values

    @property
    def result(self) -> Any:
        return self.held[0]

    def go_through(self, clause: Clause) -> None:
        arguments = arguments_of(clause)

        def take(given: tuple[Any, ...]) -> None:
            made = clause.element(*given)
            if type(made) is Clause:
                self.go_through(made)
            else:
                self.held[0] = self.step(self.result, made)

        def visit(item: Any) -> None:
            given = arguments(item)
            kept = True if clause.keep is None else truth(clause.keep(*given))
            if is_staged(kept):
                if_statement(kept, lambda: take(given), lambda: None, self.state, blocks)
            elif kept:
                take(given)

        def body(item: Any) -> None:
            if self.ends is None:
                visit(item)
            else:
                with paths.entered(jnp.logical_not(self.ends(self.result))):
                    visit(item)

        blocks: list[Any] = [clause.element, clause.keep]
        if isinstance(clause.iterable, PushedGenerator):
            blocks.append(self.held)  # a change of an object, for the statements of the generator
        if loops.for_statement(clause.iterable, None, body, self.state, blocks) is NotImplemented:
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
