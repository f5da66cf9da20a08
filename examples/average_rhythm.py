"""The average of heartbeats that do not keep time: gradients through dynamic time warping.

Three beats have the same shape at other speeds; their plain mean blurs it. The soft minimum of dynamic time
warping has a gradient, which moves a curve until all beats are close to it after warping.

    python examples/average_rhythm.py
"""

import numpy as np

import runtime as rt
from beside import beside_python
from plots import show_plot


def warped_distance(x, y, gamma):
    """The cost of the softest path through a table that is filled cell by cell."""
    n, m = len(x), len(y)
    table = np.full((n + 1, m + 1), 1e10)
    table[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = table[i - 1, j], table[i, j - 1], table[i - 1, j - 1]
            low = min(a, b, c)
            terms = np.exp((low - a) / gamma) + np.exp((low - b) / gamma) + np.exp((low - c) / gamma)
            table[i, j] = (x[i - 1] - y[j - 1]) ** 2 + low - gamma * np.log(terms)
    return table[n, m]


def total_distance(x, beats, gamma):
    total = 0.0
    for k in range(len(beats)):
        total += warped_distance(x, beats[k], gamma)
    return total


@rt.function
def average(x, beats, gamma, steps, rate):
    """Gradient descent; the curve, and the distance at each step."""
    history = np.zeros(steps)
    for step in range(steps):
        value, slope = rt.value_and_grad(total_distance)(x, beats, gamma)
        history[step] = value
        x = x - rate * slope
    return x, history


def main(length: int = 40, steps: int = 60, engine: str = "auto", picture: str | None = None) -> float:
    """Returns how high the peak of the average is, against that of the beats."""
    t = np.linspace(0.0, 1.0, length)
    beats = np.array([np.exp(-(((t**s - 0.5) / 0.06) ** 2)) for s in (0.6, 1.0, 1.7)])
    mean = beats.mean(axis=0)
    found, history = beside_python(average, mean, beats, 0.05, steps, 0.05, engine=engine, tolerance=1e-6)
    print(f"distance {history[0]:.3f} -> {history[-1]:.3f}; peak {mean.max():.2f} -> {found.max():.2f}")
    show_plot("the average beat", t, {"plain mean": mean, "warped average": found}, picture)
    return float(found.max())


if __name__ == "__main__":
    main(picture="average_rhythm.png")
