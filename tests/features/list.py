"""Section "list": Python lists that change under staged control flow."""

import numpy as np

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("list append then stack", X, Y)
def append_then_stack(x):
    parts = []
    for v in x:
        parts.append(v * 2 if v > 0 else v)
    return np.stack(parts)


@row("list append conditional", X, Y)
def append_conditional(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    return kept


@row("list as stack push pop", X, Y)
def stack_push_pop(x):
    stack = [0.0]
    for v in x:
        if v > 0:
            stack.append(v)
        elif len(stack) > 1:
            stack.pop()
    return stack[-1], len(stack)


@row("list item augassign", X, Y)
def item_augassign(x):
    counts = [0, 0.0]
    for v in x:
        if v > 0:
            counts[0] += 1
        counts[1] += v
    return counts


@row("list indexed by tensor", (X, np.int64(0)), (X, np.int64(2)), (X, np.int64(-1)), (X, np.int64(3)))
def indexed_by_tensor(x, i):
    weights = [0.5, 2.0, 8.0]
    return x * weights[i]
