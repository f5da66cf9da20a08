"""Debugging: breakpoints on the user's lines hit while a function is traced, tracebacks show these lines."""

import io
import pdb  # noqa: T100
import subprocess
import sys
import textwrap
import traceback
from pathlib import Path

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError

ROOT = Path(__file__).parents[2]

PROGRAM = textwrap.dedent("""\
    def f(x, n):
        total = 0.0
        for i in range(n):
            if x[i] > 0:
                total += x[i]
            else:
                total = shrink(total)
        return total / x[n]

    def shrink(total):
        return total - 1
""")


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    namespace = {"__name__": "program"}
    exec(compile(PROGRAM, str(file), "exec"), namespace)
    return namespace["f"]


def test_a_breakpoint_in_a_staged_body_is_hit_while_tracing(program):
    file = program.__code__.co_filename
    steps = [f"break {file}:5", f"break {file}:11", "continue", "p i, total", "where", "continue", "p total"]
    steps += [f"clear {file}:5", f"clear {file}:11", "continue"]  # their numbers count on in a process
    commands = io.StringIO("\n".join(steps) + "\n")
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=commands, stdout=output, nosigint=True, readrc=False)
    before = sys.gettrace()
    try:
        result = debugger.runcall(rt.function(program), np.array([1.0, -2.0, 3.0, 2.0]), 3)
    finally:
        sys.settrace(before)
    text = output.getvalue()
    assert result == 1.5
    assert f"{file}(5)f()" in text and "-> total += x[i]" in text
    assert "(<a staged int>, <a staged float>)" in text or "(<a staged int>, <a staged f64>)" in text
    assert f"{file}(11)shrink()" in text and "<a staged f" in text


def frames(error):
    return [(Path(e.filename).name, e.lineno) for e in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_traceback_shows_the_users_frames_and_one_of_the_call(program, engine):
    with pytest.raises(IndexError) as caught:
        rt.function(program, engine=engine)(np.array([1.0, -2.0]), 2)
    files = frames(caught.value)
    assert files[-1] == ("program.py", 8)
    ours = [name for name, _ in files if name not in ("program.py", Path(__file__).name)]
    assert ours == ["functions.py"], "the frame of the call itself cannot go, Python puts it there"


def test_all_frames_on_request(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "main.py").write_text(
        "import numpy as np, runtime as rt, program\nrt.function(program.f)(np.array([1.0, -2.0]), 2)\n"
    )

    def shown(debug):
        run = subprocess.run(
            [sys.executable, "main.py"],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "AUTOGRAPH_DEBUG": debug},
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 1
        return run.stderr

    assert shown("0").count(str(ROOT / "runtime")) == 1
    assert shown("1").count(str(ROOT / "runtime")) > 1


def test_a_refusal_shows_the_users_frames(program):
    def calls(x):
        return opens(x)

    def opens(x):
        return open("nowhere") if x > 0 else x

    with pytest.raises(StagingError) as caught:
        rt.function(calls)(np.float64(1))
    names = [e.name for e in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-2:] == ["calls", "opens"] or names[-3:] == ["calls", "opens", "opens"]
    assert len([e for e in names if e == "__call__"]) == 1


def test_coverage_counts_what_calls_reach_where_functions_run_eagerly(tmp_path):
    coverage = pytest.importorskip("coverage", reason="coverage.py is not installed")
    code = "import runtime as rt\n@rt.function\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n"
    program = tmp_path / "covered.py"
    program.write_text(code + "f(1.0)\n")
    missing = []
    for setting in ("False", "coverage.Coverage.current() is not None"):
        measured = coverage.Coverage(data_file=None, include=[str(program)], config_file=False)
        with measured.collect():
            rt.run_functions_eagerly(eval(setting))
            exec(compile(program.read_text(), str(program), "exec"), {})
        rt.run_functions_eagerly(False)
        missing.append(measured.analysis(str(program))[2])
    assert missing == [[], [6]]
