"""Section "between-calls": what changed since the last call is seen by the next."""

import numpy as np

from tests.features.registry import floats, row, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)

offset = 1.0


class Settings:
    def __init__(self):
        self.scale = 2.0

    def run(self, x):
        return x * self.scale if x[0] > 0 else x


@scenario("outer side effect each call")
def outer_side_effect(function):
    log = []

    @function
    def f(x):
        log.append("called")
        if x[0] > 0:
            return x * 2
        return x

    return [f(X), f(X), f(Y), log]


@scenario("closed over value changes")
def closed_over_changes(function):
    scale = 2.0

    @function
    def f(x):
        return x * scale if x[0] > 0 else x

    first = f(X)
    scale = 3.0
    return first, f(X), f(Y), f(X)


@scenario("global value changes")
def global_changes(function):
    global offset

    @function
    def f(x):
        return x + offset if x[0] > 0 else x

    first = f(X)
    offset = 10.0
    second = f(X)
    offset = 1.0
    return first, second, f(X)


@scenario("attribute value changes")
def attribute_changes(function):
    settings = Settings()

    @function
    def f(x):
        return x * settings.scale if x[0] > 0 else x

    first = f(X)
    settings.scale = 5.0
    return first, f(X), f(Y)


@scenario("self attribute changes")
def self_attribute_changes(function):
    settings = Settings()
    f = function(settings.run)
    first = f(X)
    settings.scale = 5.0
    return first, f(X), f(Y)


@scenario("captured numpy array changes")
def captured_array_changes(function):
    weights = np.ones(3)

    @function
    def f(x):
        return (x * weights).sum() if x[0] > 0 else x[0]

    first = f(X)
    weights[1] = 10.0
    second = f(X)
    weights = np.zeros(3)
    return first, second, f(X), f(Y)


@row("python int argument", (X, 1), (X, 2), (X, 3), (X, 4), (Y, 2))
def python_int_argument(x, n):
    total = n * 2
    for i in range(n):
        if x[i % 3] > 0:
            total = total + i
    return x * total, n // 2, total
