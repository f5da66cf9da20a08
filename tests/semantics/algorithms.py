"""Algorithms as people write them, on several types of arguments."""

import numpy as np

from tests.features.registry import floats, ints
from tests.semantics.cases import case

X, Y = floats(3, -1, 4), floats(-2, 7, -1)
RANDOM = np.random.default_rng(0)
MATRIX = RANDOM.normal(size=(4, 4))
SOLVABLE = np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]])


@case((1.0, 0.1), (np.float32(1), 0.1), (X, 0.05))
def runge_kutta(y, h):
    def f(t, y):
        return y * np.sin(t) - 0.5 * y

    t = 0.0
    for i in range(40):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t = t + h
    return y, t


@case(30, 50, 2)
def sieve_of_eratosthenes(n):
    p = np.ones(n + 1, dtype=bool)
    p[:2] = False
    i = 2
    while i * i <= n:
        if p[i]:
            p[i * i :: i] = False
        i += 1
    return np.nonzero(p)[0], p.sum()


@case(MATRIX, np.zeros((3, 3)), SOLVABLE)
def lu_with_pivots(a):
    n = a.shape[0]
    a = a.copy()
    piv = np.arange(n)
    for k in range(n):
        m = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[m, k]):
                m = i
        if a[m, k] == 0:
            raise ZeroDivisionError("singular")
        if m != k:
            a[[k, m]] = a[[m, k]]
            piv[[k, m]] = piv[[m, k]]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a, piv


@case((X, 3), (Y, 9))
def simulated_annealing(x, seed):
    s = seed
    cur = x.copy()
    best = cur.copy()
    T = 10.0
    e = (cur**2).sum()
    be = e
    while T > 0.5:
        s = (s * 1103515245 + 12345) % 2147483648
        i = s % len(x)
        s = (s * 1103515245 + 12345) % 2147483648
        d = s / 2147483648 - 0.5
        old = cur[i]
        cur[i] += d
        ne = (cur**2).sum()
        if ne < e or s % 7 == 0:
            e = ne
        else:
            cur[i] = old
        if e < be:
            be = e
            best = cur.copy()
        T *= 0.9
    return best, be


@case(X.copy(), np.array([100, 100, 100], dtype=np.int8), floats(1, 2, 3)[::-1])
def cumulative_sum_in_place(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1]
    return x


@case((X, Y), (X, floats(1, 2)), (ints(1, 2), ints(3, 4)), (X.astype("f4"), Y.astype("f4")))
def dot_product_of_any_type(a, b):
    if a.shape != b.shape:
        raise ValueError(f"shapes {a.shape} {b.shape}")
    s = a.dtype.type(0)
    for i in range(len(a)):
        s += a[i] * b[i]
    return s


@case(3, -2.5, np.float32(1), True, np.int8(100), np.uint8(200))
def types_of_numbers(x):
    y = x * 2
    if x > 0:
        y = y + 1
    return y, type(y).__name__, -x, abs(x)
