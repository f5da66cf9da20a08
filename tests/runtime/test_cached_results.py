"""What a cached function (`functools.lru_cache`) gives is one object for all callers: right, or refused."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import check

CALLS = [(np.arange(3.0),), (np.ones(3),), (np.arange(3.0),)]
WEIGHTS = np.array([1.0, 2.0, 3.0])


@functools.lru_cache
def counts(n: int) -> list[int]:
    return [0] * n


@functools.lru_cache
def zeros(n: int) -> Any:
    return np.zeros(n)


@functools.lru_cache
def both(n: int) -> Any:
    return n, (n + 1, {"n": n})


@functools.lru_cache
def steps(n: int) -> Iterator[int]:
    return (k * k for k in range(n))


@pytest.mark.parametrize("cached", [counts, zeros, both, steps])
def test_what_callers_could_change_is_refused(cached: Any) -> None:
    @rt.function
    def program(x: Any) -> Any:
        made = cached(3)
        if cached is not steps:
            made[0] = made[0] + 1
        return x, made

    with pytest.raises(autograph.StagingError, match="which is the same object for all who call it"):
        program(np.ones(3))


def test_the_ways_out() -> None:
    table = zeros(3)

    def passed(x: Any, held: Any) -> Any:
        held[0] = held[0] + x[0]
        return held * table

    check(passed, *[(x, np.zeros(3)) for (x,) in CALLS])

    def anew(x: Any) -> Any:
        made = counts.__wrapped__(3)
        made[0] += 1
        return x * made[0]

    check(anew, *CALLS)


def test_numbers_tuples_and_what_was_there_before() -> None:
    @functools.lru_cache
    def squares(n: int) -> tuple[int, ...]:
        return tuple(k * k for k in range(n))

    @functools.cache
    def weights(n: int) -> Any:
        return WEIGHTS if n else None

    def program(x: Any) -> Any:
        return x * sum(squares(4)), squares(3), weights(1) @ x, weights(0)

    check(program, *CALLS)
