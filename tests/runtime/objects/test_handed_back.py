"""What Python's own functions hand back is the object that a method gave them, or that they were given."""

import itertools
from typing import Any

from tests.differential import check


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
