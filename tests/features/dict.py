"""Section "dict": dicts that change under staged control flow."""

import numpy as np

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("dict value mutation", X, Y)
def value_mutation(x):
    state = {"total": 0.0, "count": 0}
    for v in x:
        if v > 0:
            state["total"] += v
            state["count"] += 1
    return state


@row("dict non literal key", X, Y)
def non_literal_key(x):
    state = {"small": 0.0, "large": 0.0}
    keys = ["small", "large"]
    for v in x:
        if v > 0:
            state[keys[0]] = state[keys[0]] + v
        else:
            state[keys[1]] = state[keys[1]] - v
    return state


@row("dict new key in loop", (X, np.int64(2)), (Y, np.int64(1)))
def new_key_in_loop(x, n):
    state = {}
    for i in range(n):
        state["last"] = x[i]
    return state


@row("dict key added in branch", X, Y)
def key_added_in_branch(x):
    state = {"a": x[0]}
    if x[0] > 0:
        state["b"] = x[1]
    else:
        state["b"] = x[2]
    return state


@row("dict update setdefault get", X, Y)
def update_setdefault_get(x):
    state = {"a": x[0]}
    if x[0] > 0:
        state.update(a=x[1], b=x[2])
    else:
        state.setdefault("b", x[1])
    return state["a"] + state.get("b", 0.0) + state.get("c", 1.0)
