"""Where a package of an extra is missing, what needs it says which extra to install."""

import json
import re
import subprocess
import sys
import tomllib

from autograph.optional_packages import EXTRAS
from tests.test_imports import ROOT, modules

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

#: the package that is missing, the extra that is to be installed, what needs it
PROGRAMS = [
    ("tensorboard", "tensorboard", "rt.EventWriter('runs')"),
    ("google", "tensorboard", "rt.EventWriter('runs')"),
    ("tensorboard", "tensorboard", "f.get_concrete_function(1.0).graph.as_graph_def()"),
    ("tensorboard", "tensorboard", "tf.Graph().as_graph_def()"),
    ("tensorboard", "tensorboard", "tf.graph_util.import_graph_def(None)"),
    ("tensorboard", "tensorboard", "tf.compat.v1.GraphDef"),
    ("tensorboard", "tensorboard", "tf.compat.v1.summary.FileWriter('runs')"),
    ("google", "tensorboard", "tf.io.write_graph(tf.Graph(), '.', 'graph')"),
    ("tensorboard", "tensorboard", "tf.summary.create_file_writer('runs')"),
    ("PIL", "tensorboard", "rt.EventWriter('runs').image('x', np.ones((1, 2, 2, 1)), 0)"),
    ("onnx", "onnx", "rt.export_onnx('f.onnx', f, 1.0)"),
    ("google", "onnx", "rt.export_onnx('f.onnx', f, 1.0)"),
    ("tqdm", "tf", "model.fit(np.ones((8, 2)), np.ones((8, 1)))"),
    ("threadpoolctl", "tf", "tf.config.threading.set_intra_op_parallelism_threads(1)"),
    ("jax", "jax", "rt.function(f.python_function, engine='jax')(1.0)"),
    ("jax", "jax", "rt.to_jax(f)"),
]

PROGRAM = """
import contextlib, io, json, sys
hidden = set()

class Hiding:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hiding())
import numpy as np
import runtime as rt, runtime.tf as tf

@rt.function
def f(x):
    return x * 2

if __name__ == "__main__":
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    found = []
    for package, extra, text in json.load(sys.stdin):
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]
        hidden = {package}
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                exec(text)
            except Exception as error:
                print(type(error).__name__, error, file=said)
        found.append(said.getvalue())
    print(json.dumps(found))
"""


def test_what_is_missing_is_said_with_the_extra(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)},
        input=json.dumps(PROGRAMS), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for (package, extra, text), said in zip(PROGRAMS, json.loads(done.stdout), strict=True):
        name = {"google": "protobuf", "PIL": "pillow"}.get(package, package)
        assert f"needs the package {name}" in said, (text, said)
        assert f"hint: pip install 'autograph-runtime[{extra}]'" in said, (text, said)


def test_every_optional_import_is_among_these():
    dependencies = {re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]}
    wanted = r"^\s*(?:import (\w+)|from (\w+)[\w.]* import)"
    texts = [path.read_text(encoding="utf-8") for path in modules().values()]
    found = {a or b for text in texts for a, b in re.findall(wanted, text, re.MULTILINE)}
    found -= {*sys.stdlib_module_names, *dependencies, "autograph", "runtime"}
    assert found == {package for packages in EXTRAS.values() for package in packages}
    assert {(package, extra) for package, extra, _ in PROGRAMS} == {
        (package, extra) for extra, packages in EXTRAS.items() for package in packages
    }


def test_the_readme_lists_the_extras():
    readme = (ROOT / "README.md").read_text()
    listed = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?`) \|", readme, re.MULTILINE))))
    assert listed == set(PROJECT["optional-dependencies"]) >= set(EXTRAS)
