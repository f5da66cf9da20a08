"""Fit the parameters of a differential equation through a solver that chooses its own steps.

Yeast grows in a dish: y' = r y (1 - y / K). An adaptive Runge-Kutta pair solves it, accepts and rejects
steps, and `rt.grad` differentiates all of that; gradient descent finds r and K from noisy counts.

    python examples/fit_growth.py
"""

import numpy as np

import runtime as rt
from beside import beside_python
from plots import show_plot


def solve(parameters, y, begin, end, tolerance):
    """Bogacki and Shampine's pair of orders 3 and 2, from one time to another."""
    r, k = parameters[0], parameters[1]
    t, h = begin, 0.1
    while t < end - 1e-12:
        h = min(h, end - t)
        k1 = r * y * (1.0 - y / k)
        y2 = y + 0.5 * h * k1
        k2 = r * y2 * (1.0 - y2 / k)
        y3 = y + 0.75 * h * k2
        k3 = r * y3 * (1.0 - y3 / k)
        new = y + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
        k4 = r * new * (1.0 - new / k)
        error = abs(h * (-5.0 * k1 / 72.0 + k2 / 12.0 + k3 / 9.0 - k4 / 8.0))
        if error <= tolerance:
            t = t + h
            y = new
        h = h * min(2.0, max(0.2, 0.9 * (tolerance / (error + 1e-300)) ** (1.0 / 3.0)))
    return y


def misfit(parameters, times, counts):
    """The mean square of what the model misses at the times of the counts."""
    y, before, total = counts[0], times[0], 0.0
    for k in range(1, len(times)):
        y = solve(parameters, y, before, times[k], 1e-6)
        before = times[k]
        total += (y - counts[k]) ** 2
    return total / len(times)


@rt.function
def fit(parameters, times, counts, steps, rate):
    """Gradient descent; the parameters, and the misfit at each step."""
    history = np.zeros(steps)
    for step in range(steps):
        value, slope = rt.value_and_grad(misfit)(parameters, times, counts)
        history[step] = value
        parameters = parameters - rate * slope
    return parameters, history


def main(steps: int = 400, engine: str = "auto", picture: str | None = None) -> np.ndarray:
    """Returns r and K as they were found; the counts were made with 1.1 and 3.0."""
    times = np.linspace(0.0, 8.0, 17)
    counts = 3.0 / (1.0 + (3.0 / 0.4 - 1.0) * np.exp(-1.1 * times))
    counts = counts + 0.03 * np.random.default_rng(0).normal(size=17)
    start = np.array([0.6, 2.0])
    found, history = beside_python(fit, start, times, counts, steps, 0.15, engine=engine, tolerance=1e-9)
    print(f"after {steps} steps: r = {found[0]:.3f}, K = {found[1]:.3f}; misfit {history[-1]:.2g}")
    model = [solve(found, counts[0], 0.0, t, 1e-6) for t in times]
    show_plot("growth of yeast", times, {"counted": counts, "model": np.array(model)}, picture)
    return found


if __name__ == "__main__":
    main(picture="fit_growth.png")
