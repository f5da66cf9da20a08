"""First calls of long programs: what conversion, trace, passes and LLVM take for each operation."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime as rt
from tests.benchmarks.measure import readable, report
from tests.benchmarks.programs import fresh

LIMIT = 2.0

#: a program: its function and the arguments of its first call
Program = tuple[Callable[..., Any], tuple[Any, ...]]


def _lines(head: str, lines: list[str], result: str) -> Callable[..., Any]:
    return fresh(
        "\n".join([f"def program({head}):", *[f"    {line}" for line in lines], f"    return {result}\n"])
    )


def ifs(count: int) -> Callable[..., Any]:
    lines = [f"if x[{k % 3}] > {k}:\n        y = y + x[{k % 3}] * {k}" for k in range(count)]
    return _lines("x", ["y = 0.0", *lines], "y")


def number_ifs(count: int) -> Callable[..., Any]:
    return _lines("x, y", [f"if x > {k}:\n        y = y + x * {k}" for k in range(count)], "y")


def straight(count: int) -> Callable[..., Any]:
    return _lines("x, y", ["x = x * y" if k % 2 else "x = x + y" for k in range(count)], "x")


def different(count: int) -> Callable[..., Any]:
    """Lines of many kinds, with names and constants of their own."""
    kinds = [
        "a{n} = a{m} * {n}.5 + y",
        "a{n} = np.sin(a{m}) - a{m}",
        "a{n} = np.maximum(a{m}, y) / {n}.25",
        "a{n} = a{m} + a{m}.sum()",
    ]
    lines = [kinds[k % 4].format(n=k + 1, m=k) for k in range(count)]
    text = "\n".join(
        [
            "import numpy as np",
            "def program(x, y):",
            "    a0 = x",
            *[f"    {line}" for line in lines],
            f"    return a{count}\n",
        ]
    )
    return fresh(text)


def products(count: int) -> Callable[..., Any]:
    return _lines("x, m", ["x = m @ x"] * count, "x")


def constant_products(count: int) -> Callable[..., Any]:
    lines = ["m = np.eye(3) * 0.5", "y = m"] + ["y = y @ m"] * count
    return fresh(
        "\n".join(
            [
                "import numpy as np",
                "def program(x):",
                *[f"    {line}" for line in lines],
                "    return x + y\n",
            ]
        )
    )


def tuple_sum(arrays):
    total = 0.0
    for x in arrays:
        total += x.sum()
    return total


def tuple_sum_whole(arrays):
    return sum(arrays)


def product_of_lists(a, b):
    out = [[0.0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                out[i][j] += a[i][k] * b[k][j]
    return out


def life(board):
    n, m = len(board), len(board[0])
    new = [[0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            alive = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di or dj:
                        alive += board[(i + di) % n][(j + dj) % m]
            new[i][j] = 1 if alive == 3 or (alive == 2 and board[i][j]) else 0
    return new


def two_dim(n):
    table = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            table[i][j] = max(table[i - 1][j], table[i][j - 1]) + (i * j) % 7
    return table[n][n]


def cnn_step(images, labels, w1, b1, w2, b2, w3, b3, rate):
    def loss(w1, b1, w2, b2, w3, b3):
        x = images
        for w, b in ((w1, b1), (w2, b2)):
            n, h, v, _ = x.shape
            k = w.shape[0]
            y = b
            for i in range(k):
                for j in range(k):
                    y = y + x[:, i : h - k + 1 + i, j : v - k + 1 + j, :] @ w[i, j]
            y = np.maximum(y, 0.0)
            y = y[:, : y.shape[1] // 2 * 2, : y.shape[2] // 2 * 2]
            x = np.maximum(
                np.maximum(y[:, ::2, ::2], y[:, 1::2, ::2]), np.maximum(y[:, ::2, 1::2], y[:, 1::2, 1::2])
            )
        z = x.reshape(x.shape[0], -1) @ w3 + b3
        z = z - z.max(axis=1, keepdims=True)
        p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        return -(p * labels).sum() / len(labels)

    value, gradients = rt.value_and_grad(loss, argnums=(0, 1, 2, 3, 4, 5))(w1, b1, w2, b2, w3, b3)
    old = (w1, b1, w2, b2, w3, b3)
    return value, [w - rate * g for w, g in zip(old, gradients)]


def _cnn_arguments() -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    images = rng.random((8, 16, 16, 1))
    labels = np.eye(10)[rng.integers(0, 10, 8)]
    shapes = [(3, 3, 1, 4), (4,), (3, 3, 4, 8), (8,), (32, 10), (10,)]
    return images, labels, *(rng.random(shape) * 0.1 for shape in shapes), 0.01


def lists(n: int) -> list[list[float]]:
    return [[float(i * j % 7) for j in range(n)] for i in range(n)]


def board(n: int) -> list[list[int]]:
    return [[(i * 7 + j * 3) % 5 % 2 for j in range(n)] for i in range(n)]


def gradient(program: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: rt.grad(program)(*args)


X, Y, M = np.arange(3.0), np.ones(3), np.eye(3) * 0.5

PROGRAMS: dict[str, Callable[[], Program]] = {
    "400 ifs, of items": lambda: (ifs(400), (X,)),
    "400 ifs, of numbers": lambda: (number_ifs(400), (3.0, 1.0)),
    "their gradient, of items": lambda: (gradient(ifs(400)), (X,)),
    "their gradient, of numbers": lambda: (gradient(number_ifs(400)), (3.0, 1.0)),
    "2,000 lines, arrays": lambda: (straight(2000), (X, Y * 0.5)),
    "5,000 lines, arrays": lambda: (straight(5000), (X, Y * 0.5)),
    "2,000 lines, numbers": lambda: (straight(2000), (3.0, 0.5)),
    "5,000 lines, numbers": lambda: (straight(5000), (3.0, 0.5)),
    "500 lines of other kinds": lambda: (different(500), (X, Y)),
    "2,000 lines of other kinds": lambda: (different(2000), (X, Y)),
    "gradient of 500 lines": lambda: (gradient(_summed(straight(500))), (X, Y * 0.5)),
    "1,500 products": lambda: (products(1500), (X, M)),
    "1,500 products of a constant": lambda: (constant_products(1500), (X,)),
    "sums of 200 arrays": lambda: (tuple_sum, (tuple(np.ones(k % 5 + 1) for k in range(200)),)),
    "sum of 200 arrays": lambda: (tuple_sum_whole, (tuple(np.ones(5) for k in range(200)),)),
    "product of 12x12 lists": lambda: (product_of_lists, (lists(12), lists(12))),
    "product of 6x6 lists": lambda: (product_of_lists, (lists(6), lists(6))),
    "product of 40x40 lists": lambda: (product_of_lists, (lists(40), lists(40))),
    "life on 30x30 lists": lambda: (life, (board(30),)),
    "life on 8x8 lists": lambda: (life, (board(8),)),
    "life on 40x40 lists": lambda: (life, (board(40),)),
    "two_dim": lambda: (two_dim, (30,)),
    "training step of a CNN": lambda: (cnn_step, _cnn_arguments()),
}


def _summed(program: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: program(x, y).sum()


def compiling(program: Program) -> float:
    """Seconds of the processor's time until a new decorated function is ready to run."""
    function, args = program
    with contextlib.redirect_stdout(io.StringIO()):
        began = time.process_time()
        rt.function(function).get_concrete_function(*args).compile()
        return time.process_time() - began


def main(rounds: int = 20) -> None:
    tiny = rounds < 3
    compiling((straight(3), (X, Y)))  # what is loaded once
    programs = dict(list(PROGRAMS.items())[-3:-1]) if tiny else PROGRAMS
    for name, make in programs.items():
        taken = compiling(make())
        report(f"first call: {name}", readable(taken), f"< {readable(LIMIT)}", taken < LIMIT)
