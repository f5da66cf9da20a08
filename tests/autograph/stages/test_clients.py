"""The table of programs over the stages of examples/stages, with their libraries: none is silently wrong."""

import importlib
import sys
from pathlib import Path

import pytest

from autograph.stages.testing import check_stage

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "stages"


def parts(value):
    """Numbers and values of a library, in the lists and tuples that the program gave."""
    return [leaf for part in value for leaf in parts(part)] if isinstance(value, (list, tuple)) else [value]


def with_casadi(ca, stage, function, numbers):
    symbols = [ca.SX.sym(f"x{place}") for place, _ in enumerate(numbers)]
    column = ca.vertcat(*parts(stage.convert(function)(*symbols)))
    return ca.Function("f", symbols, [column])(*numbers).full().ravel().tolist()


def with_z3(z3, stage, function, numbers):
    def number(value):
        if not isinstance(value, z3.ExprRef):
            return value
        value = z3.simplify(z3.substitute(value, *zip(symbols, map(z3.RealVal, numbers))))
        if z3.is_bool(value):
            return z3.is_true(value)
        return float(value.as_fraction()) if z3.is_real(value) else value.as_long()

    symbols = z3.Reals([f"x{place}" for place, _ in enumerate(numbers)])
    stage.theorems = []
    return list(map(number, parts(stage.convert(function)(*symbols))))


def with_polars(pl, stage, function, numbers):
    frame = pl.DataFrame({f"x{place}": [number] for place, number in enumerate(numbers)})
    found = parts(stage.convert(function)(*map(pl.col, frame.columns)))
    return [frame.select(value).item() if isinstance(value, pl.Expr) else value for value in found]


def with_jax(jax, stage, function, numbers):
    return parts(jax.jit(stage.convert(function))(*numbers))


CLIENTS = [
    pytest.param("casadi", "control_with_casadi", with_casadi, id="casadi"),
    pytest.param("z3", "prove_with_z3", with_z3, id="z3"),
    pytest.param("polars", "rows_with_polars", with_polars, id="polars"),
    pytest.param("jax", "loops_with_jax", with_jax, id="jax", marks=pytest.mark.long),
]


@pytest.mark.parametrize("library, example, run", CLIENTS)
def test_no_program_of_the_table_is_silently_wrong(library, example, run, monkeypatch):
    imported = pytest.importorskip(library, reason=f"{library} is of the extra `stages` or `jax`")
    monkeypatch.syspath_prepend(str(FOLDER))
    stage = importlib.import_module(example).stage
    monkeypatch.delitem(sys.modules, example)
    report = check_stage(stage, lambda function, *numbers: run(imported, stage, function, numbers))
    assert len(report.of("right")) >= 10
