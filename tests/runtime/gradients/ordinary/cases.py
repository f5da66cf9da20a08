"""The table of ordinary programs: a function, its arguments, and what its gradient must be.

Each function gives one float. A program is written as people write it, with loops, branches and writes;
``expected`` computes its gradient in another way: a closed form, SciPy, scikit-learn, or JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """``expected`` takes the same arguments; None: central differences alone tell."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: int | tuple[int, ...]
    expected: Callable[..., Any] | None
    rtol: float

    @property
    def name(self) -> str:
        return self.function.__name__


CASES: list[Case] = []


def case(
    *args: Any,
    argnums: int | tuple[int, ...] = 0,
    expected: Callable[..., Any] | None = None,
    rtol: float = 1e-7,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append(Case(function, args, argnums, expected, rtol))
        return function

    return register
