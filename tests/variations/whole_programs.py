"""What engineers write with NumPy: whole algorithms, in which the situations of several rows meet."""

import math

import numpy as np

from tests.features.registry import floats, ints
from tests.variations.cases import case


@case((floats(1, 2, 3, 2), 0.1, 0.5), (floats(), 0.1, 0.1), (floats(1, np.nan, 3), 0.1, 0.2))
def kalman_filter(measured, q, r):
    x, p, states = 0.0, 1.0, []
    for z in measured:
        p = p + q
        if not np.isnan(z):
            gain = p / (p + r)
            x, p = x + gain * (z - x), (1 - gain) * p
        states.append(x)
    return np.array(states), p


@case((np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0]]), 2), (np.array([[1.0], [2.0], [50.0]]), 2))
def k_means(points, k):
    centres = points[:k].copy()
    labels = np.full(len(points), -1)
    for turn in range(20):
        changed = False
        for i, point in enumerate(points):
            j = int(np.argmin(((centres - point) ** 2).sum(axis=1)))
            if labels[i] != j:
                labels[i], changed = j, True
        if not changed:
            break
        for j in range(k):
            if (chosen := labels == j).any():
                centres[j] = points[chosen].mean(axis=0)
    return centres, labels, turn


@case((ints(1, 2, 3), ints(1, 3)), (ints(1), ints(1)), (ints(), ints(1, 2)))
def edit_distance(s, t):
    row = list(range(len(t) + 1))
    for i, a in enumerate(s, 1):
        above, row = row, [i]
        for j, b in enumerate(t, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b)))
    return row[-1]


@case(ints(1, 1, 2, 2, 2, 3), ints(), ints(7))
def run_lengths(x):
    values, counts = [], []
    for v in x:
        if values and values[-1] == v:
            counts[-1] += 1
        else:
            values.append(v)
            counts.append(1)
    return values, counts


@case(floats(3, 1, 2, 1), floats(), floats(1, 1))
def average_ranks(x):
    order = np.argsort(x, kind="stable")
    ranks = np.zeros(len(x))
    i = 0
    while i < len(x):
        j = i
        while j + 1 < len(x) and x[order[j + 1]] == x[order[i]]:
            j += 1
        ranks[order[i : j + 1]] = (i + j) / 2
        i = j + 1
    return ranks


@case((1.0, 2.0), (3.0, 0.1), (0.0, 0.0))
def cube_root_of_one(re, im):
    z = complex(re, im)
    for turn in range(50):
        slope = 3 * z**2
        if slope == 0:
            raise ZeroDivisionError("the derivative vanished")
        z, before = z - (z**3 - 1) / slope, z
        if abs(z - before) < 1e-10:
            break
    else:
        return None
    roots = [1, complex(-0.5, math.sqrt(0.75)), complex(-0.5, -math.sqrt(0.75))]
    return min(range(3), key=lambda i: abs(z - roots[i])), turn


@case((np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]]), 2), (np.eye(4, dtype=np.int32), 3), (np.zeros((1, 1)), 1))
def game_of_life(cells, turns):
    for _ in range(turns):
        near = sum(np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        cells = ((near == 3) | ((cells == 1) & (near == 2))).astype(cells.dtype)
        if not cells.any():
            break
    return cells
