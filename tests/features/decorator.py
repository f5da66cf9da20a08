"""Section "decorator": decorators below, above and between."""

import functools

import numpy as np

from tests.features.registry import floats, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result = f(*args, **kwargs)
        return result * 2 if result[0] > 0 else result

    return wrapper


@scenario("decorated callee")
def decorated_callee(function):
    @function
    def inner(v):
        if v[0] > 0:
            return v + 1
        return v * 3

    @function
    def outer(x):
        y = inner(x)
        return inner(-y) if y[1] > 0 else y

    return [outer(X), outer(Y), inner(X), inner(Y)]


@scenario("function over decorator")
def function_over_decorator(function):
    @function
    @doubled
    def f(x):
        if x[1] > 0:
            return x
        return -x

    return [f(X), f(Y), f(-X), f.__name__]


@scenario("decorator over function")
def decorator_over_function(function):
    @doubled
    @function
    def f(x):
        if x[1] > 0:
            return x
        return -x

    return [f(X), f(Y), f(-X)]


@scenario("lru cached callee")
def lru_cached_callee(function):
    @functools.lru_cache
    def table(n):
        return tuple(i * i for i in range(n))

    @function
    def f(x):
        squares = table(3)
        if x[0] > 0:
            return x * squares[2]
        return x * squares[1]

    return [f(X), f(Y), np.asarray(table(2))]
