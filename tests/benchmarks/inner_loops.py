"""Loops whose steps do one thing with arrays, complex numbers or a generator, beside plain Python.

The forms are functions of numbers of steps and data; `tests/runtime/engines/native/test_inner_loops.py` asks
that each runs in machine code from end to end.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import runtime as rt
from tests.benchmarks.measure import paired, readable, report

TARGET = 5.0
RANDOM = np.random.default_rng(0)
OLD_RANDOM = np.random.RandomState(1)
X, Y = RANDOM.random(16), RANDOM.random(16)
M = RANDOM.random((16, 16))
PLACES = RANDOM.integers(-16, 16, 16)
SOME = RANDOM.random(16) < 0.5
Z, W = RANDOM.random(16) + 1j * RANDOM.random(16), RANDOM.random(16) - 2j


def draws(n: int, rng: Any) -> float:
    total = 0.0
    for _ in range(n):
        total += rng.random() + rng.normal(1.0, 0.5) + rng.exponential(2.0) + rng.integers(6)
    return total


def old_draws(n: int, rng: Any) -> float:
    total = 0.0
    for _ in range(n):
        total += rng.rand() ** 2 + rng.uniform(-1, 1)
    return total


def one_complex_number(n: int, z: Any) -> Any:
    c = z
    for _ in range(n):
        z = z * z * 0.5 + c
        if abs(z) > 2:
            z = c / z
    return z


def parts_of_complex_numbers(n: int, c: Any) -> Any:
    """A point of the Mandelbrot set, again and again."""
    z, turns = c, 0
    for _ in range(n):
        z = z**2 + c
        if z.real * z.real + z.imag * z.imag > 4:
            z, turns = 0.5 * c, turns + 1
    return turns, z.conjugate() / 2


def products(n: int, x: Any, y: Any) -> float:
    total = 0.0
    for i in range(n):
        x[i % 16] += 0.5
        total += x @ y + np.dot(x[: i % 16], y[: i % 16]) + np.inner(x, y[::-1])
    return total


def products_of_columns(n: int, m: Any) -> float:
    total = 0.0
    for i in range(n):
        m[3, i % 16] += 0.5
        total += m[i % 16] @ m[:, i % 7]
    return total


def products_of_complex_matrices(n: int, z: Any) -> Any:
    total = z[:3, :3]
    for _ in range(n):
        total = (total @ z[3:6, 3:6]) * 0.3 + z[:3, :3]
    return total


def gathers(n: int, x: Any, y: Any, places: Any) -> float:
    total = 0.0
    for i in range(n):
        x[i % 16] += 0.5
        total += x[places] @ y
    return total


def gathers_of_rows(n: int, m: Any, places: Any) -> float:
    total = 0.0
    for i in range(n):
        m[3, i % 16] += 0.5
        total += m[places].sum()
    return total


def scatters(n: int, x: Any, y: Any, places: Any) -> float:
    for _ in range(n):
        x[places] = y * 0.5
        x[places] += 1.0
    return x[3]


def masks(n: int, x: Any, y: Any, some: Any) -> float:
    total = 0.0
    for _ in range(n):
        x[some] = x[some] * 0.5 + y[some]
        total += x[some].sum()
    return total


def small_arrays(n: int, y: Any) -> float:
    total = 0.0
    for i in range(n):
        a = np.array([1.0, y[i % 16], i])
        total += a @ a
    return total


def sums_of_complex_numbers(n: int, z: Any, w: Any) -> Any:
    total = 0j
    for i in range(n):
        z[i % 16] *= 0.5
        total = total * 0.5 + (z * w).sum()
    return total


def views(n: int, x: Any, z: Any) -> float:
    total = 0.0
    for i in range(n):
        x[i % 16] += 0.5
        z[i % 16] *= 0.5
        total += x.reshape(4, 4)[1].sum() + z.real.sum() + z.imag[3]
    return total


def triangles(n: int, m: Any) -> float:
    total = 0.0
    for i in range(n):
        m[3, i % 16] += 0.5
        total += np.triu(m, 1).sum() + np.tril(m).sum()
    return total


def histograms(n: int, x: Any, y: Any) -> float:
    total = 0.0
    for i in range(n):
        x[i % 16] += 0.5
        counts, edges = np.histogram(x, 5, weights=y)
        total += counts[2] + edges[1] + np.histogram(x, i + 1)[0][0]
    return total


def special_functions(n: int, x: Any) -> float:
    total = 0.0
    for i in range(n):
        v = x[i % 16]
        total += special.erf(v) * special.gamma(v + 0.5) + special.jv(2, v)
    return total


def other_shapes(n: int, x: Any) -> float:
    total = 0.0
    for i in range(n):
        m = x[i % 4 : i % 4 + 12].reshape(-1, 3)
        total += m[1, 2] + m.ravel()[i % 12]
    return total


def statistics(n: int, x: Any) -> float:
    total = 0.0
    for i in range(n):
        x[i % 16] += 0.5
        total += x.std() + np.linalg.norm(x) + np.diff(x).max() + np.cumsum(x)[3] - np.ptp(x)
    return total


def look_ups(n: int, x: Any, y: Any) -> float:
    total = 0.0
    for i in range(n):
        total += np.interp(y[i % 16], x, y) + np.searchsorted(x, y[i % 16])
    return total


def records(n: int, p: Any) -> float:
    total = 0.0
    for i in range(n):
        r = p[i % 16]
        r["speed"] -= 9.81 * 0.01
        r["height"] += r["speed"] * 0.01
        total += r["height"]
    return total


#: what makes the arguments after the number of steps, anew for each call
FORMS: dict[Callable[..., Any], Callable[[], tuple[Any, ...]]] = {
    draws: lambda: (RANDOM,),
    old_draws: lambda: (OLD_RANDOM,),
    one_complex_number: lambda: (np.complex128(0.3 + 0.5j),),
    parts_of_complex_numbers: lambda: (0.3 + 0.5j,),
    products: lambda: (X.copy(), Y),
    products_of_columns: lambda: (M.copy(),),
    products_of_complex_matrices: lambda: (M + 1j * M.T,),
    gathers: lambda: (X.copy(), Y, PLACES),
    gathers_of_rows: lambda: (M.copy(), PLACES),
    scatters: lambda: (X.copy(), Y, PLACES),
    masks: lambda: (X.copy(), Y, SOME),
    small_arrays: lambda: (Y,),
    sums_of_complex_numbers: lambda: (Z.copy(), W),
    views: lambda: (X.copy(), Z.copy()),
    triangles: lambda: (M.copy(),),
    histograms: lambda: (X.copy(), Y),
    special_functions: lambda: (X.copy(),),
    other_shapes: lambda: (X.copy(),),
    statistics: lambda: (X.copy(),),
    look_ups: lambda: (np.sort(X), Y),
    records: lambda: (np.ones(16, [("height", float), ("speed", "f4")]),),
}


def main(rounds: int = 9) -> None:
    steps = 2000
    for form, arguments in FORMS.items():
        ours = rt.function(form)
        pair = paired(
            form.__name__,
            lambda ours=ours, arguments=arguments: ours(steps, *arguments()),
            lambda form=form, arguments=arguments: form(steps, *arguments()),
            rounds,
        )
        each = f"{readable(pair.ours / steps)}, {1 / pair.ratio:.1f} times Python"
        name = f"a step of `{form.__name__}`"
        report(name, each, f"{TARGET:.0f} times", 1 / pair.ratio >= TARGET)


if __name__ == "__main__":
    main()
