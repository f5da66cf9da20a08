"""Programs about space: rays, curves, arms, pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.signal import correlate2d

from tests.runtime.gradients.ordinary.cases import case


def depth_by_hand(sphere, direction):
    """Where a ray from the origin meets a sphere: the implicit derivative of |t d - c| = r."""
    centre, radius = sphere[:3], sphere[3]
    along = direction @ centre
    t = along - math.sqrt(along**2 - centre @ centre + radius**2)
    normal = (t * direction - centre) / radius
    return np.append(normal, 1.0) / (normal @ direction)


@case(
    np.array([0.2, -0.1, 3.0, 1.0]),
    np.array([0.0, 0.1, math.sqrt(0.99)]),
    expected=depth_by_hand,
    rtol=1e-6,
)
def ray_marcher(sphere, direction):
    """Steps as long as the distance to the nearest surface, until there is a hit or the end of the scene."""
    t = 0.0
    for _ in range(200):
        point = t * direction
        distance = np.sqrt(np.sum((point - sphere[:3]) ** 2)) - sphere[3]
        distance = min(distance, point[1] + 1.0)
        if distance < 1e-12:
            break
        if t > 20.0:
            return 20.0
        t += distance
    return t


def bernstein(points, t):
    n = len(points) - 1
    weights = [math.comb(n, k) * t**k * (1 - t) ** (n - k) for k in range(n + 1)]
    return np.outer(weights, [1.0, 2.0])


@case(np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [4.0, 0.5]]), 0.3, expected=bernstein)
def bezier_curve(points, t):
    """De Casteljau's points, each level written over the one before."""
    p = points.copy()
    for level in range(1, len(p)):
        for i in range(len(p) - level):
            p[i] = (1.0 - t) * p[i] + t * p[i + 1]
    return p[0, 0] + 2.0 * p[0, 1]


@dataclass
class Joint:
    angle: float
    length: float


def arm_by_hand(angles, target):
    total = np.cumsum(angles)
    x, y = np.cos(total).sum() - target[0], np.sin(total).sum() - target[1]
    return np.array([2.0 * (-x * np.sin(total[k:]).sum() + y * np.cos(total[k:]).sum()) for k in range(3)])


@case(np.array([0.3, 0.5, -0.2]), np.array([1.5, 1.0]), expected=arm_by_hand)
def arm_of_dataclasses(angles, target):
    """How far the hand of an arm is from its target; the arm is a list of objects."""
    joints = [Joint(angle, 1.0) for angle in angles]
    x = y = heading = 0.0
    for joint in joints:
        heading += joint.angle
        x += joint.length * np.cos(heading)
        y += joint.length * np.sin(heading)
    return (x - target[0]) ** 2 + (y - target[1]) ** 2


PICTURE = np.random.default_rng(0).normal(size=(7, 6))
KERNEL = np.random.default_rng(1).normal(size=(3, 2))


def convolution_by_scipy(kernel, picture):
    out = np.maximum(correlate2d(picture, kernel, mode="valid"), 0.0)
    return correlate2d(picture, 2.0 * out, mode="valid")


@case(KERNEL, PICTURE, expected=convolution_by_scipy)
def convolution_of_four_loops(kernel, picture):
    """A convolution, and a rectifier that writes zeros."""
    rows, columns = kernel.shape
    out = np.zeros((picture.shape[0] - rows + 1, picture.shape[1] - columns + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for a in range(rows):
                for b in range(columns):
                    out[i, j] += kernel[a, b] * picture[i + a, j + b]
            if out[i, j] < 0:
                out[i, j] = 0.0
    return (out**2).sum()


@case(np.array([0.3, -0.4]), PICTURE)
def picture_moved_by_parts_of_pixels(shift, picture):
    """Bilinear samples of a moved picture against the picture; what lies outside is left out."""
    rows, columns = picture.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            y, x = i + shift[0], j + shift[1]
            if y < 0 or x < 0 or y >= rows - 1 or x >= columns - 1:
                continue
            i0, j0 = int(y), int(x)
            v, u = y - i0, x - j0
            top = (1.0 - u) * picture[i0, j0] + u * picture[i0, j0 + 1]
            bottom = (1.0 - u) * picture[i0 + 1, j0] + u * picture[i0 + 1, j0 + 1]
            total += ((1.0 - v) * top + v * bottom - picture[i, j]) ** 2
    return total
