"""State: globals, closures, captured values, dicts and tuples, between calls and within."""

import numpy as np

from tests.differential import attempt
from tests.features.registry import floats
from tests.semantics.cases import case, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)

calls = 0
record = 0.0
weights = floats(1, 1, 1)
history: list = []


def count_positive(v):
    global calls, record
    calls += 1
    if v > record:
        record = v


@case(X, Y, X)
def globals_change_in_a_callee(x):
    for v in x:
        count_positive(v)
    return calls, record


@case(X, Y)
def globals_change_before_an_exception(x):
    count_positive(x[0])
    if x[0] < 0:
        raise ValueError("negative")
    count_positive(x[1])
    return record


@case(X, Y)
def a_global_list_grows(x):
    history.append(x[0])
    if x[0] > 0:
        history.append(x[1])
    return len(history)


@case(X, Y)
def a_global_array_is_written(x):
    weights[0] += x[0]
    if x[0] > 0:
        weights[1] = 50
    return (weights * x).sum()


@scenario
def nonlocals_change_on_every_call(function):
    count = 0
    total = 0.0

    @function
    def f(x):
        nonlocal count, total
        count += 1
        if x[0] > 0:
            total = total + x[0]
        return total

    results = [f(X), f(Y), f(X), f(X)]
    return results, count, total


@scenario
def a_counter_in_a_closure_survives_exceptions(function):
    count = 0

    @function
    def f(x):
        nonlocal count
        count += 1
        if x[0] < 0:
            raise ValueError("negative")
        count += 10
        return count

    return [attempt(f, v) for v in (X, Y, X, Y)], count


@case(({"a": X, "n": 1}, X), ({"a": Y, "n": 1}, Y))
def a_dict_argument_changes(state, x):
    state["a"] = state["a"] + x
    if x[0] > 0:
        state["n"] += 1
        state["new"] = x[0]
    else:
        state["new"] = x[1]
    return state


@case(([X, Y], X), ([X, Y], Y))
def a_list_argument_changes(items, x):
    if x[0] > 0:
        items[0] = x
    items.append(x[0])
    items[1][0] = 66
    return items


@case(X, Y)
def nested_structures_as_state(x):
    state = {"pair": (x[0], [x[1], 0]), "count": 0}
    for v in x:
        a, (b, c) = state["pair"]
        if v > b:
            state["pair"] = (v, [a, c + 1])
        state["count"] += 1
    return state


@case(X, Y)
def tuples_of_different_arrays(x):
    pair = (x, x[::-1])
    for i in range(3):
        if x[i] > 0:
            pair = pair[1], pair[0]
    first, second = pair
    first[0] = 44
    return first, second, pair


@case(X, Y)
def closures_see_the_latest_value(x):
    scale = x[0]

    def scaled(v):
        return v * scale

    before = scaled(1.0)
    if x[1] < 0:
        scale = 100.0
    return before, scaled(1.0)


@case(X, Y)
def lambdas_made_in_a_loop_share_the_variable(x):
    makers = []
    for k in (1, 2, 3):
        makers.append(lambda v: v * k if x[0] > 0 else v + k)
    return [make(10.0) for make in makers]


@scenario
def several_signatures_of_one_function(function):
    @function
    def f(x):
        if x[0] > 0:
            return x * 2
        return x + 1

    inputs = [X, X[:2], X.astype(np.float32), X.astype(np.int64), X > 0, X.reshape(3, 1), -X]
    return [attempt(f, v) for v in inputs + inputs]


@scenario
def many_values_of_a_python_number(function):
    @function
    def f(x, n, t):
        total = 0.0
        for i in range(n):
            if x[i % 3] > t:
                total = total + n // 2 + t
        return total, n * 2, t / 4

    return [f(X, n, n * 0.5) for n in range(6)] + [f(X, True, 1)]


@scenario
def a_function_counts_its_calls(function):
    def g(x):
        g.calls = getattr(g, "calls", 0) + 1
        return g.calls

    f = function(g)
    return [f(X), f(Y), f(X), f(X)], g.calls
