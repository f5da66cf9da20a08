"""Tests of each operation of the registry on each of its samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
