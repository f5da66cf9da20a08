"""`range` with bounds that only a run knows."""

from __future__ import annotations

from typing import Any

import pytest

import runtime
from autograph.errors import StagingError


def test_a_range_of_an_object_is_refused() -> None:
    @runtime.function
    def count(x: float) -> Any:
        total = x
        try:
            total = 1.0 // x
        except ZeroDivisionError as error:
            for i in range(error):
                total = total + i
        return total

    with pytest.raises(StagingError, match="taken for an integer") as caught:
        count(0.0)
    assert caught.value.line == count.python_function.__code__.co_firstlineno + 6


def test_a_range_of_a_float_raises_what_python_raises() -> None:
    @runtime.function
    def count(x: float) -> Any:
        total = x
        for i in range(x):
            total = total + i
        return total

    with pytest.raises(TypeError, match="^'float' object cannot be interpreted as an integer$"):
        count(1.5)
