"""Section "generator": generator functions consumed by a loop."""

import numpy as np

from tests.features.registry import floats, row


def halves(x):
    while x > 1:
        yield x
        x = x / 2


def pairs_then(values):
    yield from [(1, 2), (3, 4)]
    yield (values[0], values[1])


@row("generator function in loop", np.float64(40), np.float64(0.5))
def generator_in_loop(x):
    total = 0.0
    for v in halves(x):
        total = total + v
    return total


@row("yield from static generator", floats(1, 2), floats(-1, 2))
def yield_from(x):
    total = 0.0
    for a, b in pairs_then(x):
        total = total + (a if x[0] > 0 else b)
    return total
