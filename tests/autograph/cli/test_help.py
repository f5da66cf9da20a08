"""Help texts: short lines, an example for each command."""

import subprocess
import sys

import pytest

from autograph.cli import COMMANDS


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help(autograph, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = autograph(*filter(None, [command]), "--help")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 110
    for name in [command] if command else ["check", "explain", "convert", "graph"]:
        assert f"  autograph {name} " in out


def test_version(autograph):
    status, out, err = autograph("--version")
    assert (status, err) == (0, "") and out.startswith("autograph ")


def test_help_loads_no_conversion():
    program = "import sys, autograph.cli; print([m for m in sys.modules if 'gast' in m or m == 'numpy'])"
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        check=True,
    )
    assert run.stdout == "[]\n"
