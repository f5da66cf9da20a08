"""Train a network over several devices: plain Python over NumPy, split by JAX.

The hidden layer settles: it is computed again and again until it changes no more, at most 30 times. Each
step of the training is one function. JAX splits it over 8 devices, which are simulated on a CPU: by the
examples (data parallel), by the hidden units (model parallel), or by both.

    python examples/many_devices.py
    python examples/many_devices.py --processes 2      (each with 4 devices, by jax.distributed)
"""

import argparse
import os
import re
import subprocess
import sys
from collections import Counter

import numpy as np

import runtime as rt


def settled(x, w, u):
    h = np.zeros((len(x), u.shape[1]), np.float32)
    for _ in range(30):
        new = np.tanh(x @ w + h @ u)
        change = np.abs(new - h).max()
        h = new
        if change < 1e-3:
            break
    return h


def train(state, x, y, rate=0.5):
    """One step: the state after it, and the loss before it."""

    def loss(w, u, v):
        return np.mean((settled(x, w, u) @ v - y) ** 2)

    value, slopes = rt.value_and_grad(loss, argnums=(0, 1, 2))(state["w"], state["u"], state["v"])
    after = {name: state[name] - rate * slope for name, slope in zip("wuv", slopes, strict=True)}
    return after, value


def data(examples, features=8, hidden=16):
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)
    x = draw(examples, features)
    state = {"w": 0.3 * draw(features, hidden), "u": 0.05 * draw(hidden, hidden), "v": 0.3 * draw(hidden, 1)}
    return state, x, np.tanh(x @ draw(features, 1))


#: how many devices share the examples, and the hidden units
SPLITS = {"data parallel": (8, 1), "model parallel": (1, 8), "both": (4, 2)}


def placed(split, state, x, y):
    """The arguments, each on the devices that it belongs to."""
    import jax
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    mesh = jax.make_mesh(split, ("examples", "units"), axis_types=(AxisType.Auto,) * 2)
    put = lambda value, *axes: jax.device_put(value, NamedSharding(mesh, PartitionSpec(*axes)))
    state = {
        "w": put(state["w"], None, "units"),
        "u": put(state["u"], None, "units"),
        "v": put(state["v"], "units"),
    }
    return state, put(x, "examples"), put(y, "examples")


def collectives(compiled):
    """How often the devices talk to one another, by the text that XLA compiled."""
    text = compiled.as_text()
    return dict(Counter(re.findall(r"= .*? (all-reduce|all-gather|collective-permute|all-to-all)\(", text)))


def main(examples=64, steps=20):
    """The losses of each split, which are those of one device, and what the devices say to one another."""
    import jax

    plain = data(examples)
    state, x, y = plain
    on_one, expected = rt.function(train), []
    for _ in range(steps):
        state, value = on_one(state, x, y)
        expected.append(float(value))
    said = {}
    for name, split in SPLITS.items():
        state, x, y = placed(split, *plain)
        step = jax.jit(rt.to_jax(train)).lower(state, x, y).compile()
        losses = []
        for _ in range(steps):
            state, value = step(state, x, y)
            losses.append(float(value))
        assert np.allclose(losses, expected, rtol=1e-3), (losses, expected)
        said[name] = collectives(step)
        print(f"{name}: loss {losses[0]:.3f} -> {losses[-1]:.3f}; {said[name]}")
    return expected, said


def one_of_several(address, count, number):
    """A process of several, which hold 4 devices each, trains with the others."""
    import jax

    jax.distributed.initialize(address, count, number)
    state, x, y = placed((4 * count, 1), *data(64))
    step = jax.jit(rt.to_jax(train))
    for _ in range(20):
        state, value = step(state, x, y)
    if number == 0:
        print(f"{count} processes, {jax.device_count()} devices: loss {float(value):.3f}")


def start(count, port=29517):
    command = [sys.executable, __file__, "--address", f"localhost:{port}", "--processes", str(count)]
    made = [subprocess.Popen([*command, "--number", str(number)]) for number in range(count)]
    return max(process.wait() for process in made)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--address")
    parser.add_argument("--number", type=int)
    chosen = parser.parse_args()
    each = 8 if chosen.processes == 1 else 4
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={each}"
    if chosen.address:
        one_of_several(chosen.address, chosen.processes, chosen.number)
    elif chosen.processes > 1:
        sys.exit(start(chosen.processes))
    else:
        main()
