"""Every case of nasty meaning: as plain Python, or in refused.py and refused properly."""

import pytest

from tests.differential import ENGINES
from tests.semantics import arrays, effects, numbers, state
from tests.semantics.cases import CASES
from tests.semantics.refused import REFUSED

MODULES = (arrays, effects, numbers, state)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", sorted(CASES))
def test_case(name: str, engine: str) -> None:
    refused = name in REFUSED
    ran = CASES[name].run(engine, may_refuse=refused)
    assert ran != refused, f"{name!r} works now on {engine}: take it out of refused.py"


@pytest.mark.parametrize("name", sorted(CASES))
def test_converted_on_plain_values(name: str) -> None:
    CASES[name].run("convert")


def test_refused_cases_are_cases() -> None:
    assert set(REFUSED) <= set(CASES)
