"""What a program loads: a module that it does not need costs it time at its start."""

import json
import subprocess
import sys
from pathlib import Path

from tests.test_imports import modules

LOOP = """
import json, sys
import numpy
before = set(sys.modules)
import runtime as rt

@rt.function
def total(n):
    found = 0.0
    for i in range(n):
        found = found + i * 0.5
    return found

assert total(4) == 3.0
print(json.dumps(sorted(set(sys.modules) - before)))
"""

OFTEN = """
import json, sys
import numpy
import runtime as rt

def plus(x):
    return x + 1

for engine in ("numpy", "native"):
    function = rt.function(plus, engine=engine)
    for _ in range(1000):
        assert function(1.5) == 2.5
    if engine == "numpy":
        before = set(sys.modules)
print(json.dumps(sorted(set(sys.modules) - before)))
"""

TF = """
import json, sys
import numpy
before = set(sys.modules)
import runtime.tf as tf
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded_by(program: str, folder: Path) -> set[str]:
    file = folder / "program.py"
    file.write_text(program)
    done = subprocess.run(
        [sys.executable, str(file)],
        env={"PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_a_loop_over_a_range_loads_what_it_needs(tmp_path):
    found = loaded_by(LOOP, tmp_path)
    ours = found & set(modules())
    assert len(ours) <= 219
    unneeded = {
        "runtime.differentiation", "runtime.export", "runtime.saving", "runtime.tf",
        "runtime.gradients.reverse", "runtime.handlers.exceptions",
        "runtime.calls.itertools_calls",
        "runtime.calls.callees", "runtime.control_flow.choices", "runtime.iterables.generators",
        "runtime.staged.strings", "runtime.tensor", "autograph.operators.matching",
        "autograph.passes.lower_match", "runtime.ops.containers", "runtime.passes.use_buffers",
        "runtime.numpy_calls.table", "runtime.ops.elementwise", "runtime.ops.library_rules",
        "runtime.engines.numpy_engine", "runtime.functions.checking", "runtime.functions.native_entries",
        "numpy.random", "fractions", "decimal", "uuid", "zoneinfo",
    }  # fmt: skip
    assert not unneeded & found


def test_what_takes_calls_is_loaded_when_machine_code_is_called_often(tmp_path):
    assert "runtime.functions.native_entries" in loaded_by(OFTEN, tmp_path)


def test_tensorflows_spelling_loads_nothing_before_it_is_used(tmp_path):
    assert {name for name in loaded_by(TF, tmp_path) if name.startswith(("runtime.", "autograph."))} <= {
        "autograph.code_objects", "autograph.deep", "autograph.errors", "autograph.loading",
        "autograph.locks", "autograph.registered", "runtime.tf",
    }  # fmt: skip


def test_every_handler_of_a_call_is_found_wherever_it_is_defined(tmp_path):
    """Loading all modules adds none to those that `handler_of` knows of."""
    loaded_by(
        """
import importlib, pkgutil
import runtime
from runtime.calls.builtin_calls import HANDLERS, handler_of

runtime.function
handler_of(len)
known = set(HANDLERS)
for module in pkgutil.walk_packages(runtime.__path__, "runtime."):
    if not module.name.startswith(("runtime.tf", "runtime.export")):
        importlib.import_module(module.name)
added = {each for each in set(HANDLERS) - known if not each.__module__.startswith("runtime.")}
assert not added, added
print("[]")
""",
        tmp_path,
    )
