"""Every ordinary program means what plain Python means, on both engines and converted alone."""

import pytest

from tests.differential import ENGINES
from tests.ordinary import numeric, objects
from tests.ordinary.cases import CASES

MODULES = (numeric, objects)


@pytest.mark.parametrize("engine", [*ENGINES, "convert"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_program(name, engine):
    assert CASES[name].run(engine)
