"""Gradients on the native engine: what they cost beside the function, how loops scale, and beside JAX.

The programs are those of tests/runtime/gradients/ordinary, at the sizes of their tests or larger ones.
"""

from __future__ import annotations

import copy
import resource
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import runtime as rt
from tests.benchmarks.measure import median, paired, readable, report, seconds
from tests.benchmarks.programs import fresh, straight_line
from tests.runtime.gradients.ordinary import learning, motion, series, shapes, solvers
from tests.runtime.gradients.ordinary.learning import lstm_in_jax, network, recurrent_weights

DRAW = np.random.default_rng(0)
WAVE = np.sin(np.arange(200.0)).reshape(-1, 1)
LARGE = DRAW.normal(size=(60, 60)) + 60.0 * np.eye(60)

#: programs, and arguments that make their loops long
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (motion.adaptive_runge_kutta, (np.array([1.1, 3.0]), 0.4, 5.0, 1e-9)),
    (motion.bouncing_ball, (2.0, 0.99, 40.0)),
    (motion.heat_with_two_buffers, (0.2, 200, 200)),
    (motion.three_bodies, (DRAW.normal(size=(3, 2)), np.zeros((3, 2)), 300)),
    (motion.cart_with_limits, (np.array([0.5, -0.3, 0.8, 0.1]), 4000)),
    (solvers.newton_unrolled, (2.0,)),
    (solvers.lu_with_pivots, (LARGE,)),
    (solvers.tridiagonal_system, (-np.ones(999), 3.0 * np.ones(1000), -np.ones(999), np.ones(1000))),
    (solvers.page_rank, (np.abs(LARGE), 0.85)),
    (series.kalman_filter, (np.array([0.3, 0.2]), np.sin(np.arange(2000.0)))),
    (series.hidden_markov_model, (np.full((2, 2), 0.5), np.full((2, 3), 1 / 3), np.arange(2000) % 3)),
    (series.garch_likelihood, (np.array([0.1, 0.2, 0.6]), np.sin(np.arange(2000.0)))),
    (series.soft_dynamic_time_warping, (np.sin(np.arange(60.0)), np.cos(np.arange(60.0)), 0.1)),
    (series.shortest_path, (np.abs(LARGE),)),
    (series.american_put, (100.0, 0.2, 95.0, 200)),
    (series.recursive_filter, (np.sin(np.arange(5000.0)), 0.4, 0.7)),
    (shapes.ray_marcher, (np.array([0.2, -0.1, 3.0, 1.0]), np.array([0.0, 0.1, 0.995]))),
    (shapes.bezier_curve, (DRAW.normal(size=(60, 2)), 0.3)),
    (shapes.convolution_of_four_loops, (DRAW.normal(size=(5, 5)), DRAW.normal(size=(60, 60)))),
    (shapes.picture_moved_by_parts_of_pixels, (np.array([0.3, -0.4]), DRAW.normal(size=(100, 100)))),
    (
        learning.logistic_regression,
        (np.ones(3), np.tile(learning.POINTS, (50, 1)), np.tile(learning.LABELS, 50)),
    ),
    (learning.gaussian_process, (np.log([1.5, 0.8, 0.1]), DRAW.normal(size=(60, 3)), np.ones(60))),
    (learning.lstm_with_a_list, (recurrent_weights(1, 16), WAVE[:-1], WAVE[1:, 0])),
    (learning.causal_attention, ({k: DRAW.normal(size=(4, 4)) for k in "qkv"}, DRAW.normal(size=(60, 4)))),
]


def dense(a, b, c):
    return np.sum(np.tanh(a @ b) @ c)


def calls(function: Callable[..., Any], args: tuple[Any, ...], inner: Any) -> Callable[[], Any]:
    """A call on the same arguments again and again; what a program would write is its own copy."""
    given = copy.deepcopy(args)
    return lambda: inner(*given)


def ratios(rounds: int) -> None:
    square = DRAW.normal(size=(400, 400)) / 20.0
    found = []
    programs = PROGRAMS if rounds > 2 else PROGRAMS[:2]  # a run that only checks that they run
    for function, args in [*programs, (dense, (square, square, square))]:
        compiled = rt.function(function, engine="native")
        argnums = (0, 1, 2) if function is dense else 0
        slope = rt.value_and_grad(compiled, argnums)
        pair = paired("", calls(function, args, slope), calls(function, args, compiled), rounds, 3)
        found.append(pair.ratio)
        report(
            f"{function.__name__}: gradient / function",
            f"{pair.ratio:.1f} ({readable(pair.ours)} / {readable(pair.theirs)})",
            "<= 4",
            pair.ratio <= 4,
        )
    report("  median of all", f"{np.median(found):.1f}", "<= 4", bool(np.median(found) <= 4))


def walk(x, n):
    y = np.zeros(n)
    s = x
    for i in range(n):
        s = s * 0.999 + 0.01 * x
        y[i] = s * s
    return y[n // 2] + s


def scaling(rounds: int) -> None:
    slope = rt.grad(rt.function(walk, engine="native"))
    few, many = 250_000, 1_000_000
    first = median(lambda: slope(0.5, few), rounds)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    second = median(lambda: slope(0.5, many), rounds)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    report(
        f"a loop of {many} iterations: each against {few}",
        f"{second / many / (first / few):.2f} ({readable(second)} / {readable(first)})",
        "<= 1.5",
        second / many <= 1.5 * first / few,
    )
    report("  memory for each iteration", f"{grown / many:.0f} bytes", "<= 64", grown / many <= 64)


def walk_in_jax(x, n):
    def step(i, carry):
        s, y = carry
        s = s * 0.999 + 0.01 * x
        return s, y.at[i].set(s * s)

    s, y = jax.lax.fori_loop(0, n, step, (x, jnp.zeros(n)))
    return y[n // 2] + s


def loss_in_jax(p, x, y):
    z = jnp.tanh(x @ p["w"]) @ p["v"]
    return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(z), axis=1))


def lstm_with_a_list_of_states(p, x, y):
    """The same network; its states are appended to a list, and stacked in the end."""
    size = len(p["out"])
    h, c = np.zeros(size), np.zeros(size)
    states = []
    for t in range(len(x)):
        gates = np.concatenate([x[t], h]) @ p["w"] + p["b"]
        i = 1.0 / (1.0 + np.exp(-gates[:size]))
        f = 1.0 / (1.0 + np.exp(-gates[size : 2 * size]))
        o = 1.0 / (1.0 + np.exp(-gates[2 * size : 3 * size]))
        c = f * c + i * np.tanh(gates[3 * size :])
        h = o * np.tanh(c)
        states.append(h)
    return np.mean((np.stack(states) @ p["out"] - y) ** 2)


def beside_jax(rounds: int) -> None:
    x, y = learning.digits(128)
    weights, recurrent = network(32), recurrent_weights(1, 16)
    cases: list[tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = [
        ("a loop that writes, 10,000 iterations", walk, walk_in_jax, (0.5, 10_000), (1,)),
        ("a network's step, 128 digits", learning.loss_of_network, loss_in_jax, (weights, x, y), ()),
        *[
            (f"an LSTM, 199 steps, {what}", function, lstm_in_jax, (recurrent, WAVE[:-1], WAVE[1:, 0]), ())
            for what, function in (
                ("a list of outputs", learning.lstm_with_a_list),
                ("a list of states", lstm_with_a_list_of_states),
            )
        ],
    ]
    with jax.enable_x64(True):
        for name, function, in_jax, args, static in cases:
            ours = rt.value_and_grad(rt.function(function, engine="native"))
            theirs = jax.jit(jax.value_and_grad(in_jax), static_argnums=static)
            given = [a if k in static else jax.tree.map(jnp.asarray, a) for k, a in enumerate(args)]
            value, slope = ours(*args)
            expected = theirs(*given)
            for a, b in zip(jax.tree.leaves((value, slope)), jax.tree.leaves(expected), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)
            wait = lambda: jax.block_until_ready(theirs(*given))
            pair = paired(name, lambda: ours(*args), wait, rounds, 3)
            report(
                f"{name}: ours / JAX",
                f"{pair.ratio:.2f} ({readable(pair.ours)} / {readable(pair.theirs)})",
                "< 1",
                pair.ratio < 1,
            )


def effort() -> None:
    """To trace and differentiate a function of 1,000 operations; conversion and compilation not counted.

    The second and later traces are timed, each for an array of another length.
    """
    program = fresh(straight_line(1000))
    slope = rt.grad(rt.function(lambda x, y: program(x, y).sum(), engine="numpy")).compiled

    def trace(length: int) -> object:
        spec = rt.TensorSpec([length], "float64")
        return slope.get_concrete_function(spec, spec)

    times = [seconds(lambda: trace(length)) for length in range(1, 7)]
    taken = float(np.median(times[1:]))
    report("trace and differentiate 1,000 operations", readable(taken), "<= 150 ms", taken <= 0.15)


def tapes(rounds: int) -> None:
    """The gradient of an eager tape: of structures that come once, and of one that comes again and again."""
    x = rt.constant(np.arange(3.0))

    def gradient(count: int) -> float:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(count // 4):
                y = np.sin(y) * x + x * 0.5
            total = y.sum()
        began = time.process_time()
        tape.gradient(total, x)
        return time.process_time() - began

    once = min(gradient(1000 + 4 * k) for k in range(rounds))
    report("1,000 operations of a tape, others each time", readable(once), "<= 75 ms", once <= 0.075)
    again = min(gradient(1000) for _ in range(rounds + 20))
    report("1,000 operations of a tape, the same ones", readable(again), "<= 20 ms", again <= 0.02)


def main(rounds: int = 7) -> None:
    ratios(rounds)
    scaling(max(2, rounds // 2))
    beside_jax(rounds)
    effort()
    tapes(rounds)


if __name__ == "__main__":
    main()
