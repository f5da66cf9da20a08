"""Tests of each operation of the registry on each of its samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Sample = list[Any]
Test = Callable[[str, Sample], None]


def each_sample(of: dict[str, list[Sample]]) -> Callable[[Test], Callable[..., None]]:
    """Make one test of each operation: thousands of tests of a millisecond are mostly pytest's own work.

    >>> @each_sample({"add": [[(3,), (3,)], [(), (2,)]]})
    ... def test_an_operation(name, sample):
    ...     print(name, sample)
    >>> test_an_operation("add")
    add [(3,), (3,)]
    add [(), (2,)]
    """

    def decorate(test: Test) -> Callable[..., None]:
        @pytest.mark.parametrize("name", of)
        def test_of_each(name: str) -> None:
            for sample in of[name]:
                try:
                    test(name, sample)
                except BaseException as error:
                    error.add_note(f"the sample: {sample}")
                    raise

        test_of_each.__name__, test_of_each.__doc__ = test.__name__, test.__doc__
        return test_of_each

    return decorate


_STRANGE: dict[str, list[Any]] = {
    "b": [True, False, False, True, True],
    "u": [0, 1, 255, 7, 3, 2, 254, 128, 4, 9, 6],
    "i": [0, -1, 5, -7, 3, 2, -127, 127, 4, -3, 6],
    "f": [0.0, np.nan, -np.inf, np.inf, -1.5, 2.5, -0.0, 3.0, 1e18, -0.3, 7.0],
    "c": [0, complex(1, np.nan), complex(np.inf, -1), -1.5 + 2j, 2.5, -0.0, 1e18j, 3 - 4j, complex(0, -0.0)],
}


def strange(shape: tuple[int, ...], dtype: Any, operand: int = 0) -> Any:
    """Zeros of both signs, NaN, infinity, and numbers whose products are too large; others for each operand.

    >>> strange((5,), "int8", 1)
    array([-127,  127,    4,   -3,    6], dtype=int8)
    """
    numbers = np.roll(_STRANGE[np.dtype(dtype).kind], -6 * operand)
    with np.errstate(over="ignore"):
        return np.resize(numbers, shape).astype(dtype)
