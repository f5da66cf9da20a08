"""The programs of the feature table, each traced, saved, loaded and run: as plain Python, or refused."""

import pytest

import runtime as rt
from tests.differential import check
from tests.features import registry
from tests.features.refused import REFUSED
from tests.long import some

ROWS = {name: row for name, row in registry.load().items() if row.kind == "function" and name not in REFUSED}
#: what needs the program that made it
NEEDS_PYTHON = {
    "callable object", "custom exception type", "dataclass functional state", "global write in callee",
    "global write in if", "global write in loop", "method mutates self in branch",
    "method mutates self in loop", "object returned from branch",
}  # fmt: skip


@pytest.mark.parametrize("name", some(sorted(ROWS), 3))
def test_row(name, tmp_path):
    def through_a_file(function):
        traced = rt.function(function, engine="numpy")

        def call(*args, **kwargs):
            rt.save(tmp_path / "f", traced.get_concrete_function(*args, **kwargs))
            return rt.load(tmp_path / "f", engine="numpy")(*args, **kwargs)

        return call

    row, refused = ROWS[name], name in NEEDS_PYTHON
    ran = check(row.program, *row.calls, engines=[through_a_file], may_refuse=refused, **row.options)
    assert ran != refused
