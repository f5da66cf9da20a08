"""Section "match"."""

import numpy as np

from tests.features.registry import floats, row


@row("match literal", np.int64(0), np.int64(1), np.int64(7))
def match_literal(n):
    match n:
        case 0:
            return n + 100
        case 1:
            return n * 50
        case _:
            return -n


@row("match or and guard", np.int64(1), np.int64(3), np.int64(8), np.int64(-8))
def match_or_and_guard(n):
    match n:
        case 1 | 2 | 3:
            kind = 10
        case k if k > 5:
            kind = 20
        case _:
            kind = 30
    return kind + int(n)


@row("match sequence capture", floats(1, 2), floats(-1, 2))
def match_sequence(x):
    match (x[0], x[1]):
        case (a, b) if a > 0:
            return a + b
        case (a, b):
            return a * b


@row("match dict static key staged if", floats(1, 2), floats(-1, 2))
def match_dict(x):
    match {"op": "scale", "by": x[0]}:
        case {"op": "shift", "by": by}:
            y = x + by
        case {"op": "scale", "by": by}:
            y = x * by if by > 0 else x
        case _:
            y = x
    return y
