"""Section "lambda": the right one is found, and converted."""

from tests.features.registry import floats, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@scenario("lambda compiled")
def lambda_compiled(function):
    f = function(lambda x: x * 2 if x[0] > 0 else x - 1)
    return [f(X), f(Y)]


@scenario("two lambdas on one line")
def two_on_one_line(function):
    f, g = function(lambda x: x + 1 if x[0] > 0 else x), function(lambda x: x - 1 if x[0] > 0 else x * 9)
    return [f(X), f(Y), g(X), g(Y)]


@scenario("lambdas in a dict")
def in_a_dict(function):
    table = {"up": lambda x: x + 1 if x[0] > 0 else x, "down": lambda x: x - 1 if x[0] > 0 else x}
    up, down = function(table["up"]), function(table["down"])
    return [up(X), down(X), up(Y), down(Y)]


@scenario("nested lambda same argument name")
def nested_same_name(function):
    f = function(lambda x: (lambda x: x * 2 if x[0] > 0 else x)(x + 1) if x[1] > 0 else (lambda x: -x)(x))
    return [f(X), f(Y), f(-X)]


@scenario("lambda default captures")
def default_captures(function):
    makers = [function(lambda x, k=k: x * k if x[0] > 0 else x + k) for k in (2, 3)]
    return [f(v) for f in makers for v in (X, Y)]
