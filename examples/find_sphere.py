"""Find a sphere from a picture of depths: gradients through a ray marcher.

Each ray goes on by the distance to the nearest surface until it hits the sphere or the floor; how many
steps that takes hangs on the scene. Gradient descent moves and resizes the sphere until the depths agree.

    python examples/find_sphere.py
"""

import numpy as np

import runtime as rt
from beside import beside_python
from plots import show_plot


def depth(scene, x, y):
    """How far one sees through a pixel: a sphere above a floor, before a wall."""
    length = np.sqrt(x * x + y * y + 1.0)
    t = 0.0
    for _ in range(60):
        px, py, pz = t * x / length, t * y / length, t / length
        distance = np.sqrt((px - scene[0]) ** 2 + (py - scene[1]) ** 2 + (pz - scene[2]) ** 2) - scene[3]
        distance = min(distance, py + 1.0, 6.0 - pz)
        if distance < 1e-6:
            break
        t += distance
    return t


def misfit(scene, depths):
    rows, columns = depths.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            x, y = 1.6 * j / (columns - 1) - 0.8, 0.8 - 1.6 * i / (rows - 1)
            miss = depth(scene, x, y) - depths[i, j]
            total += miss * miss / (1.0 + miss * miss)  # what is hidden by an edge counts little
    return total / (rows * columns)


@rt.function
def search(scene, depths, steps, rate):
    """Gradient descent; the scene, and the misfit at each step."""
    history = np.zeros(steps)
    for step in range(steps):
        value, slope = rt.value_and_grad(misfit)(scene, depths)
        history[step] = value
        scene = scene - rate * slope
    return scene, history


def main(size: int = 24, steps: int = 200, engine: str = "auto", picture: str | None = None) -> np.ndarray:
    """Returns centre and radius of the sphere that was found."""
    true = np.array([0.3, 0.1, 3.0, 0.9])
    places = np.linspace(-0.8, 0.8, size)
    depths = np.array([[depth(true, x, -y) for x in places] for y in places])
    start = np.array([0.0, 0.0, 3.4, 0.7])
    scene, history = beside_python(search, start, depths, steps, 0.4, engine=engine, tolerance=1e-6)
    print("centre and radius:", np.round(scene, 3), "true:", true)
    show_plot("misfit by step", np.arange(steps), {"misfit": history}, picture)
    return scene


if __name__ == "__main__":
    main(picture="find_sphere.png")
