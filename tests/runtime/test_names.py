"""`import runtime` loads a module when one of its names is first used: each may be the first."""

import subprocess
import sys

import pytest

import runtime as rt


@pytest.mark.parametrize("name", sorted(set(rt.__all__)))
def test_each_name_may_be_the_first(name: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"import runtime; runtime.{name}"], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
