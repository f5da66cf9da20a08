"""Debuggers, coverage and profilers see the user's own lines, in the user's own functions."""

import cProfile
import io
import os
import pdb  # noqa: T100
import pstats
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import autograph

ROOT = Path(__file__).parents[2]

PROGRAM = textwrap.dedent("""\
    def f(n):
        total = 0
        for i in range(n):
            if i % 2:
                total += i
            else:
                total -= 1
        while total > 100:
            total -= 100
        return total
""")


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    namespace = {"__name__": "program"}
    exec(compile(PROGRAM, str(file), "exec"), namespace)
    return namespace["f"]


def lines_run(function, *args):
    """The lines of the function's file that `function` runs, in order."""
    file = function.__code__.co_filename
    seen = []

    def trace(frame, event, _):
        if frame.f_code.co_filename != file:
            return None
        if event == "line":
            seen.append((frame.f_code.co_name, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*args)
    finally:
        sys.settrace(before)
    return seen


def test_every_line_that_python_runs_is_seen(program, stages):
    converted = autograph.convert(program)
    plain = lines_run(program, 3)
    seen = lines_run(converted, 3)
    assert set(plain) <= set(seen)
    assert {name for name, _ in seen} == {"f"}


def test_without_a_stage_the_lines_are_exactly_those(program):
    assert lines_run(autograph.convert(program), 3) == lines_run(program, 3)


def test_a_breakpoint_in_a_loop_body_stops_there(program, stages, monkeypatch):
    converted = autograph.convert(program)
    here = f"{program.__code__.co_filename}:5"
    steps = [f"break {here}", "continue", "p i, total", "continue", "p i, total", f"clear {here}", "continue"]
    commands = io.StringIO("\n".join(steps) + "\n")
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=commands, stdout=output, nosigint=True, readrc=False)
    before = sys.gettrace()
    try:
        debugger.runcall(converted, 5)
    finally:
        sys.settrace(before)
    text = output.getvalue()
    assert "(1, -1)" in text and "(3, -1)" in text
    assert f"{program.__code__.co_filename}(5)f()" in text
    assert "-> total += i" in text


def test_a_profiler_shows_the_users_function(program, stages):
    converted = autograph.convert(program)
    profiler = cProfile.Profile()
    profiler.runcall(converted, 5)
    functions = pstats.Stats(profiler).stats
    file = program.__code__.co_filename
    assert {name for at, _, name in functions if at == file} == {"f"}


@pytest.mark.parametrize("is_awake", [False, True])
def test_coverage_counts_original_lines(tmp_path, is_awake):
    pytest.importorskip("coverage", reason="coverage.py is not installed")
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "main.py").write_text(
        "import autograph, program\n"
        + ("autograph.register_stage(autograph.Stage())\n" if is_awake else "")
        + "assert autograph.convert(program.f)(1) == -1\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for arguments in (["run", "--include=program.py", "main.py"], ["report", "-m"]):
        run = subprocess.run(
            [sys.executable, "-m", "coverage", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
    # n = 1: the odd numbers and the `while` body are never reached.
    assert "5, 9" in run.stdout


def test_a_trace_function_that_converted_code_sets_sees_no_frame_of_ours(stages):
    def frames(count):
        seen = []

        def watch(frame, event, _):
            seen.append((event, frame.f_code.co_name))

        def scaled(values):
            return [value * 2 for value in values if value] if values else []

        for set_function in (sys.settrace, sys.setprofile):
            before = sys.gettrace() if set_function is sys.settrace else sys.getprofile()
            sys_function = set_function.__name__
            try:
                if sys_function == "settrace":
                    sys.settrace(watch)
                else:
                    sys.setprofile(watch)
                if count > 1:
                    scaled([1, 2])
            finally:
                set_function(before)
        return seen

    seen = autograph.convert(frames)(2)
    assert ("call", "scaled") in seen
    assert {name for _, name in seen} <= {"scaled", "frames", "<listcomp>"}
    assert seen == frames(2)


def test_the_parts_of_the_library_that_operators_use_may_be_converted():
    """`os.environ.get` is in `collections.abc`: its failure is to be cleaned by what asks it."""
    text = """
        import collections.abc, os, sys
        import autograph

        autograph.register_stage(autograph.Stage())
        autograph.convert_module(sys.modules["collections.abc"])
        print(os.environ.get("no such variable", 3))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert run.stdout == "3\n", run.stderr
