"""Loops over numbers and arrays."""

import math
from dataclasses import dataclass

import numpy as np

from tests.ordinary.cases import case

RNG = np.random.default_rng(7)
MATRIX = RNG.normal(size=(12, 12)) + 12 * np.eye(12)
POINTS = RNG.normal(size=(60, 2))


@case((16, 12, 20), (8, 8, 5))
def mandelbrot(width, height, limit):
    counts = np.zeros((height, width), dtype=np.int64)
    for row in range(height):
        for column in range(width):
            c = complex(-2.0 + 3.0 * column / width, -1.2 + 2.4 * row / height)
            z = 0j
            n = 0
            while abs(z) <= 2.0 and n < limit:
                z = z * z + c
                n += 1
            counts[row, column] = n
    return counts


@case((RNG.integers(0, 2, (16, 16)), 5), (np.zeros((4, 7), dtype=np.int64), 2))
def game_of_life(board, generations):
    rows, columns = board.shape
    for _ in range(generations):
        new = np.zeros_like(board)
        for i in range(rows):
            for j in range(columns):
                neighbours = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di == 0 and dj == 0:
                            continue
                        neighbours += board[(i + di) % rows, (j + dj) % columns]
                if board[i, j] == 1 and neighbours in (2, 3):
                    new[i, j] = 1
                elif board[i, j] == 0 and neighbours == 3:
                    new[i, j] = 1
        board = new
    return board


@case((POINTS, 3), (POINTS[:10], 2))
def k_means(points, k):
    centres = points[:k].copy()
    labels = np.zeros(len(points), dtype=np.int64)
    for step in range(20):
        moved = False
        for i, point in enumerate(points):
            best, best_distance = 0, math.inf
            for j in range(k):
                distance = np.sum((point - centres[j]) ** 2)
                if distance < best_distance:
                    best, best_distance = j, distance
            if labels[i] != best:
                labels[i] = best
                moved = True
        for j in range(k):
            members = points[labels == j]
            if len(members) > 0:
                centres[j] = members.mean(axis=0)
        if not moved:
            break
    return centres, labels, step


@case((MATRIX,), (MATRIX[:3, :3],), (np.zeros((2, 2)),))
def lu(matrix):
    n = len(matrix)
    a = matrix.copy()
    order = list(range(n))
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if a[pivot, k] == 0:
            raise ValueError(f"singular in column {k}")
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            order[k], order[pivot] = order[pivot], order[k]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a, order


@case(("kitten", "sitting"), ("", "abc"), ("intention", "execution"))
def edit_distance(first, second):
    rows, columns = len(first) + 1, len(second) + 1
    table = np.zeros((rows, columns), dtype=np.int64)
    for i in range(rows):
        table[i, 0] = i
    for j in range(columns):
        table[0, j] = j
    for i in range(1, rows):
        for j in range(1, columns):
            cost = 0 if first[i - 1] == second[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table[-1, -1]


@dataclass
class Body:
    x: float
    y: float
    vx: float
    vy: float
    mass: float

    def kinetic(self):
        return 0.5 * self.mass * (self.vx**2 + self.vy**2)

    def move(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt


@case((0.01, 20), (0.1, 3))
def n_body(dt, steps):
    bodies = [
        Body(0.0, 0.0, 0.0, 0.0, 100.0),
        Body(5.0, 0.0, 0.0, 4.0, 1.0),
        Body(0.0, 9.0, -3.0, 0.0, 2.0),
    ]
    for _ in range(steps):
        for i, a in enumerate(bodies):
            for b in bodies[i + 1 :]:
                dx, dy = b.x - a.x, b.y - a.y
                distance = math.sqrt(dx * dx + dy * dy) + 1e-9
                force = a.mass * b.mass / distance**2
                a.vx += force * dx / distance / a.mass * dt
                a.vy += force * dy / distance / a.mass * dt
                b.vx -= force * dx / distance / b.mass * dt
                b.vy -= force * dy / distance / b.mass * dt
        for body in bodies:
            body.move(dt)
    return [(b.x, b.y) for b in bodies], sum(b.kinetic() for b in bodies)


@case((30,), (2,), (np.int64(100),))
def sieve(limit):
    prime = np.ones(limit + 1, dtype=bool)
    prime[:2] = False
    n = 2
    while n * n <= limit:
        if prime[n]:
            for multiple in range(n * n, limit + 1, n):
                prime[multiple] = False
        n += 1
    return [i for i in range(limit + 1) if prime[i]]


@case((POINTS[:, 0],), (np.array([3.0, 1.0, 2.0]),), (np.array([]),))
def quicksort(values):
    a = values.copy()
    stack = [(0, len(a) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot = a[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        stack.append((low, j))
        stack.append((i, high))
    return a


@case((lambda x: x**3 - 2 * x - 5, 1.0, 3.0), (lambda x: x * x + 1, -1.0, 1.0))
def find_root(f, low, high, tolerance=1e-10):
    """Bisection, then Newton's method with a numerical slope."""
    f_low, f_high = f(low), f(high)
    if f_low * f_high > 0:
        raise ValueError(f"no change of sign between {low} and {high}")
    while high - low > 0.1:
        middle = (low + high) / 2
        if f(low) * f(middle) <= 0:
            high = middle
        else:
            low = middle
    x, steps = (low + high) / 2, 0
    while abs(f(x)) > tolerance:
        slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        x -= f(x) / slope
        steps += 1
        if steps > 50:
            raise RuntimeError("no convergence")
    return x, steps


@case((POINTS[:, 0], 5), (POINTS[:, 1], 1), (np.ones(3), 3))
def statistics_of(signal, window):
    """Fifty lines of numbers, with two nested loops."""
    n = len(signal)
    smooth = np.empty(n)
    for i in range(n):
        total, count = 0.0, 0
        for k in range(-window, window + 1):
            j = i + k
            if j < 0 or j >= n:
                continue
            weight = 1.0 / (1 + abs(k))
            total += weight * signal[j]
            count += weight
        smooth[i] = total / count
    peaks = []
    for i in range(1, n - 1):
        if smooth[i] > smooth[i - 1] and smooth[i] >= smooth[i + 1]:
            peaks.append((i, smooth[i]))
    best = None
    for place, height in peaks:
        if best is None or height > best[1]:
            best = (place, height)
    mean = smooth.mean()
    low, high, crossings = math.inf, -math.inf, 0
    previous = smooth[0]
    for value in smooth:
        low, high = min(low, value), max(high, value)
        if (previous - mean) * (value - mean) < 0:
            crossings += 1
        previous = value
    histogram = [0] * 8
    width = (high - low) / 8
    for value in smooth:
        if width == 0:
            bin_ = 0
        else:
            bin_ = min(int((value - low) / width), 7)
        histogram[bin_] += 1
    label = "calm" if crossings < n // 4 else "busy"
    return peaks, best, crossings, histogram, label


@case((0.1, 40), (0.5, 3))
def runge_kutta(h, steps):
    def slope(t, y):
        return np.array([y[1], (1 - y[0] ** 2) * y[1] - y[0] + 0.1 * math.sin(t)])

    y, t = np.array([2.0, 0.0]), 0.0
    path = [y]
    for _ in range(steps):
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h / 2 * k1)
        k3 = slope(t + h / 2, y + h / 2 * k2)
        k4 = slope(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
        path.append(y)
    return np.stack(path)


@case((POINTS, np.sign(POINTS[:, 0] - POINTS[:, 1] + 0.1), 10), (POINTS[:5], np.ones(5), 3))
def perceptron(features, labels, epochs):
    weights, bias = np.zeros(features.shape[1]), 0.0
    for epoch in range(epochs):
        mistakes = 0
        for x, label in zip(features, labels):
            if label * (weights @ x + bias) <= 0:
                weights += 0.5 * label * x
                bias += 0.5 * label
                mistakes += 1
        print(f"epoch {epoch}: {mistakes} mistakes")
        if mistakes == 0:
            break
    return weights, bias
