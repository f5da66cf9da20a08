"""An old Python gets one clear line."""

import ast
import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OLD = ["2.7", *(f"3.{minor}" for minor in range(6, 11))]


def message(version):
    return f"autograph needs Python 3.11 or newer, and this is Python {version}"


def run(python, *arguments):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, *arguments], capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def old_pythons():
    """Those that are installed here, by version."""
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    found = {}
    for version in OLD:
        paths = glob.glob(f"{root}/versions/{version}.*/bin/python")
        python = paths[0] if paths else shutil.which(f"python{version}")
        if python is not None and run(python, "--version")[0] == 0:
            found[version] = python
    return found


PRETENDED = "import sys; sys.version_info = (3, 10, 13, 'final', 0); sys.argv = ['program']; import {}"


@pytest.mark.parametrize("package", ["autograph", "runtime"])
def test_import_says_which_python_is_needed(package):
    status, out, err = run(sys.executable, "-c", PRETENDED.format(package))
    assert (status, out) == (1, "")
    assert err.splitlines()[-1] == "ImportError: " + message("3.10.13")


@pytest.mark.parametrize("package", ["autograph", "runtime"])
def test_every_python_can_read_the_file(package):
    tree = ast.parse((ROOT / package / "__init__.py").read_text())
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.JoinedStr, ast.Starred, ast.AnnAssign, ast.NamedExpr))
        if isinstance(node, ast.FunctionDef):
            assert node.returns is None and all(arg.annotation is None for arg in node.args.args)


@pytest.mark.parametrize("version, python", old_pythons().items())
def test_installed_old_pythons(version, python):
    exact = run(python, "-c", "import sys; sys.stdout.write('%d.%d.%d' % sys.version_info[:3])")[1]
    assert run(python, "-m", "autograph", "check", "f.py") == (2, "", message(exact) + "\n")
    for package in ("autograph", "runtime"):
        status, _, err = run(python, "-c", f"import sys; sys.argv = ['program']; import {package}")
        assert status == 1 and err.splitlines()[-1] == "ImportError: " + message(exact)


def test_the_package_says_so_too():
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text()
