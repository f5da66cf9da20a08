"""Several devices, simulated on a CPU. Each test is a process of its own: XLA counts them at its start."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

SHARDED = """
import jax, numpy as np, runtime as rt
from jax.sharding import AxisType, NamedSharding, PartitionSpec

mesh = jax.make_mesh((8,), ("i",), axis_types=(AxisType.Auto,))
split = NamedSharding(mesh, PartitionSpec("i"))
x = jax.device_put(np.arange(16, dtype=np.float32), split)

@rt.function(engine="jax")
def settled(x):
    while np.abs(x).max() > 1:
        x = x / 2 if x.sum() > 0 else -x
    return x

found = settled(x)
assert found.sharding.is_equivalent_to(split, 1) and len(found.sharding.device_set) == 8, found.sharding
assert np.array_equal(found, settled.python_function(np.asarray(x)))

class Model(rt.Module):
    def __init__(self):
        self.w = rt.Variable(np.arange(8.0, dtype=np.float32))

    @rt.function
    def __call__(self, x):
        return x * self.w

model = jax.device_put(Model(), split)
checkpoints = rt.CheckpointFolder("saved")
checkpoints.save(model)
other = jax.tree.map(lambda w: w * 0, model)
assert checkpoints.restore(other).is_complete
assert other.w.value.sharding == split and np.array_equal(other.w.value, np.arange(8.0))
home = jax.device_get(other)
assert np.array_equal(home(np.float32(2)), 2 * np.arange(8))
rt.save("model", home)
assert np.array_equal(rt.load("model")(np.float32(2)), 2 * np.arange(8))

try:
    jax.jit(rt.to_jax(settled.python_function), in_shardings=split)(np.arange(6.0))
except ValueError as error:
    assert "partitioned 8 times" in str(error)
else:
    raise AssertionError("a mesh that does not divide is no error")
"""


def run(folder, *command, devices=8):
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
    }
    done = subprocess.run(
        [sys.executable, *command], env=environment, cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_sharded_arrays_come_in_go_out_and_are_saved(tmp_path):
    run(tmp_path, "-c", SHARDED)


def test_training_by_data_and_by_model(tmp_path):
    """The losses are those of one device: the example says so itself."""
    said = run(tmp_path, str(ROOT / "examples/many_devices.py"))
    by_data, by_model, both = said.splitlines()
    assert "'all-reduce': 4}" in by_data and "all-gather" not in by_data
    assert "all-gather" in by_model and "all-reduce" in both


@pytest.mark.long
def test_training_in_two_processes(tmp_path):
    said = run(tmp_path, str(ROOT / "examples/many_devices.py"), "--processes", "2")
    assert re.search(r"2 processes, 8 devices: loss 0\.0\d\d", said)
