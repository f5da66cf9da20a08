"""Algorithms as people write them, on several types of arguments."""

import heapq

import numpy as np

from tests.features.registry import floats, ints
from tests.semantics.cases import case

X, Y = floats(3, -1, 4), floats(-2, 7, -1)
RANDOM = np.random.default_rng(0)
MATRIX = RANDOM.normal(size=(4, 4))
SAMPLE = RANDOM.normal(size=50)
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


@case((42, 5), (7, 40))
def linear_congruences(seed, n):
    s = seed
    out = np.zeros(n)
    for i in range(n):
        s = (s * 1103515245 + 12345) % 2147483648
        out[i] = s / 2147483648
    return out, s


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


@case((SAMPLE, 5), (X, 3))
def histogram(x, bins):
    h = np.zeros(bins, dtype=np.int64)
    lo, hi = x.min(), x.max()
    for v in x:
        k = int((v - lo) / (hi - lo) * bins)
        if k == bins:
            k -= 1
        h[k] += 1
    return h


@case((ints(1, 2, 3, 4), ints(2, 4, 5)), (ints(1), ints(1, 1)))
def longest_common_subsequence(a, b):
    m, n = len(a), len(b)
    d = np.zeros((m + 1, n + 1), dtype=np.int64)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                d[i, j] = d[i - 1, j - 1] + 1
            else:
                d[i, j] = max(d[i - 1, j], d[i, j - 1])
    return d[m, n], d


@case(np.frombuffer(b"12 -5 7", dtype=np.uint8), np.frombuffer(b"1 x", dtype=np.uint8))
def sum_of_numbers_in_bytes(b):
    total = 0
    sign = 1
    cur = 0
    have = False
    for c in b:
        if c == 45:
            sign = -1
        elif 48 <= c <= 57:
            cur = cur * 10 + int(c - 48)
            have = True
        elif c == 32:
            if have:
                total += sign * cur
            cur = 0
            sign = 1
            have = False
        else:
            raise ValueError(f"bad char {c} in {total}")
    if have:
        total += sign * cur
    return total


@case(ints(1, 2, 0, 1), ints(0, 1, 1))
def state_machine_of_strings(cmds):
    state = "idle"
    log = 0
    table = {"idle": 1, "run": 10, "stop": 100}
    for c in cmds:
        if state == "idle" and c == 1:
            state = "run"
        elif state == "run" and c == 2:
            state = "stop"
        elif c == 0:
            state = "idle"
        log += table[state]
    return state, log


@case((ints(0, 1, 0, 0, 1), 3), (np.array([1, 0, 1], dtype=np.int8), 2))
def cellular_automaton(g, steps):
    n = len(g)
    for _ in range(steps):
        new = np.zeros_like(g)
        for i in range(n):
            s = g[i - 1] + g[(i + 1) % n]
            if s == 1 or (g[i] and s == 2):
                new[i] = 1
        g = new
    return g


@case(X, Y)
def heap_sort(x):
    h = []
    for v in x:
        heapq.heappush(h, v)
    return [heapq.heappop(h) for _ in range(len(h))]


@case((SAMPLE, 3), (X, 2))
def moving_average(x, w):
    out = np.empty(len(x) - w + 1)
    s = x[:w].sum()
    out[0] = s / w
    for i in range(w, len(x)):
        s += x[i] - x[i - w]
        out[i - w + 1] = s / w
    return out


@case((SOLVABLE, 5), (SOLVABLE, 0))
def matrix_power(m, k):
    r = np.eye(len(m))
    while k:
        if k & 1:
            r = r @ m
        m = m @ m
        k >>= 1
    return r


@case(7, np.int64(27), 1)
def collatz_steps(n):
    c = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        c += 1
        if c > 1000:
            raise RuntimeError("too long", c)
    return c


@case((SOLVABLE, floats(1, 2, 3), 1e-6))
def jacobi_iteration(a, b, tol):
    x = np.zeros_like(b)
    n = len(b)
    it = 0
    while True:
        new = np.empty_like(x)
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s = s - a[i, j] * x[j]
            new[i] = s / a[i, i]
        it += 1
        if np.abs(new - x).max() < tol or it > 60:
            break
        x = new
    return new, it


@case((floats(1, 2, 3, 4), 2.5), (floats(1, 2, 3, 4), 9))
def binary_search(x, v):
    lo, hi = 0, len(x)
    while lo < hi:
        mid = (lo + hi) // 2
        if x[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    return lo


@case(X, Y, ints(3, 1, 2), np.array([], dtype=float))
def bubble_sort(x):
    x = x.copy()
    n = len(x)
    swaps = 0
    for i in range(n):
        done = True
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
                done = False
                swaps += 1
        if done:
            break
    return x, swaps


@case(X, Y, np.array([]))
def longest_rising_run(x):
    best = cur = 0
    prev = None
    for v in x:
        if prev is not None and v > prev:
            cur += 1
        else:
            cur = 1
        best = max(best, cur)
        prev = v
    return best, prev


@case(2.0, np.float64(0.8), 1)
def newton_with_a_loop_else(f0):
    x = f0
    for i in range(50):
        fx = x * x * x - 2 * x - 5
        d = 3 * x * x - 2
        if d == 0:
            return None
        nx = x - fx / d
        if abs(nx - x) < 1e-10:
            return nx, i
        x = nx
    else:
        return x, -1


@case((12, 18), (np.int64(12), np.int64(8)), (7, 0))
def greatest_common_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


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
