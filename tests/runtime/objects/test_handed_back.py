"""What Python's own functions hand back is the object that a method gave them, or that they were given."""

import functools
import itertools
import math
import operator
from collections import deque
from typing import Any

import pytest

from tests.differential import check


class Own:
    """Every operator gives the object itself, or another one."""

    def __init__(self, a: Any, b: float = 0.0) -> None:
        self.a = a
        self.b = b

    def pick(self, *_: Any) -> Any:
        return self if self.a >= 0 else Own(-self.a)

    __abs__ = __round__ = __neg__ = __invert__ = __getitem__ = __add__ = __radd__ = __pow__ = __call__ = pick
    __floor__ = __ceil__ = __trunc__ = __next__ = __divmod__ = __iadd__ = pick

    def __lt__(self, other: Any) -> Any:
        return self.a < other.a

    def __gt__(self, other: Any) -> Any:
        return self.a > other.a

    def __iter__(self) -> Any:
        return self

    @property
    def picked(self) -> Any:
        return self.pick()


WAYS = {
    "abs": abs,
    "round": round,
    "operator.abs": operator.abs,
    "operator.invert": operator.invert,
    "operator.getitem": lambda d: operator.getitem(d, 0),
    "itemgetter": lambda d: operator.itemgetter(0)(d),
    "attrgetter": lambda d: operator.attrgetter("picked")(d),
    "partial": lambda d: functools.partial(Own.pick, d)(),
    "operator.iadd": lambda d: operator.iadd(d, 1),
    "sum": lambda d: sum([d, d]),
    "pow": lambda d: pow(d, 2),
    "divmod": lambda d: divmod(d, 2),
    "reduce": lambda d: functools.reduce(operator.add, [d, d, d]),
    "accumulate": lambda d: list(itertools.accumulate([d, d], operator.add))[-1],
    "map": lambda d: list(map(abs, [d]))[0],
    "next": next,
    "floor": math.floor,
    "min": lambda d: min(d, Own(d.a + 1)),
    "max of key": lambda d: max([d, Own(d.a + 1)], key=lambda one: -one.a),
    "sorted": lambda d: sorted([Own(d.a + 1), d])[0],
    "chain": lambda d: next(itertools.chain([d], [d])),
    "cycle": lambda d: next(itertools.cycle([d])),
    "zip": lambda d: next(zip([d], [1], strict=True))[0],
    "filter": lambda d: next(filter(lambda one: one.a > -100, [d])),
    "its iterator": lambda d: next(iter(d)),
    "deque": lambda d: deque([d]).popleft(),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_the_object_itself(way: Any) -> None:
    def halved(x):
        d = Own(x, 1.0)
        for _ in range(50):
            found = way(d)
            if found.a < 1e-3:
                break
            d = Own(d.a * 0.5, 1.0)
        return d.a, found.a, found.b, found is d

    check(halved, (1.5,), (-1.5,))


class Shelf:
    """Items to iterate over, and callable."""

    def __init__(self, items: Any) -> None:
        self.items = items

    def __iter__(self) -> Any:
        return iter(self.items)

    def __call__(self) -> Any:
        return self.items[0]


def test_what_can_be_called_is_an_item_as_well() -> None:
    def looked_at(x):
        shelf = Shelf([x, x + 1])
        kept = next(itertools.cycle([looked_at_by])), next(itertools.cycle([shelf]))
        both = [*itertools.chain(shelf, shelf), *zip(shelf, shelf, strict=True)]
        return sum(iter(shelf)), kept[0] is looked_at_by, kept[1] is shelf, both, sorted(shelf), max(shelf)

    def looked_at_by(x):
        return x

    check(looked_at, (1.5,), (-1.5,))
