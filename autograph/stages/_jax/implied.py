"""What a staged truth value says of the choices that were made with it.

    found, at = False, None
    for i in range(n):
        if xs[i] > limit:
            found, at = True, i
    if found:
        return xs[at]

`found` and `at` come out of each branch together: where `found` is true, `at` is the number. Nothing of
this is known to JAX; it is worked out here, from the branches and iterations that the two came through.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.stages._jax.choices import Choice, Fact, facts_of, remember
from autograph.stages._jax.specs import Array, OneOf, Spec, position_in
from autograph.stages._jax.tracing import is_staged

Implied = dict[tuple[Any, bool, Any], frozenset[int]]
"""(place of a truth value, its truth, place of a choice) -> the options that may be meant."""


def implications(specs: dict[Any, Spec], values: dict[Any, Any]) -> Implied:
    """What each truth value among `values` says of each choice, as positions in the options of `specs`."""
    flags = [
        key
        for key, spec in specs.items()
        if isinstance(spec, Array) and not spec.shape and spec.dtype == bool
    ]
    choices = [(key, spec) for key, spec in specs.items() if isinstance(spec, OneOf)]
    return {
        (flag, truth, key): _possible(values[flag], truth, values[key], spec)
        for flag in flags
        for key, spec in choices
        for truth in (True, False)
    }


def _possible(flag: Any, truth: bool, value: Any, spec: OneOf) -> frozenset[int]:
    if not is_staged(flag) and bool(flag) != truth:
        return frozenset()
    if not isinstance(value, Choice):
        return frozenset({position_in(spec, value)})
    known: list[Fact] = facts_of(flag)[0 if truth else 1]
    excluded = frozenset().union(*(options for which, options in known if which is value.which))
    return frozenset(position_in(spec, value.options[k]) for k in value.possible() if k not in excluded)


def union(tables: Iterable[Implied]) -> Implied:
    """What holds whichever of these tables does."""
    joined: Implied = {}
    for table in tables:
        for key, possible in table.items():
            joined[key] = joined.get(key, frozenset()) | possible
    return joined


def note(implied: Implied, values: dict[Any, Any]) -> None:
    """From now on these values are known to be related so."""
    facts: dict[Any, tuple[list[Fact], list[Fact]]] = {}
    for (flag, truth, key), possible in implied.items():
        choice = values[key]
        if isinstance(choice, Choice):
            excluded = frozenset(range(len(choice.options))) - possible
            if excluded:
                facts.setdefault(flag, ([], []))[0 if truth else 1].append((choice.which, excluded))
    for flag, (when_true, when_false) in facts.items():
        remember(values[flag], when_true, when_false)
