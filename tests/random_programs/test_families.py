"""Families of random programs; a long run is `python -m tests.random_programs.nesting`, and so on."""

import pytest

from tests.differential import ENGINES
from tests.random_programs.families import Family
from tests.random_programs.growing import GROWING
from tests.random_programs.nesting import NESTING
from tests.random_programs.views import VIEWS

#: how many of a few programs may be refused, at most
REFUSED = 0.1

CASES = [(NESTING, False, 60), (NESTING, True, 40), (VIEWS, False, 60), (GROWING, False, 20)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("family", "deeper", "count"), CASES)
def test_family(family: Family, deeper: bool, count: int, engine: str) -> None:
    right = [family.judge(seed, engine, deeper) for seed in range(count)]
    assert right.count(False) <= REFUSED * len(right)
