"""Programs of numerical linear algebra and optimisation, written by hand."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.optimize
from scipy.interpolate import CubicSpline

import runtime as rt
from tests.runtime.gradients.ordinary.cases import case

A = np.array([[4.0, 1.0, 0.3, 0.2], [1.0, 5.0, 0.6, 0.1], [0.3, 0.6, 3.0, 0.7], [0.2, 0.1, 0.7, 6.0]])
B = np.array([1.0, -2.0, 0.5, 3.0])
MIXED = np.array([[0.1, 2.0, 0.3, 1.0], [3.0, 0.2, 0.6, 0.1], [0.3, 0.6, 0.1, 2.5], [0.2, 1.1, 0.7, 0.3]])


@case(2.0, expected=lambda a: 1.0 / (2.0 * np.sqrt(a)))
def newton_unrolled(a):
    """Every iteration is differentiated."""
    x = a
    while abs(x * x - a) > 1e-14:
        x = 0.5 * (x + a / x)
    return x


def root_of_kepler(eccentricity, mean):
    """The implicit function theorem, at a root found by SciPy."""
    x = scipy.optimize.brentq(lambda x: x - eccentricity * np.sin(x) - mean, 0.0, 4.0, xtol=1e-15)
    slope = 1.0 - eccentricity * np.cos(x)
    return float(np.sin(x) / slope), float(1.0 / slope)


@case(0.6, 1.1, argnums=(0, 1), expected=root_of_kepler)
def root_differentiated_implicitly(eccentricity, mean):
    """Bisection finds the root, which has no derivative of its own; one Newton step gives it that."""

    def f(x, eccentricity, mean):
        return x - eccentricity * np.sin(x) - mean

    low, high = 0.0, 4.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        if f(middle, eccentricity, mean) > 0:
            high = middle
        else:
            low = middle
    root = rt.stop_gradient(0.5 * (low + high))
    slope = rt.stop_gradient(rt.grad(f)(root, eccentricity, mean))
    return root - f(root, eccentricity, mean) / slope


T = np.linspace(0.0, 2.0, 9)


def sensitivity_of_fit(y, start):
    """Where the data is met exactly, the parameters follow it by the pseudo-inverse of the Jacobian."""
    e = np.exp(-1.3 * T)
    return np.linalg.pinv(np.stack([e, -2.0 * T * e], axis=1))[1]


@case(2.0 * np.exp(-1.3 * T), np.array([1.0, 0.5]), expected=sensitivity_of_fit, rtol=1e-5)
def levenberg_marquardt(y, start):
    """Fit a * exp(-b * t); a step that does not help is taken back, with more damping. Gives b."""

    def residuals(p):
        return p[0] * np.exp(-p[1] * T) - y

    p, damping = start.copy(), 1e-2
    error = np.sum(residuals(p) ** 2)
    for _ in range(60):
        r = residuals(p)
        e = np.exp(-p[1] * T)
        jacobian = np.stack([e, -p[0] * T * e], axis=1)
        normal = jacobian.T @ jacobian
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), jacobian.T @ r)
        new = np.sum(residuals(p - step) ** 2)
        if new < error:
            p = p - step
            error = new
            damping = max(damping / 5.0, 1e-9)
            if np.max(np.abs(step)) < 1e-9:
                break
        else:
            damping = damping * 3.0
    return p[1]


@case(
    B,
    A,
    argnums=(0, 1),
    expected=lambda b, a: ((x := np.linalg.solve(a, b)), -0.5 * np.outer(x, x)),
    rtol=1e-6,
)
def conjugate_gradients(b, a):
    """Half of b' A^-1 b for the symmetric part of A, until the residual is small."""
    a = 0.5 * (a + a.T)
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    for _ in range(50):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if new < 1e-24:
            break
        p = r + (new / rs) * p
        rs = new
    return 0.5 * (b @ x)


@case(MIXED, expected=lambda a: np.linalg.inv(a).T)
def lu_with_pivots(a):
    """The logarithm of the determinant, eliminated in place with rows that change places."""
    a = a.copy()
    n = len(a)
    total = 0.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
        total += np.log(abs(a[k, k]))
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return total


def solved_by_scipy(lower, diagonal, upper, d):
    bands = np.stack([np.append(0.0, upper), diagonal, np.append(lower, 0.0)])
    x = scipy.linalg.solve_banded((1, 1), bands, d)
    flipped = np.stack([np.append(0.0, lower), diagonal, np.append(upper, 0.0)])
    back = scipy.linalg.solve_banded((1, 1), flipped, 2.0 * x)
    return -back[1:] * x[:-1], -back * x, -back[:-1] * x[1:], back


@case(
    np.array([0.5, -1.0, 0.3]),
    np.array([3.0, 4.0, 3.5, 5.0]),
    np.array([1.0, 0.2, -0.7]),
    B,
    argnums=(0, 1, 2, 3),
    expected=solved_by_scipy,
)
def tridiagonal_system(lower, diagonal, upper, d):
    """Thomas's algorithm, forwards and backwards through arrays."""
    n = len(d)
    c, x = upper.copy(), d.copy()
    c[0] /= diagonal[0]
    x[0] /= diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] /= pivot
        x[i] = (x[i] - lower[i - 1] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return (x * x).sum()


KNOTS = np.array([0.0, 0.7, 1.5, 2.0, 3.1, 4.0])


def basis_of_spline(y, x):
    """A spline is linear in its values: the answer for each of them alone."""
    return np.array([CubicSpline(KNOTS, e, bc_type="natural")(x) for e in np.eye(len(y))])


@case(np.array([0.2, 1.0, -0.3, 0.8, 0.5, 1.4]), 2.6, expected=basis_of_spline)
def natural_spline(y, x):
    """The second derivatives by elimination, then the piece in which x lies."""
    n = len(KNOTS)
    h = KNOTS[1:] - KNOTS[:-1]
    second, factor = np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        pivot = 2.0 * (h[i - 1] + h[i]) - h[i - 1] * factor[i - 1]
        factor[i] = h[i] / pivot
        right = 6.0 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
        second[i] = (right - h[i - 1] * second[i - 1]) / pivot
    for i in range(n - 2, 0, -1):
        second[i] -= factor[i] * second[i + 1]
    k = 0
    while k < n - 2 and KNOTS[k + 1] < x:
        k += 1
    a, b = (KNOTS[k + 1] - x) / h[k], (x - KNOTS[k]) / h[k]
    cubic = (a**3 - a) * second[k] + (b**3 - b) * second[k + 1]
    return a * y[k] + b * y[k + 1] + cubic * h[k] ** 2 / 6.0


def outer_of_vector(a):
    vector = np.linalg.eigh(a)[1][:, -1]
    return np.outer(vector, vector)


@case(A, expected=outer_of_vector, rtol=1e-5)
def power_iteration(a):
    """The largest eigenvalue of a symmetric matrix; stops when the vector does."""
    v = np.ones(len(a))
    v /= np.sqrt(v @ v)
    while True:
        w = a @ v
        w /= np.sqrt(w @ w)
        if np.max(np.abs(w - v)) < 1e-12:
            return w @ a @ w
        v = w


@case(np.array([-1.2, 1.0]), 60)
def descent_with_backtracking(x, limit):
    """Rosenbrock's function after steps whose length is halved until they help enough."""

    def f(x):
        return (1.0 - x[0]) ** 2 + 10.0 * (x[1] - x[0] ** 2) ** 2

    slope = rt.grad(f)
    for _ in range(limit):
        g = slope(x)
        step = 0.1
        while f(x - step * g) > f(x) - 0.3 * step * (g @ g):
            step *= 0.5
        x = x - step * g
    return f(x)


def ranks_by_solving(weights, damping):
    """The stationary ranks solve a linear system; its derivative is one more solve."""
    n = len(weights)
    shares = weights / weights.sum(axis=0)
    ranks = np.linalg.solve(np.eye(n) - damping * shares, np.full(n, (1.0 - damping) / n))
    back = np.linalg.solve((np.eye(n) - damping * shares).T, np.eye(n)[0])
    g = damping * np.outer(back, ranks)
    return (g - (g * shares).sum(axis=0)) / weights.sum(axis=0)


@case(np.abs(MIXED) + 0.2, 0.85, expected=ranks_by_solving, rtol=1e-6)
def page_rank(weights, damping):
    """Until the ranks change no more; the rank of the first page."""
    n = len(weights)
    shares = weights / weights.sum(axis=0)
    ranks = np.full(n, 1.0 / n)
    change = 1.0
    while change > 1e-13:
        new = (1.0 - damping) / n + damping * (shares @ ranks)
        change = np.abs(new - ranks).sum()
        ranks = new
    return ranks[0]
