"""Well-known algorithms, as people write them."""

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from tests.runtime.jax.programs.program import LONG, VECTOR, F, program

POINTS = np.random.RandomState(0).randn(20, 2).astype(F)
INTS = np.array([3, 1, 2, 9, 4, 4, 0, 7], np.int32)


@program(F(2), F(10), F(0.3), grad=True)
def newton_with_a_tolerance(x):
    guess = x if x > 1 else 1.0
    for _ in range(30):
        better = 0.5 * (guess + x / guess)
        if abs(better - guess) < 1e-6:
            break
        guess = better
    return guess


@program(F(0.5), F(-0.2), grad=True)
def runge_kutta(y):
    t, h = 0.0, 0.1

    def slope(t, y):
        return t * t - 2 * y if y > 0 else t - y

    for _ in range(15):
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h * k1 / 2)
        k3 = slope(t + h / 2, y + h * k2 / 2)
        k4 = slope(t + h, y + h * k3)
        y = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        t += h
    return y


@program(POINTS)
def k_means(points):
    centers = points[:3] + 0
    for _ in range(10):
        nearest = ((points[:, None, :] - centers[None]) ** 2).sum(-1).argmin(1)
        for c in range(3):
            chosen = nearest == c
            count = chosen.sum()
            if count > 0:
                centers[c] = (points * chosen[:, None]).sum(0) / count
    return centers


@program((np.array([0, 1, 2, 0, 1, 1, 2, 0], np.int32), np.zeros((8, 2), F), np.zeros((8, 2), np.int32)))
def viterbi(seen, score, back):
    moves = ((0.7, 0.3), (0.4, 0.6))
    shows = ((0.5, 0.4, 0.1), (0.1, 0.3, 0.6))
    for j in range(2):
        score[0, j] = 0.5 * shows[j][0]
    for t in range(1, len(seen)):
        for j in range(2):
            best, at = -1.0, 0
            for i in range(2):
                shown = shows[j][0]
                if seen[t] == 1:
                    shown = shows[j][1]
                elif seen[t] == 2:
                    shown = shows[j][2]
                p = score[t - 1, i] * moves[i][j] * shown
                if p > best:
                    best, at = p, i
            score[t, j] = best
            back[t, j] = at
    state = score[-1].argmax()
    total = state
    for t in range(len(seen) - 1, 0, -1):
        state = back[t, state]
        total = total * 2 + state
    return total


@program((F(-0.5), F(0.5)), (F(1), F(1)), (F(0), F(0)))
def mandelbrot(a, b):
    c = a + 1j * b
    z = 0j
    for i in range(40):
        z = z * z + c
        if abs(z) > 2:
            return i
    return 40


@program((np.array([[4, 1], [1, 3]], F), np.array([1, 2], F)))
def conjugate_gradient(a, b):
    x, r = b * 0, b
    p, rest = r, r @ r
    for _ in range(10):
        step = rest / (p @ (a @ p))
        x, r = x + step * p, r - step * (a @ p)
        after = r @ r
        if after < 1e-10:
            break
        p, rest = r + after / rest * p, after
    return x


@jax.tree_util.register_dataclass
@dataclass
class Ball:
    height: Any
    speed: Any

    def moved(self, dt):
        return Ball(self.height + self.speed * dt, self.speed - 9.8 * dt)


@program(F(3), F(10), grad=True)
def bouncing_ball(height):
    ball = Ball(height, 0.0)
    for _ in range(40):
        ball = ball.moved(0.05)
        if ball.height < 0:
            ball = Ball(-ball.height, -0.8 * ball.speed)
    return ball.height, ball.speed


@program(LONG, VECTOR)
def longest_increasing(xs):
    best = (xs * 0 + 1).astype("int32")
    for i in range(len(xs)):
        for j in range(i):
            if xs[j] < xs[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return best.max()


@program((INTS, np.zeros(15, np.int32)))
def knapsack(weights, table):
    for w in weights:
        for c in range(14, 0, -1):
            if c >= w:
                value = table[c - w] + w * w % 7
                if value > table[c]:
                    table[c] = value
    return table


@program(INTS)
def partition(a):
    pivot, i = a[-1], -1
    for j in range(len(a) - 1):
        if a[j] <= pivot:
            i += 1
            a[i], a[j] = a[j], a[i]
    a[i + 1], a[-1] = a[-1], a[i + 1]
    return a, i + 1


@program(INTS)
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@program(INTS % 2)
def longest_run(a):
    best = run = 0
    for v in a:
        run = run + 1 if v else 0
        best = max(best, run)
    return best


@program(7, 2, 0)
def power_by_squaring(n):
    result, base = 1, 3
    while n > 0:
        if n & 1:
            result = result * base % 1000
        base = base * base % 1000
        n >>= 1
    return result


@program(17, 18, 1)
def is_prime(n):
    if n < 2:
        return False
    for d in range(2, n):
        if d * d > n:
            break
        if n % d == 0:
            return False
    return True


@program(12345, 7)
def digit_sum(n):
    total = 0
    while n:
        n, digit = divmod(n, 10)
        total += digit
    return total


@program(F(2.3), F(-2.6), grad=True)
def state_machine(x):
    state = n = 0
    for _ in range(25):
        match state:
            case 0:
                x = x + 1
                if x > 5:
                    state = 1
            case 1:
                x = x * 0.5
                if x < 1:
                    state = 2
            case _:
                break
        n += 1
    return x, n


@program(3, 30)
def three_loops(n):
    count = 0
    for i in range(n):
        if i == 7:
            break
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if j % 3 == 0:
                continue
            count += j
    return count


@program(3, -5)
def for_else_continue_break(n):
    found = -1
    for i in range(2, 30):
        for j in range(2, i):
            if (i * j + n) % 17 == 0:
                break
        else:
            continue
        found = i * 100 + j
        if found > 700:
            break
    else:
        found = -2
    return found


@program((LONG, F(0.3)), grad=True)
def proximal_steps(xs, rate):
    w = xs * 0
    for _ in range(12):
        w = w - rate * (w - xs)
        w[abs(w) < 0.5] = 0.0
        w[w > 2] *= 0.9
    return w


@program((LONG, 3), (LONG, 0))
def annealing(xs, seed):
    key = jax.random.key(seed)
    at, temperature = 8, 2.0
    best = at
    for _ in range(40):
        key, step_key, accept_key = jax.random.split(key, 3)
        step = 1 if jax.random.uniform(step_key) < 0.5 else -1
        near = min(max(at + step, 0), len(xs) - 1)
        change = xs[near] * xs[near] - xs[at] * xs[at]
        if change < 0 or jax.random.uniform(accept_key) < jax.numpy.exp(-change / temperature):
            at = near
        if xs[at] * xs[at] < xs[best] * xs[best]:
            best = at
        temperature *= 0.9
    return at, best
