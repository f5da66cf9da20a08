"""`if state is None: state = ...` in a loop: after it the value is what both paths leave, and not None."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

CALLS = [
    (np.array(values), np.int64(n)) for values, n in (([3.0, 4.0], 6), ([1.0, -2.0], 5), ([0.0, 0.0], 2))
]


class Momentum:
    def __init__(self):
        self.mean = None

    def step(self, params, grads):
        if self.mean is None:
            self.mean = [0.0 * g for g in grads]
        self.mean = [0.5 * m + g for m, g in zip(self.mean, grads)]
        return [p - 0.1 * m for p, m in zip(params, self.mean)]


@of(*CALLS)
def a_variable(x, n):
    mean, params = None, [x[0], x[1]]
    for _ in range(n):
        grads = [2 * params[0], 4 * params[1]]
        if grads[0] < 1e-3:
            break
        if mean is None:
            mean = [0.0 * g for g in grads]
        mean = [m + g for m, g in zip(mean, grads)]
        params = [p - 0.1 * m for p, m in zip(params, mean)]
    return params


@of(*CALLS)
def an_attribute(x, n):
    momentum, params = Momentum(), [x[0], x[1]]
    for _ in range(n):
        grads = [2 * params[0], 4 * params[1]]
        if grads[0] > 5:
            grads = [g / 5 for g in grads]
        if grads[0] < 1e-3:
            break
        params = momentum.step(params, grads)
    return params


@of(*CALLS)
def the_other_way_round(x, n):
    best = None
    for v in x:
        if n > 2:
            if best is not None:
                best = best + v
            else:
                best = v
            best = np.maximum(best, 0.5)
    return best


@of(*CALLS)
def two_at_once(x, n):
    mean = square = None
    params = [x[0], x[1]]
    for _ in range(n):
        if params[0] < 0.5:
            break
        if mean is None:
            mean, square = [0.0 * p for p in params], [0.0 * p for p in params]
        mean = [m + p for m, p in zip(mean, params)]
        square = [s + p * p for s, p in zip(square, params)]
        params = [p - 0.1 * m for p, m in zip(params, mean)]
    return params, square


@of(*CALLS)
def still_none(x, n):
    factors = None
    if x[0] > 2:
        factors = [x[0], x[1]]
    total = np.float64(0.0)
    try:
        for a, b in zip(x, factors):
            total += a * b
        for i, b in enumerate(factors):
            total += i * b
    except TypeError as error:
        return str(error)
    return total


@of(*CALLS)
def none_at_the_line(x, n):
    factors = [x[0], x[1]] if x[0] > 2 else None
    return [a + b for a, b in zip(factors, [1.0, 2.0])]


test_program = PROGRAMS.test()
