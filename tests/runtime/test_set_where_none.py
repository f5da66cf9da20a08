"""`if state is None: state = ...` in a loop: after it the value is what both paths leave, and None on neither."""

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


test_program = PROGRAMS.test()
