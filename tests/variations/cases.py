"""Other programs for the rows of the feature table: the same situations in another guise.

    @case((floats(1, 2),), (floats(-1, 2),))
    def best_of(x): ...

One module per mechanism of the table. `docs/situations.md` shows the programs of the rows themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.features.registry import Row, as_call

CASES: dict[str, Row] = {}


def case(*calls: Any, **options: Any) -> Callable[[Any], Any]:
    """Register a function and its calls under the function's name."""

    def register(program: Any) -> Any:
        return _add(Row(program.__name__, program, tuple(map(as_call, calls)), "function", options))

    return register


def scenario(program: Any) -> Any:
    """Register a function of the decorator under its name."""
    return _add(Row(program.__name__, program, (), "scenario"))


def _add(row: Row) -> Any:
    assert row.name not in CASES, f"two cases are called {row.name}"
    CASES[row.name] = row
    return row.program
