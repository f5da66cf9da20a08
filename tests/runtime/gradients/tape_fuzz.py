"""Random programs of reads, views and writes through an eager tape, against central differences.

python -m tests.runtime.gradients.tape_fuzz 600
"""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

import runtime as rt
from autograph import AutographError
from runtime.differentiation import replay
from tests.runtime.gradients.differences import gradient

KINDS = (
    "un bin view set iadd imul fill copy scalar flat out reverse reshape constant pick set_view item"
).split()
#: those without writes, whose gradients are made step by step the first time
READS = "un bin view scalar reverse reshape floor pick item".split()
X = np.array([0.7, -0.3, 0.9, 0.4])


def program(seed: int) -> Callable[[Any], Any]:
    """A function that computes a number from arrays and numbers of a pool, which it views and writes."""
    rng = np.random.default_rng(seed)
    steps = [
        (rng.choice(KINDS if seed % 3 else READS), *map(int, rng.integers(0, 1000, 3)))
        for _ in range(rng.integers(4, 12))
    ]

    def run(x: Any) -> Any:
        pool, numbers = [x * 1.0], [x[0]]
        for kind, a, b, c in steps:
            p, q, s = pool[a % len(pool)], pool[b % len(pool)], numbers[c % len(numbers)]
            n, both = p.shape[0], min(p.shape[0], q.shape[0])
            match kind:
                case "un":
                    pool.append([np.sin, np.tanh, np.exp][c % 3](p * 0.3))
                case "bin":
                    pool.append([np.add, np.multiply, np.subtract][c % 3](p[:both], q[:both]))
                case "view":
                    pool.append(p[1:] if n > 2 else p[:])
                case "reverse":
                    pool.append(p[::-1])
                case "reshape":
                    pool.append(p.reshape(1, -1)[0])
                case "set":
                    p[c % n] = s * 0.5
                case "set_view":
                    p[:both] = q[:both].copy() * 0.7
                case "iadd":
                    p += s * 0.1
                case "imul":
                    p[:both] *= q[:both].copy()
                case "fill":
                    p[: max(1, both - 1)].fill(s)
                case "copy":
                    pool.append(p.copy())
                case "scalar":
                    numbers.append(p.sum() * 0.3)
                case "flat":
                    p.reshape(-1)[c % n] = s
                case "out":
                    np.multiply(p, 0.9, out=p)
                case "constant":
                    p[0] = 0.25
                case "floor":
                    pool.append(np.floor(p + 0.05) * q[0] + np.cos(p).mean())
                case "pick":
                    pool.append(p[[0, -1, 0]])
                case "item":
                    numbers.append(p[0] * s)
        total = sum([(p * np.cos(np.arange(p.shape[0]) + k)).sum() for k, p in enumerate(pool)])
        return total + sum([s * (k + 1) for k, s in enumerate(numbers)])

    return run


def outcome(seed: int, persistent: bool) -> str:
    """What a tape makes of it: "right", "refused: ..." or "wrong: ..."."""
    function, x = program(seed), rt.constant(X)
    wanted = gradient(function, [X])
    try:
        with rt.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = function(x)
        found = tape.gradient(y, x).numpy()
        with mock.patch.object(replay, "OFTEN", 0):  # all steps in one graph
            again = tape.gradient(y, x).numpy() if persistent else found
    except AutographError as error:
        return f"refused: {error.message}"
    if np.allclose([found, again], wanted, rtol=1e-4, atol=1e-4):
        return "right"
    return f"wrong: {seed} gives {found} and {again}, wanted {wanted}"


if __name__ == "__main__":
    seeds = range(int(sys.argv[1]))
    counts = collections.Counter(outcome(seed, persistent) for seed in seeds for persistent in (False, True))
    for words, count in counts.most_common():
        print(count, words)
