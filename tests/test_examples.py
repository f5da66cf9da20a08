"""Every example runs, on every engine, gives plain Python's answer (it checks that itself) and a true one."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

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
}


@pytest.fixture
def example(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example's module, imported as a script of its folder finds it."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    module = importlib.import_module(request.param)
    monkeypatch.delitem(sys.modules, request.param)
    return module


def test_every_example_is_tested() -> None:
    helpers = {"beside", "demo"}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == CASES.keys() | helpers


@pytest.mark.parametrize("engine", ["numpy", "native", "auto"])
@pytest.mark.parametrize("example", CASES, indirect=True)
def test_example(example: ModuleType, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    sizes, expected = CASES[example.__name__]
    answer = example.main(**sizes, engine=engine)
    assert expected(answer) if callable(expected) else answer == expected
    assert f"the same answer from plain Python and from {engine!r}" in capsys.readouterr().out
