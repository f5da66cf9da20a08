"""Programs with `if`, conditional expressions, `match`, `and`, `or` and `not`."""

import jax.numpy as jnp

from tests.runtime.jax.programs.program import NUMBERS, VECTOR, F, program


@program(*NUMBERS, grad=True)
def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = -3 * x
    return y


@program(*NUMBERS, grad=True)
def elif_chain(x):
    if x < -1:
        y = x
    elif x < 0:
        y = x * x
    elif x < 1:
        y = x * x * x
    else:
        y = 2 * x
    return y


@program(*NUMBERS, grad=True)
def early_returns(x):
    if x < -1:
        return -x
    if x > 1:
        return x * x
    return 5 * x


@program(*NUMBERS, grad=True)
def nested_ifs(x):
    y = x
    if x > 0:
        if x > 1:
            y = x * 10
        y = y + 1
    else:
        if x < -1:
            y = y * y
    return y


@program(*NUMBERS, grad=True)
def nested_returns(x):
    if x > 0:
        if x > 1:
            return x * 2
        z = x + 1
    else:
        z = x - 1
    return z * z


@program(*NUMBERS)
def counts_promoted(x):
    n = 0
    if x > 0:
        n = 1
    if x > 1:
        n = 2.5
    return n


@program(*NUMBERS, grad=True)
def tuple_and_dict(x):
    pair = (x, 1.0)
    if x > 0:
        pair = (x * 2, x)
    state = {"a": pair[0], "b": pair[1]}
    if x > 1:
        state = {"a": x, "b": x * x}
    return state["a"] * state["b"]


@program(*NUMBERS, grad=True)
def ternary(x):
    return x * x if x > 0 else (-x if x > -1 else 7.0 * x)


@program(*NUMBERS, grad=True)
def ternary_not_evaluated(x):
    return jnp.sqrt(x) if x > 0 else 0.0 * x


@program(*NUMBERS, grad=True)
def walrus(x):
    if (y := x * x) > 1:
        return y + x
    return y


@program(*NUMBERS, grad=True)
def branch_local(x):
    if x > 0:
        t = x * 3
        x = t + 1
    return x


@program(*NUMBERS, grad=True)
def assigned_on_both(x):
    if x > 0:
        a, b = x, 1.0
    else:
        a, b = -1.0, x
    return a * b


@program(*NUMBERS, grad=True)
def none_then_tested(x):
    y = None
    if x > 0:
        y = x * 2
    if y is None:
        return x * x
    return y + 1


@program(*NUMBERS, grad=True)
def not_none(x):
    y = None
    if x > 0:
        y = x * 2
    z = x
    if y is not None and y > 1:
        z = y * x
    return z


@program(*NUMBERS, grad=True)
def none_or_greater(x):
    best = None
    if x < 0:
        best = -x
    if best is None or best > 1:
        best = x * x
    return best


@program(*NUMBERS, grad=True)
def string_chosen(x):
    mode = "square"
    if x < 0:
        mode = "double"
    if mode == "square":
        return x * x
    return x + x


@program(*NUMBERS, grad=True)
def function_chosen(x):
    f = jnp.sin
    if x > 0:
        f = jnp.cos
    return f(x)


@program(*NUMBERS, grad=True)
def match_values(x):
    n = 0
    if x > 0:
        n = 1
    match n:
        case 0:
            return x * 2
        case 1 if x > 1:
            return x * 3
        case _:
            return x * 4


@program(*NUMBERS)
def logic(x):
    return (x > 0 and x < 1) or not x > -1


@program(*NUMBERS)
def chained(x):
    return -1 < x < 1


@program(*NUMBERS, grad=True)
def or_gives_operand(x):
    return x * (x > 0) or 3.0 * x


@program(F(0), F(2))
def short_circuit(x):
    return x != 0 and 1 / x > 0.2


@program(*NUMBERS)
def membership(x):
    n = int(x)
    return n in (0, 3), n not in [0, -2], n in VECTOR


@program(F(3.7), F(-3.7), F(0))
def conversions(x):
    return int(x), float(x) * 2, bool(x), round(x), abs(x)


@program(*NUMBERS, grad=True)
def min_and_max(x):
    return max(x, 0.0) * 3 + min(x, 1.0, x * x)
