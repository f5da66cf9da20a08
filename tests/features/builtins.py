"""Section "builtins": Python's own functions on array values."""

import functools
import itertools

from tests.features.registry import floats, ints, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("sum min max len", X, Y)
def sum_min_max_len(x):
    return sum(x), min(x), max(x), len(x)


@row("max min two args", X, Y)
def max_min_two_args(x):
    a = max(x[0], x[1])
    b = min(x[2], 2.5)
    return a - b


@row("round divmod pow", ints(17, 5), ints(-17, 5), ints(17, 0))
def round_divmod_pow(x):
    n, d = int(x[0]), int(x[1])
    q, r = divmod(n, d)
    return q, r, pow(r, 2), round(n / d, 2), round(n / d)


@row("any all over array", ints(1, 0, 2), ints(1, 1, 1), ints(0, 0, 0))
def any_all_over_array(x):
    if all(x):
        return 10
    if any(x):
        return 20
    return 30


@row("functools reduce", X, Y)
def reduce(x):
    return functools.reduce(lambda a, b: a * 2 + b if b > 0 else a, x, 1.0)


@row("itertools accumulate product", X, Y)
def accumulate_product(x):
    total = 0.0
    for running in itertools.accumulate(x):
        total = total + running
    for a, b in itertools.product(x, range(2)):
        if a > b:
            total = total + a * b
    return total


@row("iter next", X, Y)
def iter_next(x):
    items = iter(x)
    first = next(items)
    rest = 0.0
    for v in items:
        if v > first:
            rest = rest + v
    return first, rest
