"""Every example runs, on every engine, gives plain Python's answer (it checks that itself) and a true one."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.long import some

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

# Small sizes, and what the example's `main` has to return for them.
CASES = {
    "mandelbrot": (
        {"width": 40, "height": 4, "limit": 60},
        lambda times: times.max() == 60 > 2 >= times.min(),
    ),
    "newton": ({"times": 500}, lambda answer: answer[0].shape == (500,) and answer[1] == 7),
    "collatz": ({"limit": 1000}, (871, 179)),
    "edit_distance": ({"letters": 80}, 5),
    "kmeans": ({"points": 150, "clusters": 4, "limit": 30}, lambda share: 0.3 < share < 0.6),
    "life": ({"rows": 16, "columns": 20, "seed": 1}, lambda generations: 2 <= generations < 2000),
    "bisection": ({"months": 120}, lambda yearly: 0.04 < yearly < 0.06),
    "fit_growth": ({"steps": 40}, lambda found: np.allclose(found, [1.1, 3.0], atol=0.2)),
    "throw_ball": ({}, lambda place: abs(place - 12.0) < 1e-8),
    "sample_posterior": ({"samples": 300}, lambda trend: abs(trend[0] - 0.8) < 0.1 and 0.05 < trend[1] < 0.2),
    "train_network": ({"epochs": 3, "hidden": 16}, lambda share: share > 0.8),
    "find_sphere": (
        {"size": 8, "steps": 8},
        lambda scene: np.abs(scene - [0.3, 0.1, 3.0, 0.9]).sum() < 0.8,  # it was 1.0 where the search began
    ),
    "average_rhythm": ({"length": 16, "steps": 5}, lambda peak: peak > 0.4),
}

# Those of examples/stages: the library that each needs, small sizes, and what its `main` has to return.
STAGES = {
    "control_with_casadi": (
        "casadi",
        {"steps": 8, "limit": 5.0},
        lambda speeds: 4.9 < speeds.max() <= 5.0 and speeds[0] == 0,
    ),
    "prove_with_z3": (
        "z3",
        {},
        {
            "sort": [("assert", None)],
            "absolute": [("assert", ["128"])],
            "year_of": [("the loop ends", ["366"])],
        },
    ),
    "rows_with_polars": ("polars", {"rows": 1000}, lambda taxes: len(taxes) == 1000 > taxes.null_count() > 0),
    "loops_with_jax": (
        "jax",
        {},
        lambda found: found[0][:6] == [0, 1, 7, 2, 5, 8] and abs(found[1] - 0.25) < 1e-4,
    ),
}


@pytest.fixture
def example(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example's module, imported as a script of its folder finds it."""
    folder = EXAMPLES
    if request.param in STAGES:
        folder, library = EXAMPLES / "stages", STAGES[request.param][0]
        pytest.importorskip(library, reason=f"needs {library}, which the extra `stages` or `jax` brings")
    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module(request.param)
    monkeypatch.delitem(sys.modules, request.param)
    return module


def test_every_example_is_tested() -> None:
    helpers = {"beside", "demo", "plots"}
    others = {"recognise_digits", "many_devices"}  # runtime/jax/test_devices.py runs the latter
    assert {path.stem for path in EXAMPLES.glob("*.py")} == CASES.keys() | helpers | others
    assert {path.stem for path in (EXAMPLES / "stages").glob("*.py")} == STAGES.keys()


@pytest.mark.parametrize("engine", some(["auto", "native", "numpy"], 2))
@pytest.mark.parametrize("example", CASES, indirect=True)
def test_example(example: ModuleType, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    sizes, expected = CASES[example.__name__]
    answer = example.main(**sizes, engine=engine)
    assert expected(answer) if callable(expected) else answer == expected
    assert f"the same answer from plain Python and from {engine!r}" in capsys.readouterr().out


@pytest.mark.parametrize("example", STAGES, indirect=True)
def test_example_of_a_stage(example: ModuleType) -> None:
    _, sizes, expected = STAGES[example.__name__]
    answer = example.main(**sizes)
    assert expected(answer) if callable(expected) else answer == expected


@pytest.mark.parametrize("example", ["recognise_digits"], indirect=True)
def test_a_network_is_trained_saved_and_exported(
    example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in ("sklearn", "tensorboard", "onnxruntime"):
        pytest.importorskip(package)
    assert example.main(epochs=4, folder=tmp_path) > 0.8
    said = capsys.readouterr().out
    assert "the same digits from a fresh process" in said and "the same digits from ONNX Runtime" in said
    assert list((tmp_path / "logs").glob("events.out.tfevents.*.v2"))


@pytest.mark.parametrize("example", ["throw_ball"], indirect=True)
def test_plots_are_saved_or_shown_as_text(
    example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "throw.png"
    example.main(picture=str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG") and str(picture) in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    example.main(picture=str(picture))
    assert "* height, from 0.0" in capsys.readouterr().out
