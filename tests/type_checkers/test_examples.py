"""mypy and pyright over a file of examples: signatures and results are kept, mistakes are found."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import runtime as rt
from runtime.functions.decorator_types import Options

ROOT = Path(__file__).parents[2]
EXAMPLES = Path(__file__).parent / "examples.py"


def run(*command: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", *command, str(EXAMPLES)], capture_output=True, text=True, check=False, cwd=ROOT
    ).stdout


def lines_of_mypy() -> dict[int, str]:
    told = run("mypy", "--strict", "--follow-imports=silent", "--cache-dir=.mypy_cache/examples")
    return {int(n): text for n, text in re.findall(r"^\S+examples\.py:(\d+): error: (.*)$", told, re.M)}


def lines_of_pyright() -> dict[int, str]:
    told = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable))
    assert told["summary"]["filesAnalyzed"] == 1
    errors = [one for one in told["generalDiagnostics"] if one["severity"] == "error"]
    return {one["range"]["start"]["line"] + 1: one["message"] for one in errors}


@pytest.mark.parametrize("checker", [lines_of_mypy, lines_of_pyright], ids=["mypy", "pyright"])
def test_what_checkers_say_of_the_examples(checker):
    pytest.importorskip(checker.__name__.rpartition("_")[2])
    found = checker()
    wanted = {n for n, line in enumerate(EXAMPLES.read_text().splitlines(), 1) if line.endswith("# error")}
    assert {n: text for n, text in found.items() if n not in wanted} == {}
    assert wanted - found.keys() == set()


def test_checkers_know_every_option():
    assert {"python_function", *Options.__annotations__} == set(inspect.signature(rt.function).parameters) - {
        "unknown"
    }
