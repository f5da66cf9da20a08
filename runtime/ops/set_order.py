"""Sets that each run makes again, in the order of the one that the trace made.

CPython's order of a set's items depends on their hashes, on the size of its table, on which of two items with
one place came first, and on what was there and went: `{50, 1, 2, 3}`, `{1, 2, 3} ^ {1, 9}` and their copies
may differ in it. Programs print sets, and add up their items.

>>> original = {1, 2, 3} ^ {1, 9}
>>> list(original), list(set(list(original))), list(same_again(original)())
([2, 3, 9], [9, 2, 3], [2, 3, 9])
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

AnySet: TypeAlias = set[Any] | frozenset[Any]

#: members whose equals are as good, in every run of this process
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
_ENTRY = 16  # bytes of a place in the table
_SMALLEST = 8  # places in the table that stands in the set itself
_TRIES = 300


def same_again(original: AnySet) -> Callable[[], AnySet] | None:
    """A function that makes sets with the items of ``original`` in its order, where one is found.

    Else it is that of a copy. None where an item is no plain value.
    """
    if not all(isinstance(item, _PLAIN) for item in original):
        return None
    kind: Any = frozenset if isinstance(original, frozenset) else set
    order = list(original)
    for source in (set(original), order):
        if list(kind(source)) == order:
            return functools.partial(kind, source)
    return _found(kind, order, _places(original)) or functools.partial(kind, set(original))


def _places(items: AnySet) -> int:
    return (items.__sizeof__() - type(items)().__sizeof__()) // _ENTRY or _SMALLEST


def _found(kind: Any, order: list[Any], places: int) -> Callable[[], AnySet] | None:
    """A way into a table of so many places, looked for at random: who comes first, who is displaced."""
    chance = random.Random(0)
    items: list[Any] = list(order)
    takers: list[int] = []  # take a place before the others come, and go
    for _ in range(_TRIES):
        make = functools.partial(_made, kind, takers.copy(), items.copy(), places)
        made = list(make())
        if made == order:
            return make
        if len(takers) + len(items) >= places // 2:
            return None
        wanted, other = next(pair for pair in zip(order, made, strict=True) if pair[0] is not pair[1])
        match chance.randrange(4):
            case 0 | 1:
                items.remove(wanted)
                items.insert(items.index(other), wanted)
            case 2:
                items.remove(other)
                items.append(other)
            case _:
                place = hash(other) % places
                takers.append(next(n for n in itertools.count(place, places) if n not in {*order, *takers}))
                if chance.randrange(4) == 0:
                    del takers[chance.randrange(len(takers))]
    return None


def _made(kind: Any, takers: list[int], items: list[Any], places: int) -> AnySet:
    # For the keys of a dict CPython makes a table of its final size: the least power of two that is more than
    # twice as large, where they do not fit into the smallest.
    least = 0 if places == _SMALLEST else places // 4
    others = [object() for _ in range(least - len(takers) - len(items))]
    made = set(dict.fromkeys([*takers, *items, *others]))
    for item in [*takers, *others]:
        made.discard(item)
    return made if kind is set else kind(made)
