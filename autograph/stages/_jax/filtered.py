"""`[f(x) for x in xs if test(x)]` with a staged test: a list of which only a run knows how long it is.

Each element is computed where its test holds, and kept beside it. `sum`, `len`, `min`, `max`, `any`, `all`,
`in`, a truth test, an index, a `for` loop and another comprehension go through all that may be there. JAX has
no array of such a length, so that anything else is refused.

>>> made = Filtered([(True, 3), (False, 4), (True, 5)])
>>> int(made.length()), made.fold(0, lambda total, item: total + item)
(2, 8)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

import jax
import jax.numpy as jnp

from autograph.errors import StagingError, error_at_frame
from autograph.operators import Undefined, raise_stmt
from autograph.operators.comprehensions import arguments_of
from autograph.stages._jax.branches import choose, if_statement, truth
from autograph.stages._jax.contents import Unsized
from autograph.stages._jax.tracing import as_weak, is_staged
from autograph.staging import Clause, State, Thunk

_MOST = 1000
Entry = tuple[Any, Any]


class Filtered(Unsized):
    """The elements of a list, each with a bool, perhaps staged, that says whether it is there."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = list(entries)
        self.origin = _unknown()

    def length(self) -> Any:
        """How many there are."""
        return as_weak(sum(jnp.asarray(kept, int) for kept, _ in self.entries), int)

    def holds_any(self) -> Any:
        """Is there any?"""
        return jnp.any(jnp.asarray([kept for kept, _ in self.entries]))

    def visit(
        self, body: Callable[[Any], Any], state: State, blocks: Sequence[Any], test: Thunk | None = None
    ) -> None:
        """`for item in self: body(item)`, ended when `test()` is false."""
        for number, (kept, item) in enumerate(self.entries):
            go_on = kept
            if test is not None and number:
                go_on = jnp.logical_and(truth(test()), kept)
            if_statement(go_on, partial(body, item), _nothing, state, blocks)

    def fold(
        self, start: Any, step: Callable[[Any, Any], Any], ends: Callable[[Any], Any] | None = None
    ) -> Any:
        """`start` combined with each element in turn."""
        held = [start]
        state = State(("the result",), lambda: tuple(held), lambda values: held.__setitem__(0, values[0]))

        def take(item: Any) -> None:
            held[0] = step(held[0], item)

        self.visit(take, state, ())
        return held[0]

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, int):
            self._refuse()
        length = self.length()
        wanted = index if index >= 0 else length + index
        missing = jnp.logical_or(wanted < 0, wanted >= length)
        if_statement(missing, lambda: raise_stmt(IndexError("list index out of range")), _nothing, _NO_STATE)
        held: list[Any] = [Undefined(), 0]
        state = State(
            ("this element", "its place"), lambda: tuple(held), lambda v: held.__setitem__(slice(2), v)
        )

        def take(item: Any) -> None:
            if_statement(held[1] == wanted, lambda: held.__setitem__(0, item), _nothing, state, ())
            held[1] += 1

        self.visit(take, state, ())
        return held[0]

    def _refuse(self, *_: Any) -> NoReturn:
        raise _unknown()

    def __repr__(self) -> str:
        return f"a list of at most {len(self.entries)}"

    __iter__ = __len__ = __bool__ = __hash__ = __eq__ = _refuse
    __add__ = __radd__ = __mul__ = __jax_array__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()


_NO_STATE = State((), tuple, lambda values: None)


def _nothing() -> None:
    """The other branch."""


def _unknown() -> StagingError:
    return error_at_frame(
        StagingError,
        "how long this list is depends on the `if` of its comprehension, which only a run knows",
        hint="go through it with a `for` statement, or choose for each element with jnp.where",
    )


def _refuse_flatten(made: Filtered) -> NoReturn:
    raise made.origin


# One that reaches JAX (the result of a jitted function, say), or that paths leave in a variable, is refused.
jax.tree_util.register_pytree_node(Filtered, _refuse_flatten, lambda _, children: Filtered(list(children)))


def list_of(clause: Clause) -> Any:
    """A list comprehension: a list, or what stands for one whose length only a run knows."""
    entries = list(_entries(clause))
    if all(kept is True for kept, _ in entries):
        return [item for _, item in entries]
    return Filtered(entries)


def _entries(clause: Clause) -> Iterator[Entry]:
    arguments, keep = arguments_of(clause), clause.keep
    for number, (there, item) in enumerate(_items(clause.iterable)):
        given = arguments(item)
        kept = there if keep is None else choose(there, partial(_truth, keep, given), _never, [keep])
        if is_staged(kept):
            if number > _MOST:
                raise error_at_frame(
                    StagingError,
                    f"the `if` of a comprehension of more than {_MOST} elements is known only at run time",
                    hint="write it as a loop over an array",
                )
            yield kept, _element(clause, given, kept)
        elif kept:
            made = clause.element(*given)
            if type(made) is Clause:
                yield from _entries(made)
            else:
                yield True, made


def _truth(keep: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    return truth(keep(*given))


def _never() -> bool:
    return False


def _items(iterable: Any) -> Iterator[Entry]:
    if isinstance(iterable, Filtered):
        return iter(iterable.entries)
    return ((True, item) for item in iterable)


def _element(clause: Clause, given: tuple[Any, ...], kept: Any) -> Any:
    """The element, computed where it is kept."""
    held: list[Any] = [Undefined()]
    state = State(("this element",), lambda: tuple(held), lambda values: held.__setitem__(0, values[0]))

    def compute() -> None:
        held[0] = clause.element(*given)
        if type(held[0]) is Clause:
            raise error_at_frame(
                StagingError,
                "a `for` of a comprehension follows an `if` that is known only at run time",
                hint="write it as a loop, or put the `if` last",
            )

    if_statement(kept, compute, _nothing, state, [clause.element])
    return held[0]
