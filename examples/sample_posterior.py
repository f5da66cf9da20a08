"""Hamiltonian Monte Carlo: what temperatures say about a trend, and how sure one may be.

The sampler follows the gradient of the density, which `rt.grad` makes from the density as it is written
down, and accepts or rejects each proposal.

    python examples/sample_posterior.py
"""

import numpy as np

import runtime as rt
from beside import beside_python
from plots import show_plot


def energy(q, years, degrees):
    """The negative logarithm of the density of a line and its noise, up to a constant."""
    spread = np.exp(q[2])
    misses = (degrees - q[0] - q[1] * years) / spread
    return 0.5 * np.sum(misses**2) + len(years) * q[2] + 0.5 * np.sum((q / 3.0) ** 2)


@rt.function
def sample(q, years, degrees, momenta, uniforms, step, leaps):
    """One sample for each row of the momenta, and how many proposals were accepted."""
    samples = np.zeros(momenta.shape)
    accepted = 0
    slope = rt.grad(energy)
    for i in range(len(momenta)):
        new, p = q.copy(), momenta[i].copy()
        before = energy(q, years, degrees) + 0.5 * (p @ p)
        p -= 0.5 * step * slope(new, years, degrees)
        for leap in range(leaps):
            new += step * p
            if leap < leaps - 1:
                p -= step * slope(new, years, degrees)
        p -= 0.5 * step * slope(new, years, degrees)
        if np.log(uniforms[i]) < before - energy(new, years, degrees) - 0.5 * (p @ p):
            q = new
            accepted += 1
        samples[i] = q
    return samples, accepted


def main(samples: int = 2000, engine: str = "auto", picture: str | None = None) -> tuple[float, float]:
    """Returns the mean and the standard deviation of the trend; the data has a trend of 0.8."""
    draw = np.random.default_rng(2)
    years = np.linspace(-1.0, 1.0, 40)
    degrees = 0.3 + 0.8 * years + 0.4 * draw.normal(size=40)
    momenta, uniforms = draw.normal(size=(samples, 3)), draw.uniform(size=samples)
    start = np.zeros(3)
    found, accepted = beside_python(
        sample, start, years, degrees, momenta, uniforms, 0.08, 12, engine=engine, tolerance=1e-6
    )
    trend = found[samples // 10 :, 1]
    print(f"{accepted} of {samples} accepted; the trend is {trend.mean():.3f} +- {trend.std():.3f}")
    shares, edges = np.histogram(trend, bins=30)
    show_plot("samples of the trend", (edges[1:] + edges[:-1]) / 2, {"samples": shares}, picture)
    return float(trend.mean()), float(trend.std())


if __name__ == "__main__":
    main(picture="sample_posterior.png")
