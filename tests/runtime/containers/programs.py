"""Programs over containers, each compared with plain Python on both engines, call after call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differential import ENGINES, check

X = np.array([3.0, -1.0, 4.0])
Y = np.array([-2.0, 7.0, -1.0])
#: longer than what is unrolled
LONG = np.arange(40.0) - 20


class Programs:
    """The programs of one test module.

    >>> programs = Programs()
    >>> @programs.of((1,), (2,))
    ... def double(n):
    ...     return [n, n]
    >>> [name for name, _, _ in programs.all]
    ['double']
    """

    def __init__(self) -> None:
        self.all: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = []

    def of(self, *calls: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a function, with the arguments of several calls of it."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self.all.append((function.__name__, function, calls))
            return function

        return register

    def test(self) -> Callable[..., None]:
        """A test of each program on each engine."""

        @pytest.mark.parametrize("engine", ENGINES)
        @pytest.mark.parametrize(("function", "calls"), [pytest.param(f, c, id=n) for n, f, c in self.all])
        def test_program(function: Callable[..., Any], calls: tuple[Any, ...], engine: str) -> None:
            check(function, *calls, engines=[engine])

        return test_program
