"""`rt.to_jax` of plain NumPy code beside JAX by hand: steady calls, first calls, on JAX's default device.

    python tests/benchmarks/jax_by_hand.py mlp newton    (all without names; on a GPU, if JAX finds one)

Both sides get arrays that are on the device already; a GPU gets larger ones.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import runtime as rt
from tests.benchmarks.measure import paired, readable, report


def collatz(limit):
    best, longest = 1, 0
    for n in range(1, limit):
        steps, m = 0, n
        while m != 1:
            m = m // 2 if m % 2 == 0 else 3 * m + 1
            steps += 1
        if steps > longest:
            best, longest = n, steps
    return best, longest


def collatz_by_hand(limit):
    def one(n, found):
        def step(c):
            return jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1

        steps = lax.while_loop(lambda c: c[0] != 1, step, (n, 0))[1]
        return jnp.where(steps > found[1], n, found[0]), jnp.maximum(steps, found[1])

    return lax.fori_loop(1, limit, one, (1, 0))


def mandelbrot(c, limit):
    z, times = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(limit):
        inside = np.abs(z) <= 2
        if not inside.any():
            break
        times = times + inside
        z = np.where(inside, z * z + c, z)
    return times


def mandelbrot_by_hand(c, limit):
    def step(s):
        k, z, times = s
        inside = jnp.abs(z) <= 2
        return k + 1, jnp.where(inside, z * z + c, z), times + inside

    first = (0, jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32))
    return lax.while_loop(lambda s: (s[0] < limit) & (jnp.abs(s[1]) <= 2).any(), step, first)[2]


def sigmoid(x, np=np):
    return 1 / (1 + np.exp(-x))


def lstm(xs, w, u):
    n = u.shape[0]
    h, c = np.zeros((xs.shape[1], n), np.float32), np.zeros((xs.shape[1], n), np.float32)
    for x in xs:
        gates = x @ w + h @ u
        c = sigmoid(gates[:, :n]) * c + sigmoid(gates[:, n : 2 * n]) * np.tanh(gates[:, 2 * n : 3 * n])
        h = sigmoid(gates[:, 3 * n :]) * np.tanh(c)
    return h


def lstm_by_hand(xs, w, u):
    n = u.shape[0]

    def step(s, x):
        h, c = s
        i, f, g, o = jnp.split(x @ w + h @ u, 4, axis=1)
        c = sigmoid(i, jnp) * c + sigmoid(f, jnp) * jnp.tanh(g)
        return (sigmoid(o, jnp) * jnp.tanh(c), c), None

    zeros = jnp.zeros((xs.shape[1], n), jnp.float32)
    return lax.scan(step, (zeros, zeros), xs)[0][0]


def misfit(w, v, x, y):
    return np.mean((np.tanh(x @ w) @ v - y) ** 2)


def mlp(w, v, x, y):
    slope = rt.grad(misfit, argnums=(0, 1))(w, v, x, y)
    return w - 0.1 * slope[0], v - 0.1 * slope[1]


def mlp_by_hand(w, v, x, y):
    loss = lambda w, v: jnp.mean((jnp.tanh(x @ w) @ v - y) ** 2)
    a, b = jax.grad(loss, (0, 1))(w, v)
    return w - 0.1 * a, v - 0.1 * b


def heat(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return u


def heat_by_hand(u, steps):
    def step(_, u):
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        return u.at[1:-1, 1:-1].add(0.1 * (around - 4 * u[1:-1, 1:-1]))

    return lax.fori_loop(0, steps, step, u)


def scalar_heat(u, steps):
    u = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] += 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
    return u


def scalar_heat_by_hand(u, steps):
    def point(i, u):
        return u.at[i].add(0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]))

    return lax.fori_loop(0, steps, lambda _, u: lax.fori_loop(1, len(u) - 1, point, u), u)


def march(x, y, steps):
    """Where rays from (x, y) meet a sphere, or far away."""
    t = np.zeros_like(x)
    for _ in range(steps):
        away = np.sqrt(x * x + y * y + (t - 3) ** 2) - 1
        if not (away > 1e-3).any():
            break
        t = t + np.where((away > 1e-3) & (t < 10), away, 0)
    return t


def march_by_hand(x, y, steps):
    distance = lambda t: jnp.sqrt(x * x + y * y + (t - 3) ** 2) - 1

    def step(s):
        k, t = s
        away = distance(t)
        return k + 1, t + jnp.where((away > 1e-3) & (t < 10), away, 0)

    going = lambda s: (s[0] < steps) & (distance(s[1]) > 1e-3).any()
    return lax.while_loop(going, step, (0, jnp.zeros_like(x)))[1]


def newton(a):
    x = a
    while abs(x * x - a) > 1e-4 * a:
        x = (x + a / x) / 2
    return x


def newton_by_hand(a):
    return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-4 * a, lambda x: (x + a / x) / 2, a)


def convolved(x, k):
    n, m = x.shape[1] - 2, x.shape[2] - 2
    total = x[:, :n, :m] @ k[0, 0]
    for i in range(3):
        for j in range(3):
            if i + j:
                total = total + x[:, i : i + n, j : j + m] @ k[i, j]
    return total


def network(k, m, v, x, y, np=np):
    hidden = np.maximum(convolved(np.maximum(convolved(x, k), 0), m), 0)
    return np.mean((hidden.mean((1, 2)) @ v - y) ** 2)


def conv_net(k, m, v, x, y):
    slopes = rt.grad(network, argnums=(0, 1, 2))(k, m, v, x, y)
    return [p - 0.1 * g for p, g in zip((k, m, v), slopes, strict=True)]


def conv_net_by_hand(k, m, v, x, y):
    slopes = jax.grad(lambda k, m, v: network(k, m, v, x, y, jnp), (0, 1, 2))(k, m, v)
    return [p - 0.1 * g for p, g in zip((k, m, v), slopes, strict=True)]


def drawn(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def plane(n):
    return (np.linspace(-2, 1, n) + 1j * np.linspace(-1.2, 1.2, n)[:, None]).astype(np.complex64)


def grid(n):
    return [
        np.ascontiguousarray(a, np.float32) for a in np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    ]


Side = Callable[..., Any]
Program = tuple[Side, Side, Callable[[int], tuple[Any, ...]], tuple[int, int, int], tuple[int, ...]]
#: ours, by hand, the arguments of a size, sizes for tests, a CPU and a GPU, which arguments are constants
PROGRAMS: dict[str, Program] = {
    "collatz": (collatz, collatz_by_hand, lambda n: (n,), (20, 3000, 3000), ()),
    "mandelbrot": (mandelbrot, mandelbrot_by_hand, lambda n: (plane(n), 100), (8, 200, 2000), (1,)),
    "lstm": (
        lstm, lstm_by_hand, lambda n: (drawn(n, 8, 16), drawn(16, 128), drawn(32, 128)), (4, 500, 500), (),
    ),
    "mlp": (
        mlp, mlp_by_hand, lambda n: (drawn(n, n), drawn(n, 10), drawn(128, n), drawn(128, 10)),
        (4, 512, 4096), (),
    ),
    "heat": (heat, heat_by_hand, lambda n: (drawn(n, n), 100), (8, 200, 4000), (1,)),
    "heat by items": (scalar_heat, scalar_heat_by_hand, lambda n: (drawn(n), 20), (8, 200, 200), (1,)),
    "ray marching": (march, march_by_hand, lambda n: (*grid(n), 60), (8, 200, 2000), (2,)),
    "newton": (newton, newton_by_hand, lambda n: (np.abs(drawn(n)) + 1,), (8, 10_000, 10_000_000), ()),
    "conv net": (
        conv_net, conv_net_by_hand,
        lambda n: (drawn(3, 3, 3, 8), drawn(3, 3, 8, 8), drawn(8, 2), drawn(n, 16, 16, 3), drawn(n, 2)),
        (2, 16, 1024), (),
    ),
}  # fmt: skip
#: programs that run over many items at once
MAPPED = {"newton"}


def sides(name: str) -> tuple[Side, Side]:
    """Both as compiled functions."""
    ours, by_hand, _, _, static = PROGRAMS[name]
    both = [rt.to_jax(ours), by_hand]
    if name in MAPPED:
        both = list(map(jax.vmap, both))
    return tuple([jax.jit(f, static_argnums=static) for f in both])  # type: ignore[return-value]


def arguments(name: str, size: int) -> tuple[Any, ...]:
    """Of a size: 0 for tests, 1 for a CPU, 2 for a GPU; on the device."""
    make, sizes, static = PROGRAMS[name][2:]
    given = make(sizes[size])
    return tuple([x if k in static else jax.device_put(x) for k, x in enumerate(given)])


def first_call(f: Side, given: tuple[Any, ...]) -> float:
    """Seconds of the processor: what else the machine does is no part of it."""
    began = time.process_time()
    jax.block_until_ready(f(*given))
    return time.process_time() - began


def main(rounds: int = 20, names: tuple[str, ...] = tuple(PROGRAMS)) -> None:
    on_cpu = jax.default_backend() == "cpu"
    for name in ("mandelbrot", "mlp"):  # what is loaded once
        for side in sides(name):
            first_call(side, arguments(name, 0))
    for name in names:
        given = arguments(name, 0 if rounds < 5 else 1 if on_cpu else 2)
        ours, by_hand = sides(name)
        first = first_call(ours, given), first_call(by_hand, given)
        pair = paired(
            name,
            lambda f=ours, g=given: jax.block_until_ready(f(*g)),
            lambda f=by_hand, g=given: jax.block_until_ready(f(*g)),
            rounds,
            max(1, math.floor(0.02 / max(1e-5, first_call(by_hand, given)))) if rounds >= 5 else 1,
        )
        most = 3.0 if name == "heat by items" else 1.3
        measured = f"{readable(pair.ours)} ({pair.ratio:.2f} x by hand)"
        report(f"{name}, a call on {jax.default_backend()}", measured, f"< {most} x", pair.ratio < most)
        more = first[0] - first[1]
        report(f"{name}, a first call", f"{readable(more)} more", "< 100 ms more", more < 0.1)


if __name__ == "__main__":
    main(names=tuple(sys.argv[1:]) or tuple(PROGRAMS))
