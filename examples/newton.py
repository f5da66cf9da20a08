"""Newton's method with a convergence test: where is Halley's comet?

Kepler's equation M = E - e sin E gives the position E on an orbit for a time M. It has no closed solution;
Newton's method finds E for many times at once, and ends when the largest step is small.

    python examples/newton.py
"""

import numpy as np

import runtime as rt
from beside import beside_python

ECCENTRICITY = 0.96714  # of 1P/Halley
PERIOD = 75.3  # years


@rt.function
def eccentric_anomaly(mean, eccentricity, tolerance=1e-12, limit=50):
    """Solve Kepler's equation for every mean anomaly; returns the solutions and the steps it took."""
    solution = np.where(mean < np.pi, mean + 0.85 * eccentricity, mean - 0.85 * eccentricity)
    for steps in range(1, limit + 1):
        error = solution - eccentricity * np.sin(solution) - mean
        step = error / (1.0 - eccentricity * np.cos(solution))
        solution = solution - step
        if np.max(np.abs(step)) < tolerance:
            return solution, steps
    raise ArithmeticError(f"no convergence in {limit} steps")


def orbit(solution: np.ndarray, width: int, height: int) -> str:
    """The orbit seen from above, a dot for each point in time and the sun in its focus."""
    x, y = np.cos(solution) - ECCENTRICITY, np.sqrt(1 - ECCENTRICITY**2) * np.sin(solution)
    canvas = np.full((height, width), " ")
    columns = np.round((x + 2.0) / 2.05 * (width - 1)).astype(int)
    rows = np.round((0.27 - y) / 0.54 * (height - 1)).astype(int)
    canvas[rows, columns] = "."
    canvas[height // 2, round((2.0 / 2.05) * (width - 1))] = "O"
    return "\n".join("".join(row).rstrip() for row in canvas)


def main(times: int = 200_000, engine: str = "auto") -> tuple[np.ndarray, int]:
    """Solve for `times` moments of one period, and draw 76 of them, one for each year."""
    mean = np.linspace(0.0, 2 * np.pi, times, endpoint=False)
    solution, steps = beside_python(eccentric_anomaly, mean, ECCENTRICITY, engine=engine)
    print(f"{times} positions in {steps} steps; one dot for each year of {PERIOD}, the sun at O:")
    print(orbit(solution[:: max(1, times // 76)], width=100, height=25))
    return solution, steps


if __name__ == "__main__":
    main()
