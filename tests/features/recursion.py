"""Section "recursion"."""

import numpy as np

from tests.features.registry import floats, row, scenario


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def power(x, n):
    if n == 0:
        return x * 0 + 1
    return x * power(x, n - 1)


@row("recursion on tensor", np.int64(5), np.int64(1), np.int64(10))
def recursion_on_tensor(n):
    return factorial(n)


@scenario("recursion of compiled function")
def recursion_of_compiled(function):
    @function
    def fib(n):
        if n < 2:
            return n
        return fib(n - 1) + fib(n - 2)

    return [fib(np.int64(n)) for n in (0, 1, 7)]


@row("recursion static depth", (floats(1, 2), 3), (floats(-1, 2), 3), (floats(1, 2), 0))
def recursion_static(x, n):
    y = power(x, n)
    return y if y[0] > 0 else -y
