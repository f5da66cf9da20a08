"""What engineers write with NumPy: whole algorithms, in which the situations of several rows meet."""

import math

import numpy as np

from tests.features.registry import floats, ints
from tests.variations.cases import case


@case((0.0, 1.0, 1e-3), (1.0, 3.0, 1e-6), (2.0, 2.0, 1e-3))
def adaptive_steps(t, end, tolerance):
    y, h, taken, rejected = 1.0, 0.1, 0, 0
    while t < end:
        if t + h > end:
            h = end - t
        k1 = t - 2 * y
        k2 = t + h - 2 * (y + h * k1)
        error = abs(h * (k2 - k1) / 2)
        if error > tolerance:
            h *= 0.5
            rejected += 1
            if h < 1e-12:
                raise RuntimeError(f"the step is too small at t={t:.3f}")
            continue
        y, t, taken = y + h * (k1 + k2) / 2, t + h, taken + 1
        h = min(2 * h, 0.5) if error < tolerance / 4 else h
    return y, taken, rejected


SYSTEMS = [
    (np.array([[4.0, 1.0], [1.0, 3.0]]), floats(1, 2), 50),
    (np.array([[0.0, 1.0], [1.0, 0.0]]), floats(1, 2), 3),
    (np.zeros((0, 0)), floats(), 3),
]


@case(*SYSTEMS)
def gauss_seidel(a, b, sweeps):
    n = len(b)
    x = np.zeros(n)
    for sweep in range(sweeps):
        change = 0.0
        for i in range(n):
            total = 0
            for j in range(n):
                if j != i:
                    total += a[i, j] * x[j]
            if a[i, i] == 0:
                raise ZeroDivisionError(f"zero pivot in row {i}")
            new = (b[i] - total) / a[i, i]
            change = max(change, abs(new - x[i]))
            x[i] = new
        if change < 1e-12:
            break
    else:
        sweep = -1
    return x, sweep


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


@case((floats(0, 1, 2), floats(0, 10, 0), floats(0.5, -1, 3)), (floats(0), floats(1), floats(0, 1)))
def interpolated(xs, ys, wanted):
    found = []
    for v in wanted:
        if v <= xs[0]:
            found.append(ys[0])
            continue
        for x0, x1, y0, y1 in zip(xs, xs[1:], ys, ys[1:], strict=False):
            if x0 <= v <= x1:
                t = (v - x0) / (x1 - x0)
                found.append(y0 * (1 - t) + y1 * t)
                break
        else:
            found.append(ys[-1])
    return np.array(found)


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


@case(np.array([[1, 4], [2, 5], [7, 9]]), np.zeros((0, 2), int), np.array([[1, 2]]))
def merged_intervals(x):
    merged = []
    for a, b in sorted(x.tolist()):
        if merged and a <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], b)
        else:
            merged.append([a, b])
    return merged, sum(b - a for a, b in merged)


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


@case((floats(1, 2, 3), 2), (floats(1, 2), 5), (floats(1), 0))
def moving_average(x, width):
    if width <= 0:
        raise ValueError("the width must be positive")
    means, total = np.full(x.shape, np.nan), 0.0
    for i, v in enumerate(x):
        total += v
        if i >= width:
            total -= x[i - width]
        if i >= width - 1:
            means[i] = total / width
    return means


@case(ints(2, 0, 2, 1, 1, 0), ints(0), ints())
def three_colours(x):
    low, middle, high = 0, 0, len(x) - 1
    while middle <= high:
        match x[middle]:
            case 0:
                x[low], x[middle] = x[middle], x[low]
                low, middle = low + 1, middle + 1
            case 1:
                middle += 1
            case _:
                x[middle], x[high] = x[high], x[middle]
                high -= 1
    return x, low, high


@case(ints(2, 2, 1, 1, 2), ints(1, 2), ints())
def majority(x):
    candidate, count = None, 0
    for v in x:
        if count == 0:
            candidate = v
        count += 1 if v == candidate else -1
    return candidate if candidate is not None and (x == candidate).sum() > len(x) // 2 else None


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
