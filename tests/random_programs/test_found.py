"""Programs in which random testing found a bug, as small as they got, by name."""

import pytest

from tests.random_programs.program import Program
from tests.random_programs.properties import judge

FOUND: dict[str, Program] = {}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("engine", ["convert", "numpy", "native"])
def test_found(name: str, engine: str) -> None:
    verdict = judge(FOUND[name], (engine,))
    assert verdict.status in ("equal", "refused"), verdict.reason
