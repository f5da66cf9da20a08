"""Every row of the feature table: right on both engines, or in refused.py and refused properly."""

from collections import Counter
from typing import Any

import pytest

from tests.differential import ENGINES
from tests.features import registry
from tests.features.refused import REFUSED

ROWS = registry.load()
NAMES = sorted(ROWS)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_row(name: str, engine: str) -> None:
    refused = name in REFUSED
    ran = ROWS[name].run(engine, may_refuse=refused)
    assert ran != refused, f"row {name!r} works now on {engine}: take it out of refused.py"


@pytest.mark.parametrize("name", NAMES)
def test_converted_on_plain_values(name: str) -> None:
    ROWS[name].run("convert")


def test_every_row_has_a_program_in_the_module_of_its_section() -> None:
    expected = {name: registry.module_of(section) for section, name in registry.table()}
    got = {name: row.program.__module__ for name, row in ROWS.items()}
    assert got == expected


def test_every_program_has_several_calls() -> None:
    few = [row.name for row in ROWS.values() if row.kind != "scenario" and len(row.calls) < 2]
    assert few == []


def test_refused_rows_are_rows() -> None:
    assert set(REFUSED) <= set(ROWS)


def test_the_table_has_226_rows() -> None:
    names: Counter[Any] = Counter(name for _, name in registry.table())
    assert len(names) == 226
    assert max(names.values()) == 1
