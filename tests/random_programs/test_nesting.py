"""Containers in containers, with several names; a long run is `python -m tests.random_programs.nesting`."""

import pytest

from tests.differential import ENGINES
from tests.random_programs import nesting

#: how many of a few programs may be refused, at most
REFUSED = 0.1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("first", range(0, 60, 20))
@pytest.mark.parametrize("deeper", [False, True])
def test_nesting(first: int, engine: str, deeper: bool) -> None:
    right = [nesting.judge(seed, engine, deeper) for seed in range(first, first + 20)]
    assert right.count(False) <= REFUSED * len(right)
