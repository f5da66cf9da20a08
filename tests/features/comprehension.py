"""Section "comprehension"."""

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("list comprehension", X, Y)
def list_comprehension(x):
    return [v * v for v in x]


@row("list comprehension ternary", X, Y)
def list_comprehension_ternary(x):
    return [v if v > 0 else -v for v in x]


@row("list comprehension filtered", X, Y)
def list_comprehension_filtered(x):
    return [v * 2 for v in x if v > 0]


@row("generator expression sum", X, Y)
def generator_sum(x):
    return sum(v * v for v in x)


@row("any all generator", X, Y)
def any_all_generator(x):
    if any(v > 5 for v in x):
        return 1
    if all(v < 10 for v in x):
        return 2
    return 3


@row("dict comprehension static keys", X, Y)
def dict_comprehension(x):
    named = {name: x * scale for name, scale in [("one", 1), ("two", 2)]}
    if x[0] > 0:
        named["one"] = named["one"] + 1
    return named
