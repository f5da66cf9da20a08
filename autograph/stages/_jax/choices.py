"""A value that is one of several at run time: None or an array, a variable that may be unbound, 'a' or 'b'.

Under a test that tells (`if best is None:`), the value is known and can be used; elsewhere it is refused.
"""

from __future__ import annotations

import re
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import jax
import jax.numpy as jnp

from autograph.errors import StagingError, error_at_frame
from autograph.operators import Undefined
from autograph.registry import NEVER_STAGED


class Choice:
    """`options[which]`, where `which` is staged."""

    __slots__ = ("__weakref__", "name", "options", "origin", "which")

    def __init__(self, which: Any, options: tuple[Any, ...], name: str) -> None:
        self.which = which
        self.options = options
        self.name = name
        self.origin = error_at_frame(StagingError, "", sys._getframe(1), variable=name)

    def possible(self) -> list[int]:
        """The options that may be meant here."""
        excluded = _facts.excluded.get(id(self.which), frozenset())
        return [k for k in range(len(self.options)) if k not in excluded]

    def known(self) -> Any:
        """The only option that may be meant here; refused when there are several."""
        possible = self.possible()
        if len(possible) != 1:
            raise self.unknown(possible)
        return self.options[possible[0]]

    def unknown(self, possible: list[int]) -> StagingError:
        options = [self.options[k] for k in possible]
        if any(isinstance(option, Undefined) for option in options):
            return error_at_frame(
                StagingError,
                f"`{self.name}` may have no value here, and JAX cannot raise the error at run time",
                variable=self.name,
                hint=f"give `{self.name}` a value before the staged statement that assigns it",
            )
        shown = " or ".join(_show(option) for option in options)
        if _RESULT.fullmatch(self.name):
            return error_at_frame(
                StagingError,
                f"what this function returns is {shown}, which is known only at run time",
                hint="return the same kind of value on every path, such as an array and a flag",
            )
        named = self.name.isidentifier()
        text = next((option for option in options if isinstance(option, str)), None)
        test = f"{self.name if named else 'x'} {'is not None' if text is None else f'== {text!r}'}"
        return error_at_frame(
            StagingError,
            f"{f'`{self.name}`' if named else self.name} is {shown} here, which is known only at run time",
            variable=self.name if named else None,
            hint=f"use it under a test such as `if {test}:`, or begin with an array",
        )

    def is_plain(self) -> bool:
        """Are all the options Python objects that are not taken apart: None, strings, ...?"""
        return all(type(self.options[k]) in NEVER_STAGED for k in self.possible())

    def is_option(self, tests: Callable[[Any], bool]) -> Any:
        """Is the option that is meant one of those for which `tests` holds? Staged, where both may be."""
        holds = [k for k in self.possible() if tests(self.options[k])]
        if len(holds) in (0, len(self.possible())):
            return bool(holds)
        answer = jnp.any(jnp.asarray([self.which == k for k in holds]))
        others = frozenset(range(len(self.options))) - frozenset(holds)
        remember(answer, [(self.which, others)], [(self.which, frozenset(holds))])
        return answer

    # What Python and JAX ask of a value goes to the one that is meant.

    def __jax_array__(self) -> Any:
        return jnp.asarray(self.known())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.known(), name)

    def __bool__(self) -> bool:
        return bool(self.known())

    def __hash__(self) -> int:
        return hash(self.known())

    def __repr__(self) -> str:
        return f"<{self.name}: {' or '.join(map(_show, self.options))}>"


# The variable that holds what a function returns.
_RESULT = re.compile(r"retval(_\d+)?")


def _show(option: Any) -> str:
    if isinstance(option, (jax.Array, jax.core.Tracer)):
        return "an array"
    if type(option) in (tuple, list):
        return f"a {type(option).__name__} of {len(option)}"
    return "unbound" if isinstance(option, Undefined) else repr(option)


def known(value: Any) -> Any:
    """The value itself, or the option that is meant."""
    return value.known() if isinstance(value, Choice) else value


def simplified(value: Any) -> Any:
    """`value`, or its only possible option."""
    if isinstance(value, Choice) and len(value.possible()) == 1:
        return value.known()
    return value


def _refuse_flatten(choice: Choice) -> NoReturn:
    error = choice.unknown(choice.possible())
    at = choice.origin
    error.file, error.line, error.column = at.file, at.line, at.column
    error.source_line, error.end_column, error.where = at.source_line, at.end_column, None
    raise error


# A Choice that reaches JAX (the result of a jitted function, say) is refused with the place it came from.
jax.tree_util.register_pytree_node(Choice, _refuse_flatten, lambda _, children: children)


# What is known of choices in the block that is being traced, and which tests say something about them.


Fact = tuple[Any, frozenset[int]]  # of the choices with this `which`, these options are not meant


class _Facts(threading.local):
    def __init__(self) -> None:
        self.excluded: dict[int, frozenset[int]] = {}
        self.tests: dict[int, tuple[weakref.ref[Any], list[Fact], list[Fact]]] = {}


_facts = _Facts()


def facts_of(test: Any) -> tuple[list[Fact], list[Fact]]:
    """What is known of choices when `test` is true, and when it is false."""
    found = _facts.tests.get(id(test))
    return ([], []) if found is None or found[0]() is not test else (found[1], found[2])


def remember(test: Any, when_true: list[Fact], when_false: list[Fact]) -> None:
    """Note what the truth of a staged `test` says."""
    if not isinstance(test, jax.core.Tracer) or not (when_true or when_false):
        return
    table, identity = _facts.tests, id(test)
    reference = weakref.ref(test, lambda _: table.pop(identity, None))
    table[identity] = (reference, when_true, when_false)


@contextmanager
def assuming(test: Any, truth: bool) -> Iterator[None]:
    """While the block of this test is traced: what its truth says of choices."""
    before = dict(_facts.excluded)
    for which, excluded in facts_of(test)[0 if truth else 1]:
        _facts.excluded[id(which)] = _facts.excluded.get(id(which), frozenset()) | excluded
    try:
        yield
    finally:
        _facts.excluded = before
