"""CPython's own tests pass with the standard modules converted: on Python values nothing changes."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autograph.cli import main
from tests.long import some

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("test") is None or importlib.util.find_spec("test.test_heapq") is None,
        reason="this interpreter ships no `test` package",
    ),
    pytest.mark.usefixtures("fresh_heap"),
]

MODULES = ["heapq", "bisect", "textwrap", "fractions"]
if sys.version_info < (3, 13):  # where its tests of kernel density estimation take minutes
    MODULES.append("statistics")

PATHLIB = "pathlib._local:pathlib" if sys.version_info >= (3, 13) else "pathlib"

# Parsers, data structures, numerics, text, classes. Where the test module has another name, it is given.
# The suite runs every sixth: those whose tests take longest (argparse, difflib) are not among them.
MORE_MODULES = [
    "email._header_value_parser:email.test__header_value_parser",
    "email.message:email.test_message", "enum", "genericpath", "getopt", "gettext", "glob", "html", "locale",
    "netrc", PATHLIB, "posixpath", "sched", "shelve", "shutil", "tabnanny", "tempfile",
    "base64", "calendar", "collections", "colorsys", "configparser", "contextlib", "copy", "csv",
    "dataclasses", "fnmatch", "functools", "graphlib", "http.cookies:http_cookies", "html.parser:htmlparser",
    "ipaddress", "json.decoder:json", "json.encoder:json", "linecache", "mailbox", "numbers:abstract_numbers",
    "operator", "optparse", "pprint", "quopri", "random", "reprlib", "shlex", "string", "timeit", "types",
    "urllib.parse:urlparse", "uuid", "xml.etree.ElementTree:xml_etree",
    # Debuggers and tools, protocols, files, and what others are built on.
    "_collections_abc:userdict", "_py_abc:abc", "_pyio:memoryio", "_strptime:strptime", "_weakrefset:weakset",
    "bdb", "fileinput", "http.client:httplib", "http.cookiejar:http_cookiejar", "mimetypes", "ntpath",
    "profile", "traceback", "urllib.robotparser:robotparser", "wave", "wsgiref.headers:wsgiref",
    "xml.dom.minidom:minidom", "cmd", "code", "argparse", "difflib",
]  # fmt: skip


# Tests of the language, which are converted themselves.
LANGUAGE = [
    "asyncgen", "class", "contextlib", "coroutines", "decorators", "dictcomps", "fstring", "generators",
    "grammar", "iter", "property", "scope", "super", "unpack_ex", "with", "yield_from",
]  # fmt: skip


def run_python(*arguments, path=()):
    """Run Python; returns how many unit tests passed."""
    ran = re.search(r"^Ran (\d+) tests?", python_output(*arguments, path=path), re.MULTILINE)
    return int(ran[1]) if ran else 0


def python_output(*arguments, path=()):
    """What Python writes that runs to its end."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), str(ROOT)])}
    with tempfile.TemporaryDirectory() as directory:  # these tests write files where they run
        run = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd=directory,
            check=False,
        )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stderr + run.stdout


@pytest.mark.parametrize("module", MODULES)
def test_converted_in_place(module):
    assert run_python("-m", "tests.autograph.converted_suite", module, f"test_{module}") > 30


@pytest.mark.parametrize("name", some(MORE_MODULES, 6))
def test_more_modules_converted_in_place(name):
    module, _, test = name.partition(":")
    assert run_python("-m", "tests.autograph.converted_suite", module, f"test_{test or module}") > 0


@pytest.mark.parametrize("name", some(LANGUAGE))
def test_tests_of_the_language_converted(name):
    assert run_python("-m", "tests.autograph.converted_suite", f"test.test_{name}", f"test_{name}") > 0


# Not statistics, whose tests take long: one way must do.
@pytest.mark.parametrize("module", some([m for m in MODULES if m != "statistics"][::-1]))
def test_converted_to_a_file(module, tmp_path):
    source = importlib.util.find_spec(module).origin
    assert main(["convert", source, "-o", str(tmp_path / f"{module}.py")]) == 0
    assert run_python("-m", "unittest", f"test.test_{module}", path=[tmp_path]) > 30
