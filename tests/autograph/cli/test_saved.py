"""`autograph save` and `run`: a function leaves its program and is run without it."""

import sys
from pathlib import Path

import numpy as np
import pytest

MODEL = """\
import numpy as np
import runtime as rt

def decay(x, n, rate=0.5):
    for _ in range(n):
        x = x * rate
    return {"x": x, "total": [x.sum(), n]}

class Net(rt.Module):
    def __init__(self):
        self.w = rt.Variable([1.0, 2.0])

    @rt.function
    def predict(self, x):
        return x * self.w

net = Net()
net.predict(np.ones(2))

def opens(x):
    return open("x").read()
"""


@pytest.fixture
def model(folder):
    folder({"model.py": MODEL})
    np.savez("in.npz", x=np.ones(3), n=2)
    np.savez("odd.npz", x=np.ones(3), m=2)


def test_a_function_runs_without_its_program(model, autograph):
    assert autograph("save", "model.py:decay", "f64[None]", "int", "-o", "decay") == (0, "", "")
    Path("model.py").unlink()
    assert autograph("run", "decay", "in.npz") == (
        0, "{'x': array([0.25, 0.25, 0.25]), 'total': [np.float64(0.75), 2]}\n", "",
    )  # fmt: skip
    assert autograph("run", "decay", "in.npz", "-o", "out.npz")[0] == 0
    with np.load("out.npz") as out:
        assert out["result['x']"].tolist() == [0.25] * 3 and out["result['total'][0]"] == 0.75


def test_a_module_runs_by_the_names_of_its_functions(model, autograph):
    assert autograph("save", "model.py:net", "-o", "net")[0] == 0
    np.savez("x.npz", x=np.array([3.0, 3.0]))
    assert autograph("run", "net", "x.npz", "--function", "predict") == (0, "[3. 6.]\n", "")


ERRORS = [
    (("save", "model.py:decay", "-o", "d"), 2, "`decay` takes other arguments: missing a required arg"),
    (("save", "model.py:opens", "f64", "-o", "d"), 1, "model.py:21:12: input, output and dynamic"),
    (("run", "decay"), 1, "decay() missing 2 required positional arguments: 'x' and 'n'"),
    (("run", "decay", "odd.npz"), 1, "odd.npz: decay() has no parameter 'm'"),
    (("run", "decay", "model.py"), 1, "model.py: this is no npz file of arrays"),
    (("run", "decay", "none.npz"), 2, "none.npz: No such file or directory"),
    (("run", "decay", "in.npz", "--function", "grow"), 1, "there is no function 'grow'"),
    (("run", "none"), 1, "none: there is no such folder"),
]  # fmt: skip


@pytest.mark.parametrize("arguments, status, words", ERRORS)
def test_what_is_wrong_is_said(model, autograph, arguments, status, words):
    if arguments[0] == "run":
        autograph("save", "model.py:decay", "f64[3]", "n=2", "-o", "decay")
    got, out, err = autograph(*arguments)
    assert (got, out) == (status, "") and words in err


def test_a_model_of_onnx(model, autograph):
    assert autograph("export", "model.py:decay", "f32[None]", "int", "rate=float", "-o", "decay.onnx") == (
        0,
        "",
        "",
    )
    session = pytest.importorskip("onnxruntime").InferenceSession("decay.onnx")
    given = {"x": np.ones(2, "f4"), "n": np.array(3), "rate": np.array(0.5)}
    assert session.run(["result['x']"], given)[0].tolist() == [0.125, 0.125]
    status, out, err = autograph("export", "model.py:opens", "f32[2]", "-o", "opens.onnx")
    assert (status, out) == (1, "") and "model.py:21:12" in err and not Path("opens.onnx").exists()


@pytest.mark.parametrize("target", ["src/mypkg/core.py:solve", "src/mypkg/inner/__init__.py:solve"])
def test_a_file_of_a_package_may_import_relatively(folder, autograph, target):
    """Every command that imports a file, from whatever folder."""
    module = "from {0} import scale\n\ndef solve(x, n):\n    return scale(x) * n\n"
    folder({
        "src/mypkg/__init__.py": "from .parts import scale\n",
        "src/mypkg/parts.py": "def scale(x):\n    return x * 2\n",
        "src/mypkg/core.py": module.format(".parts"),
        "src/mypkg/inner/__init__.py": module.format("..parts"),
    })  # fmt: skip
    commands = [("graph",), ("save", "-o", "saved"), ("export", "-o", "model.onnx")]
    for command, *options in commands:
        for name in [name for name in sys.modules if name.partition(".")[0] == "mypkg"]:
            del sys.modules[name]
        status, out, err = autograph(command, target, "f64[3]", "n=int", *options)
        assert (status, err) == (0, "") and ("multiply(x, 2)" in out) == (command == "graph")
    assert sys.modules.pop("mypkg") and Path("saved").exists() and Path("model.onnx").exists()
