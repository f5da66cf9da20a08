"""Random programs over both bases: each is right or refused."""

import pytest

from tests.random_programs.choices import seeded
from tests.stage_programs.__main__ import found
from tests.stage_programs.generator import program


@pytest.mark.parametrize("seed", range(25))
def test_right_or_refused(seed):
    text = program(seeded(f"suite/{seed}"))
    assert found(text) is None, text
