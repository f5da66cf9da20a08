"""The command line: results that run, and one clear error for each kind of bad input."""

import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from autograph.cli.functions import Spec, parse_spec

MODEL = '''\
"""A model."""
from __future__ import annotations
import math, sys

LIMIT = 3
UNUSED = 4

def relu(x):
    if x > LIMIT:
        return x
    return 0

class Net:
    def __init__(self, n: int = LIMIT):
        self.__n = n

    def forward(self, x):
        for i in range(self.__n):
            x = relu(x) + i
            if x > 100:
                break
        return x

def outer():
    def inner(x):
        return not x
    return inner

if __name__ == "__main__":
    if len(sys.argv) > 5:
        print("many")
    print(Net().forward(5), round(math.pi, 2))
'''


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("model.py").write_text(MODEL)
    yield "model.py"
    sys.modules.pop("model", None)


def run_file(file):
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, env=environment, check=False)
    return run.stdout + run.stderr


class TestConvert:
    def test_a_module_that_imports_and_runs(self, autograph, model):
        assert autograph("convert", model, "-o", "out.py") == (0, "", "")
        assert run_file("out.py") == run_file(model) == "8 3.14\n"

    def test_docstring_and_future_imports_stay_first(self, autograph, model):
        _, out, _ = autograph("convert", model)
        assert out.splitlines()[:3] == [
            '"""A model."""',
            "from __future__ import annotations",
            "import autograph.operators as ag__",
        ]

    def test_converting_twice_changes_nothing(self, autograph, model):
        autograph("convert", model, "-o", "once.py")
        autograph("convert", "once.py", "-o", "twice.py")
        assert Path("once.py").read_text() == Path("twice.py").read_text()

    def test_converting_a_function_twice_changes_nothing(self, autograph, model):
        for name in ("relu", "outer", "Net"):
            once = autograph("convert", f"{model}:{name}")[1]
            Path("once.py").write_text(once)
            assert autograph("convert", f"once.py:{name}") == (0, once, "")

    def test_a_nested_function(self, autograph, model):
        status, out, _ = autograph("convert", "model.py:outer.inner")
        assert status == 0 and "ag__.not_(x)" in out

    def test_standard_input(self, autograph, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"f = lambda x: not x\n")))
        status, out, _ = autograph("convert", "-")
        assert status == 0 and "ag__.not_(x)" in out

    def test_windows_line_ends(self, autograph, tmp_path):
        file = tmp_path / "crlf.py"
        file.write_bytes(b"def f(x):\r\n    return not x\r\n")
        status, out, _ = autograph("convert", str(file))
        assert status == 0 and "\r" not in out

    def test_output_keeps_the_files_permissions_and_leaves_no_other_file(self, autograph, model):
        Path("out.py").write_text("")
        os.chmod("out.py", 0o640)
        autograph("convert", model, "-o", "out.py")
        assert stat.S_IMODE(os.stat("out.py").st_mode) == 0o640
        assert sorted(os.listdir()) == ["model.py", "out.py"]


class TestTree:
    def test_before_and_after(self, autograph, model):
        status, out, _ = autograph("tree", "model.py:outer.inner")
        assert status == 0 and out.startswith("FunctionDef(\n  name='inner'") and "op=Not()" in out
        status, out, _ = autograph("tree", "model.py:outer.inner", "--converted")
        assert status == 0 and "attr='not_'" in out


class TestGraph:
    """What the formats look like is tested where they are made; here, that the command gives them."""

    def test_formats(self, autograph, model):
        marks = {"text": "graph relu(x: f64)", "dot": "digraph"}
        for name, mark in marks.items():
            status, out, err = autograph("graph", "model.py:relu", "f64", "--format", name)
            assert (status, err) == (0, "")
            assert mark in out

    def test_optimized_and_written_to_a_file(self, autograph, model):
        assert autograph("graph", "model:relu", "x=f64", "--optimized", "-o", "relu.txt")[0] == 0
        assert "graph relu(x: f64)" in Path("relu.txt").read_text()

    @pytest.mark.parametrize("target", ["src/mypkg/core.py:solve", "src/mypkg/inner/__init__.py:solve"])
    def test_a_file_of_a_package_may_import_relatively(self, folder, autograph, target):
        module = "from {0} import scale\n\ndef solve(x, n):\n    return scale(x) * n\n"
        folder({
            "src/mypkg/__init__.py": "from .parts import scale\n",
            "src/mypkg/parts.py": "def scale(x):\n    return x * 2\n",
            "src/mypkg/core.py": module.format(".parts"),
            "src/mypkg/inner/__init__.py": module.format("..parts"),
        })  # fmt: skip
        status, out, err = autograph("graph", target, "f64[3]", "n=int")
        assert (status, err) == (0, "") and "multiply(x, 2)" in out
        for name in [name for name in sys.modules if name.partition(".")[0] == "mypkg"]:
            del sys.modules[name]

    def test_a_module_that_cannot_be_imported(self, autograph, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        Path("broken_model.py").write_text("x = 1 / 0\n")
        for target in ("broken_model.py:f", "broken_model:f"):
            status, out, err = autograph("graph", target)
            assert (status, out) == (1, "")
            assert err.splitlines()[0].endswith(
                "broken_model.py:1:5: the module cannot be imported: ZeroDivisionError: division by zero"
            )
            assert err.splitlines()[1:] == ["    x = 1 / 0", "        ^"]


class TestBadInput:
    @pytest.mark.parametrize(
        "arguments, message",
        [
            (["convrt", "model.py"], "invalid choice: 'convrt' (choose from"),
            (["convrt", "model.py"], "did you mean 'convert'?"),
            (["convert", "modle.py"], "modle.py: no such file; did you mean 'model.py'?"),
            (["convert", "model.py:rel"], "model.py: no function or class 'rel'; did you mean 'relu'?"),
            (
                ["convert", "model.py:Net.forwrd"],
                "no function or class 'forwrd' in `Net`; did you mean 'forward'?",
            ),
            (["convert", "model.py:1x"], "'1x' is not a name"),
            (
                ["convert", "model.py", "--outptu"],
                "unrecognized arguments: --outptu; did you mean '--output'?",
            ),
            (["convert", "."], ".: this is a directory, not a file"),
            (["convert", "model.py", "-o", "missing/out.py"], "there is no directory 'missing'"),
            (["convert", "model.py", "-o", "."], "the output is a directory"),
            (["convert"], "the following arguments are required: FILE[:NAME]"),
            ([], "the following arguments are required: COMMAND"),
            (["graph", "model.py"], "does not say which function"),
            (["graph", "model.py:relux", "f64"], "`model` has no 'relux'; did you mean 'relu'?"),
            (["graph", "model.py:LIMIT"], "`LIMIT` is not a function but a value of type 'int'"),
            (["graph", "model.py:Net"], "`Net` is not a function but a class"),
            (["graph", "model.py:relu"], "`relu` takes other arguments: missing a required argument: 'x'"),
            (["graph", "model.py:relu", "f64", "y=3"], "its signature is relu(x); give one SPEC for each"),
            (["graph", "modle:relu"], "there is no module 'modle'; did you mean 'model'?"),
            (
                ["graph", "model.py:relu", "flot64"],
                "unknown type 'flot64' in 'flot64'; did you mean 'float64'?",
            ),
            (["graph", "model.py:relu", "f64[x]"], "'x' is not a length in 'f64[x]'"),
            (["graph", "model.py:relu", "f64", "--format", "pgn"], "invalid choice: 'pgn'"),
        ],
    )
    def test_usage(self, autograph, model, arguments, message):
        status, out, err = autograph(*arguments)
        assert (status, out) == (2, "")
        assert message in err

    def test_refused_code_has_another_status(self, autograph, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("refused.py").write_text("def f(ag__):\n    return ag__\n")
        status, out, err = autograph("convert", "refused.py")
        assert (status, out) == (1, "")
        assert err.startswith(
            "refused.py:1:7: the name `ag__` is reserved for converted code\n    def f(ag__):\n"
        )

    def test_a_syntax_error_shows_line_and_caret(self, autograph, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("bad.py").write_text("def f(x):\n    return (x\n")
        assert autograph("convert", "bad.py")[2].splitlines() == [
            "bad.py:2:12: syntax error: '(' was never closed",
            "    return (x",
            "           ^",
        ]


@pytest.mark.parametrize(
    "text, spec",
    [
        ("f64[10,10]", Spec(None, "f64[10,10]")),
        ("float64[10, None]", Spec(None, "f64[10,None]")),
        ("f64[]", Spec(None, "f64[]")),
        ("f64[?,3]", Spec(None, "f64[None,3]")),
        ("i64", Spec(None, "i64")),
        ("int", Spec(None, "int")),
        ("n=3", Spec("n", None, 3)),
        ("x=f64[3]", Spec("x", "f64[3]")),
        ("-1.5", Spec(None, None, -1.5)),
        ("'relu'", Spec(None, None, "relu")),
        ("name='a=b'", Spec("name", None, "a=b")),
        ("(1, 2)", Spec(None, None, (1, 2))),
        ("None", Spec(None, None, None)),
        ("flag=True", Spec("flag", None, True)),
    ],
)
def test_specs(text, spec):
    assert parse_spec(text) == spec


def test_python_m_autograph(model):
    root = Path(__file__).parents[3]
    run = subprocess.run(
        [sys.executable, "-m", "autograph", "convert", model],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert run.returncode == 0 and "ag__.if_stmt" in run.stdout
