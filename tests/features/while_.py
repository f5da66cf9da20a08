"""Section "while": loops whose test depends on array values."""

import numpy as np

from tests.features.registry import floats, row


@row("while simple", np.float64(100), np.float64(3), np.float64(0.5))
def while_simple(x):
    while x > 1:
        x = x / 2
    return x


@row("while break continue", np.int64(20), np.int64(5), np.int64(0))
def while_break_continue(n):
    total = 0
    i = 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        if total > 30:
            break
        total += i
    return total, i


@row("while true return", np.float64(1), np.float64(1000))
def while_true_return(x):
    steps = 0
    while True:
        if x > 100:
            return x, steps
        x = x * 3
        steps += 1


@row("while true break", np.float64(90), np.float64(3))
def while_true_break(x):
    while True:
        x = x - 7
        if x < 0:
            break
    return x


@row("walrus in while", floats(9, 4, -1, 5), floats(-3, 1, 1, 1))
def walrus_in_while(x):
    i = 0
    total = 0.0
    while (item := x[i]) > 0:
        total = total + item
        i += 1
    return total, item


@row("collatz", np.int64(27), np.int64(1), np.int64(6))
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@row("gcd tuple swap", (np.int64(48), np.int64(36)), (np.int64(7), np.int64(0)), (np.int64(17), np.int64(5)))
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@row(
    "while python then tensor",
    (floats(1, 2, 3), 2),
    (floats(-1, 2, 3), 2),
    (floats(1, 2, 3), 0),
)
def python_then_tensor(x, n):
    i = 0
    total = 0.0
    while i < n and x[i] > 0:
        total = total + x[i]
        i += 1
    return total


@row("newton sqrt", np.float64(2), np.float64(81), np.float64(1e-4))
def newton_sqrt(a):
    guess = a
    while abs(guess * guess - a) > 1e-9 * a:
        guess = (guess + a / guess) / 2
    return guess
