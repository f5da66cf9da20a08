"""Every variation of a row means what plain Python means, on both engines and converted alone."""

import pytest

from tests.long import some
from tests.variations import (
    exceptions,
    iteration,
    managers,
    numbers,
    optional_values,
    patterns,
    texts,
    whole_programs,
)
from tests.variations.cases import CASES

MODULES = (exceptions, iteration, managers, numbers, optional_values, patterns, texts, whole_programs)


@pytest.mark.parametrize("engine", [*some(["native", "numpy"]), "convert"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_variation(name, engine):
    CASES[name].run(engine)
