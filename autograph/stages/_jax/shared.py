"""Arrays that may be one and the same at run time, although JAX carries them as two.

After `z = x if c else y`, `z` is `x` or `y`. As long as nobody assigns an item of one of them, nobody can
tell.

>>> import jax.numpy as jnp
>>> x, z = jnp.zeros(3), jnp.zeros(3)
>>> may_share(z, x)
False
>>> link(z, x)
>>> may_share(z, x), may_share(x, z)
(True, True)
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import jax

from autograph.stages._jax import views
from autograph.stages._jax.tracing import core_of

Pairs = frozenset[tuple[Hashable, Hashable]]


class _Links(threading.local):
    def __init__(self) -> None:
        self.of: dict[int, list[weakref.ref[Any]]] = {}


_links = _Links()


def is_shareable(value: Any) -> bool:
    """Is this an array with items that can be assigned?"""
    return isinstance(value, jax.Array) and value.ndim > 0


def link(a: Any, b: Any) -> None:
    """From now on these may be one array, and `a` may be what `b` may be."""
    if is_shareable(a) and is_shareable(b):
        a = core_of(a)
        for other in family(b):
            if other is not a and not any(known is other for known in _linked(a)):
                _add(a, other)
                _add(other, a)


def _add(a: Any, b: Any) -> None:
    table, identity = _links.of, id(a)
    if identity not in table:
        table[identity] = []
        weakref.finalize(a, table.pop, identity, None).atexit = False
    table[identity].append(weakref.ref(b))


def _linked(array: Any) -> Iterator[Any]:
    for reference in list(_links.of.get(id(array), ())):
        other = reference()
        if other is not None:
            yield other


def family(array: Any) -> list[Any]:
    """The array (as the program has it), what it is a view of, and what these may be one with."""
    found = views.chain(array)
    return found + [other for each in list(found) for other in _linked(each)]


def may_share(a: Any, b: Any) -> bool:
    """May an assignment to an item of `a` be one to an item of `b`, as NumPy has it?"""
    if not (is_shareable(a) and is_shareable(b)):
        return False
    theirs = set(map(id, views.chain(b)))
    common = [array for array in family(a) if id(array) in theirs]
    return bool(common) and not views.are_apart(a, b)


def pairs(held: Sequence[tuple[Hashable, Any]]) -> Pairs:
    """The names among `held` whose arrays are, or may be, the same."""
    found: set[tuple[Hashable, Hashable]] = set()
    by_identity: dict[int, list[Hashable]] = {}
    for name, array in held:
        if is_shareable(array):
            by_identity.setdefault(id(array), []).append(name)
    for names in by_identity.values():
        found.update(combinations(names, 2))
    arrays = [(name, array) for name, array in held if is_shareable(array)]
    found.update((a, b) for (a, x), (b, y) in combinations(arrays, 2) if x is not y and may_share(x, y))
    return frozenset(found)


def note_views(arrays: Iterable[Any]) -> None:
    """Remember what these are views of, which can be told only while their block is being traced."""
    for array in arrays:
        if is_shareable(array):
            for base in views.chain(array)[1:]:
                link(array, base)


def after_branches(results: list[Any], sides: Iterable[list[Any]]) -> None:
    """`results` come out of a conditional whose branches gave `sides`, arrays of before among them.

    What is one array on all sides is one in `results` too.
    """
    sides = list(sides)
    whole: dict[tuple[int, ...], Any] = {}
    for k, result in enumerate(results):
        given = [side[k] for side in sides]
        if is_shareable(result) and all(map(is_shareable, given)):
            one = whole.setdefault(tuple(map(id, given)), result)
            if one.dtype == result.dtype and one.shape == result.shape:
                results[k] = one
    for side in sides:
        for a, b in pairs(list(enumerate(side))):
            link(results[a], results[b])  # type: ignore[call-overload]
        for result, given in zip(results, side, strict=True):
            link(result, given)


class Carried:
    """What is one array among those that a loop carries: found as its body is traced."""

    def __init__(self) -> None:
        self._pairs: Pairs = frozenset()
        self._outer: dict[Hashable, list[Any]] = {}
        self._fresh: set[Hashable] = set()
        """What an iteration leaves an array of its own in."""

    def begin(self, before: Iterable[tuple[Hashable, Any]]) -> None:
        """What the loop's places hold at first."""
        held = list(before)
        self._pairs |= pairs(held)
        for name, array in held:
            if is_shareable(array):
                self._remember(name, [array])

    def relate(self, given: Iterable[tuple[Hashable, Any]], after: Iterable[tuple[Hashable, Any]]) -> bool:
        """After an iteration; False when nothing is new."""
        known = self._pairs, {name: len(arrays) for name, arrays in self._outer.items()}
        held = list(after)
        self._pairs |= pairs(held)
        names = {id(array): name for name, array in given}
        self._fresh = set()
        for name, array in held:
            if id(array) in names:
                self._remember(name, self._outer.get(names[id(array)], ()))
            elif is_shareable(array):
                old = [a for a in self._all() if may_share(array, a)]
                self._remember(name, old)
                if not old:
                    self._fresh.add(name)
        return known != (self._pairs, {name: len(arrays) for name, arrays in self._outer.items()})

    def _all(self) -> list[Any]:
        return [array for arrays in self._outer.values() for array in arrays]

    def _remember(self, name: Hashable, arrays: Iterable[Any]) -> None:
        held = self._outer.setdefault(name, [])
        held += [array for array in arrays if not any(array is known for known in held)]

    def note(self, values: Iterable[tuple[Hashable, Any]], after_one: bool = False) -> None:
        """What the loop's places hold in an iteration, or after the last (`after_one`: of one or more)."""
        held = dict(values)
        for a, b in self._pairs:
            link(held.get(a), held.get(b))
        for name, array in held.items():
            if not (after_one and name in self._fresh):
                for outer in self._outer.get(name, ()):
                    link(array, outer)
