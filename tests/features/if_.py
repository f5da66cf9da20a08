"""Section "if": branches that depend on array values."""

import numpy as np

from tests.features.registry import floats, ints, row

UP, DOWN, FLAT = floats(1, 2, 5), floats(-4, 0.5, -1), floats(0, 0, 0)


@row("if else", UP, DOWN, FLAT)
def if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = -x
    return y + 1


@row("elif chain", np.float64(-3.0), np.float64(0.0), np.float64(4.0), np.float64(40.0))
def elif_chain(t):
    if t < 0:
        state = t * 0.5
    elif t == 0:
        state = t + 32
    elif t < 10:
        state = t * t
    else:
        state = t - 10
    return state


@row("early return", UP, DOWN, FLAT)
def early_return(x):
    if x[0] < 0:
        return x * x
    x = x + 1
    if x.max() > 5:
        return x - 10
    return x


@row(
    "nested if returns",
    (np.float64(1), np.float64(2)),
    (np.float64(1), np.float64(-2)),
    (np.float64(-1), np.float64(0)),
)
def nested_if_returns(x, y):
    if x > 0:
        if y > 0:
            return x + y
        z = x - y
    else:
        z = y * 3
    return z + 1


@row("implicit none return", np.float64(3), np.float64(-3))
def implicit_none_return(x):
    if x > 0:
        return x * 2


@row("return tuple and dict", UP, DOWN)
def return_tuple_and_dict(x):
    if x.sum() > 0:
        result = {"head": x[0], "rest": (x[1:], x.size)}
    else:
        result = {"head": x[-1], "rest": (x[:-1] * 2, x.size)}
    return result


@row("ternary", np.float64(-20), np.float64(-2), np.float64(5), np.float64(50))
def ternary(x):
    return (x * 2 if x < -10 else -x) if x < 0 else (x if x < 10 else x / 10)


@row("walrus in if", UP, DOWN)
def walrus_in_if(x):
    if (total := x.sum()) > 3:
        total = total - 3
    return total * 2


@row("undefined in one branch guarded use", np.float64(2), np.float64(-2))
def undefined_in_one_branch(x):
    positive = x > 0
    if positive:
        root = np.sqrt(x)
    answer = x
    if positive:
        answer = answer + root
    return answer


@row("branch local unused after", UP, DOWN)
def branch_local_unused(x):
    if x[0] > 0:
        scratch = x * 3
        y = scratch - x
    else:
        other = x[::-1]
        y = other + 1
    return y


@row("none then is not none", UP, DOWN)
def none_then_is_not_none(x):
    found = None
    if x[0] > 0:
        found = x[0]
    if found is not None:
        return found + 1
    return x[1]


@row("dtype promotion in branch", ints(1, 2), ints(-1, 2))
def dtype_promotion(x):
    if x[0] > 0:
        y = x
    else:
        y = x * 0.5
    return y


@row("shape differs between branches", UP, DOWN)
def shape_differs(x):
    if x[0] > 0:
        y = x[1:]
    else:
        y = np.concatenate([x, x])
    return y * 2


@row("string chosen in branch", UP, DOWN)
def string_chosen(x):
    if x[0] > 0:
        name = "rising"
    else:
        name = "falling"
    return name


@row("function chosen in branch", UP, DOWN)
def function_chosen(x):
    if x[0] > 0:
        apply = np.sin
    else:
        apply = np.abs
    return apply(x)


@row("function defined in both branches", UP, DOWN)
def function_defined_in_both(x):
    if x[0] > 0:

        def step(v):
            return v + 1

    else:

        def step(v):
            return v * v

    return step(x)


@row("raise in branch", np.float64(4), np.float64(-4))
def raise_in_branch(x):
    if x < 0:
        raise ValueError("the root of a negative number")
    return np.sqrt(x)


@row("assert with message", UP, DOWN)
def assert_with_message(x):
    assert x[0] > 0, f"first item is {x[0]}"
    return x[0] * 2


@row("bool int float casts", np.float64(2.75), np.float64(0.0), np.float64(-1.5))
def casts(x):
    whole = int(x)
    if bool(x):
        whole = whole + 7
    return whole // 2, float(whole) / 4, bool(whole)


@row("is none on tensor", UP, DOWN)
def is_none(x, bias=None):
    if bias is None:
        bias = x[0]
    if x is not None and x[0] > 0:
        return x + bias
    return x - bias


@row("del in branch", UP, DOWN)
def del_in_branch(x):
    y = x * 2
    if x[0] > 0:
        z = y + 1
        del y
    else:
        z = y - 1
        del y
    return z


@row("branch not taken is not evaluated", (ints(6), ints(3)), (ints(6), ints(0)))
def not_taken(a, b):
    if b[0] == 0:
        result = -1
    else:
        result = int(a[0]) // int(b[0])
    return result


@row("staged if inside subexpressions", UP, DOWN)
def inside_subexpressions(x):
    return (x > 0) * 2.0 + (x if x.sum() > 0 else -x)[0] * (3 if x[1] > 1 else 4)
