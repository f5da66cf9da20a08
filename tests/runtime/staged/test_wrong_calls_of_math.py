"""`math` with too many numbers, or too few: Python's own TypeError, before machine code is made of them."""

import math

import pytest

from tests.differential import Call, check

NAMES = [name for name in dir(math) if not name.startswith("_") and callable(getattr(math, name))]


@pytest.mark.parametrize("name", NAMES)
def test_counts(name):
    function = getattr(math, name)

    def of_some(*numbers):
        return function(*numbers)

    check(of_some, *(Call(*[1.5] * count) for count in range(5)))
