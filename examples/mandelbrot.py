"""The Mandelbrot set, point by point: each point runs its own number of steps.

python examples/mandelbrot.py
"""

import numpy as np

import runtime as rt
from beside import beside_python

SHADES = " .:-=+*#%@"


@rt.function
def escape_times(real, imaginary, limit):
    """For each point c of the plane: after how many steps of z -> z*z + c does |z| pass 2?"""
    times = np.zeros((len(imaginary), len(real)), dtype=np.int64)
    for row in range(len(imaginary)):
        for column in range(len(real)):
            x = y = 0.0
            step = 0
            while step < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + real[column], 2.0 * x * y + imaginary[row]
                step += 1
            times[row, column] = step
    return times


def picture(times: np.ndarray, limit: int) -> str:
    """One character per point; the set itself is dark."""
    scale = np.log1p(times) / np.log1p(limit) * (len(SHADES) - 1)
    return "\n".join("".join(SHADES[int(shade)] for shade in row) for row in scale)


def main(width: int = 100, height: int = 40, limit: int = 500, engine: str = "auto") -> np.ndarray:
    """Draw the set in `width` times `height` characters."""
    real, imaginary = np.linspace(-2.2, 0.8, width), np.linspace(1.2, -1.2, height)
    times = beside_python(escape_times, real, imaginary, limit, engine=engine)
    print(picture(times, limit))
    return times


if __name__ == "__main__":
    main()
