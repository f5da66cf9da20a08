"""`range` with bounds that only a run knows."""

from __future__ import annotations

from typing import Any

import pytest

import runtime
from tests.differential import check


def test_a_range_of_an_exception_is_a_type_error() -> None:
    def count(x: float) -> Any:
        total = x
        try:
            total = 1.0 // x
        except ZeroDivisionError as error:
            for i in range(error):  # type: ignore[call-overload]
                total = total + i
        return total

    assert check(count, (0.0,), (2.0,))


def test_a_range_of_a_float_raises_what_python_raises() -> None:
    @runtime.function
    def count(x: float) -> Any:
        total = x
        for i in range(x):
            total = total + i
        return total

    with pytest.raises(TypeError, match="^'float' object cannot be interpreted as an integer$"):
        count(1.5)
