"""A file of the user's that is called runtime.py or autograph.py hides the package of that name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = "import runtime as rt\n@rt.function\ndef f(x):\n    return x + 1 if x > 0 else x\nprint(f(2))\n"
PLAIN = "def f(x):\n    return x + 1 if x > 0 else x\n"
COMMAND = "import sys; from autograph.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def run(tmp_path):
    def run_python(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr.splitlines()

    return run_python


@pytest.mark.parametrize("started", ["program.py", "autograph.py"])
def test_autograph_py(tmp_path, run, started):
    for name in ("program.py", "autograph.py"):
        (tmp_path / name).write_text(PROGRAM)
    status, said = run(started)
    assert status == 1
    assert said[-1] == (
        f"ImportError: the file {tmp_path / 'autograph.py'} hides the package `autograph`, "
        "which `runtime` needs: rename the file"
    )


@pytest.mark.parametrize("text", [PROGRAM, PLAIN], ids=["imported by the module", "imported by the command"])
def test_runtime_py_and_the_command_line(tmp_path, run, text):
    (tmp_path / "program.py").write_text(text)
    (tmp_path / "runtime.py").write_text("def helper(): return 1\n")
    status, said = run("-P", "-c", COMMAND, "graph", "program.py:f", "f64")
    assert status == 2
    assert said == [
        f"{tmp_path / 'runtime.py'}: this file hides the package `runtime` ({ROOT / 'runtime'})",
        "hint: rename the file, or the folder that it makes a package",
    ]
