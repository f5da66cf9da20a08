"""JAX: `@jax.jit` over `@autograph.convert` stages Python control flow on JAX values.

`if` becomes `lax.cond`, `while` a `lax.while_loop`, `for` a `lax.scan` where the number of iterations is
known (so that reverse mode works) and a `lax.while_loop` where it is not. Importing this module registers
the stage; `autograph.convert` does so by itself where JAX was imported before.

>>> import jax
>>> import autograph
>>> from autograph.source import register_source
>>> text = '''
... def collatz(n):
...     steps = 0
...     while n > 1:
...         n = n // 2 if n % 2 == 0 else 3 * n + 1
...         steps += 1
...     return steps
... '''
>>> exec(compile(text, register_source(text), "exec"))
>>> int(jax.jit(autograph.convert(collatz))(27))
111
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from autograph.optional_packages import needing

with needing("jax", "autograph.stages.jax"):
    import autograph.stages._jax.choice_operators  # noqa: F401  # it gives choices their operators
from autograph.registry import register_stage
from autograph.stages._jax import (
    branches,
    builtins,
    calls,
    effects,
    filtered,
    generators,
    items,
    logic,
    loops,
    outside,
    texts,
)
from autograph.stages._jax.choices import Choice, known
from autograph.stages._jax.effects import own_exceptions as own_exceptions
from autograph.stages._jax.iteration import Source
from autograph.stages._jax.tracing import is_staged, under_trace
from autograph.staging import Clause, Handler, Stage, State, Thunk

_OURS = (Choice, effects.StagedText, Source, filtered.Filtered)


class JaxStage(Stage):
    """Stages control flow into the trace of `jit`, `vmap`, `grad`, ... that is under way."""

    name = "jax"

    def active(self) -> bool:
        return under_trace()

    def awake(self) -> bool:
        if not under_trace():
            return False  # a value is staged while it is traced, and not longer
        outside.note_entry()
        return True

    def claims(self, value: Any) -> bool:
        return is_staged(value) or isinstance(value, _OURS)

    def text_of(self, value: Any) -> str | None:
        return None if isinstance(value, effects.StagedText) else super().text_of(value)

    # Statements

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        branches.if_statement(cond, body, orelse, state)

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        loops.while_statement(test(), test, body, state)

    def while_rest(self, go_on: Any, test: Thunk, body: Thunk, state: State) -> Any:
        loops.while_statement(go_on, test, body, state)

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Callable[[Any], Any], state: State) -> Any:
        return loops.for_statement(known(iterable), test, body, state)

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], Any], state: State
    ) -> None:
        loops.rest_of_loop(iterator, test, body, state)

    def try_stmt(
        self,
        body: Thunk,
        handlers: tuple[Handler, ...],
        orelse: Thunk | None,
        finalbody: Thunk | None,
        state: State,
    ) -> Any:
        return effects.try_statement(body, handlers, orelse, finalbody)

    def context(self, manager: Any) -> Any:
        return effects.Suppressing(manager) if isinstance(manager, suppress) else manager

    def assert_stmt(self, test: Any, message: Thunk | None) -> Any:
        return effects.assert_statement(test, message)

    def raise_stmt(self, exception: Any, cause: Any) -> Any:
        return effects.raise_statement(exception, cause)

    # Items

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        return items.set_item(target, key, value)

    def aug_item(self, target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> Any:
        return items.aug_item(target, key, operator, value)

    def del_item(self, target: Any, key: Any) -> Any:
        return items.del_item(target, key)

    # Expressions

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return branches.choose(cond, then, orelse)

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return branches.both(a, thunks)

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        return branches.either(a, thunks)

    def not_(self, a: Any) -> Any:
        return branches.negation(a)

    def in_(self, item: Any, container: Any) -> Any:
        return logic.contains(item, container)

    def is_(self, a: Any, b: Any) -> Any:
        return logic.identical(a, b)

    def fstr(self, pieces: tuple[Any, ...]) -> Any:
        return effects.StagedText(pieces)

    def percent(self, text: str, values: Any) -> Any:
        return texts.percent(text, values)

    def comprehension(self, kind: str, clause: Clause) -> Any:
        return filtered.list_of(clause) if kind == "list" else NotImplemented

    def generator(self, clause: Clause) -> Any:
        return generators.generator_of(clause)

    def bound(self, value: Any) -> Any:
        return logic.bound(value)

    def enter(self, function: Any, converted: Callable[..., Any]) -> Callable[..., Any]:
        return calls.watched(function, converted)

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = builtins.call(function, args, kwargs)
        return calls.as_it_is(function, args, kwargs) if result is NotImplemented else result


stage = JaxStage()
register_stage(stage)
