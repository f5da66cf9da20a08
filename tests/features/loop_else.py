"""Section "loop-else"."""

import numpy as np

from tests.features.registry import floats, row


@row("while else", np.int64(7), np.int64(9), np.int64(2))
def while_else(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            answer = d
            break
        d += 1
    else:
        answer = n
    return answer


@row("for else", floats(1, 2, 3), floats(1, -2, 3))
def for_else(x):
    for v in x:
        if v < 0:
            result = v
            break
    else:
        result = x.sum()
    return result
