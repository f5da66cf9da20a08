"""Programs that people write, and their gradients: against closed forms, SciPy, scikit-learn, JAX, and
central differences of plain Python."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import runtime as rt
from tests.long import some
from tests.runtime.gradients.ordinary import learning, motion, series, shapes, solvers
from tests.runtime.gradients.ordinary.cases import CASES, Case

MODULES = (learning, motion, series, shapes, solvers)


def floats(structure: Any) -> list[np.ndarray]:
    """The floats and arrays of floats of a structure, in order."""
    if isinstance(structure, float | np.ndarray | np.floating):
        return [np.asarray(structure, dtype=float)] if np.asarray(structure).dtype.kind == "f" else []
    if isinstance(structure, dict):
        structure = [structure[key] for key in sorted(structure)]  # as JAX has them
    if isinstance(structure, list | tuple):
        return [found for part in structure for found in floats(part)]
    return floats(list(vars(structure).values())) if hasattr(structure, "__dict__") else []


def moved(structure: Any, directions: list[np.ndarray], step: float) -> Any:
    """The structure with its floats a step further along the directions, which are used up."""
    if isinstance(structure, float):
        return structure + step * float(directions.pop(0))
    if isinstance(structure, np.ndarray) and structure.dtype.kind == "f":
        return structure + step * directions.pop(0)
    if isinstance(structure, dict):
        return {key: moved(structure[key], directions, step) for key in sorted(structure)}
    if isinstance(structure, list):
        return [moved(value, directions, step) for value in structure]
    if hasattr(structure, "__dict__"):
        return type(structure)(*moved(list(vars(structure).values()), directions, step))
    return structure


def slope(case: Case, places: tuple[int, ...], directions: list[np.ndarray], step: float = 1e-6) -> float:
    """The central difference of plain Python along a direction."""
    values = []
    for sign in (step, -step):
        args, left = list(copy.deepcopy(case.args)), list(directions)
        for k in places:
            args[k] = moved(args[k], left, sign)
        values.append(float(case.function(*args)))
    return (values[0] - values[1]) / (2.0 * step)


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_gradient(case: Case, engine: str) -> None:
    places = case.argnums if isinstance(case.argnums, tuple) else (case.argnums,)
    compiled = rt.value_and_grad(rt.function(case.function, engine=engine), case.argnums)
    value, found = compiled(*copy.deepcopy(case.args))
    assert value == pytest.approx(case.function(*copy.deepcopy(case.args)), rel=1e-12)
    if case.expected is not None:
        expected = floats(case.expected(*copy.deepcopy(case.args)))
        for ours, theirs in zip(floats(found), expected, strict=True):
            scale = max(1.0, float(np.abs(theirs).max()))
            np.testing.assert_allclose(ours, theirs, rtol=case.rtol, atol=case.rtol * scale)
    if engine == "numpy" or case.expected is None:
        draw = np.random.default_rng(5)
        directions = [draw.normal(size=part.shape) for k in places for part in floats(case.args[k])]
        along = sum(np.sum(g * d) for g, d in zip(floats(found), directions, strict=True))
        assert along == pytest.approx(slope(case, places, directions), rel=2e-5, abs=1e-7)


def test_there_are_enough() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 30
