"""Section "call": user functions that are called are converted too."""

import functools

import numpy as np

from tests.differential import Call, attempt
from tests.features.registry import floats, row, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)
ONE, ZERO = np.int64(1), np.int64(0)


def sign_flip(v):
    if v[0] > 0:
        return -v
    return v


def scaled(v, by, offset=0.0):
    if by > 1:
        return v * by + offset
    return v


def first_negative(x):
    for i in range(len(x)):
        if x[i] < 0:
            return i
    return -1


def twice(f, v):
    return f(f(v))


def make_adder(amount):
    def add(v):
        return v + amount if v[0] > 0 else v - amount

    return add


OPERATIONS = {"flip": sign_flip, "double": lambda v: v * 2 if v[0] > 0 else v}


@row("plain callee is converted", X, Y)
def plain_callee(x):
    return sign_flip(x) + sign_flip(-x)


@row("inner function converted", X, Y)
def inner_function(x):
    def shifted(v):
        if v > 0:
            return v + 1
        return v - 1

    return shifted(x[0]) * shifted(x[1])


@row("functools partial", X, Y)
def partial(x):
    triple = functools.partial(scaled, by=3, offset=x[0])
    return triple(x) if x[0] > 0 else triple(-x)


@scenario("function of partial")
def function_of_partial(function):
    def clipped(limit, v):
        if v.sum() > limit:
            return v * 0 + limit
        return v

    f = function(functools.partial(clipped, 5.0))
    return [f(X), f(Y), f(X * 3)]


@row("star args kwargs", X, Y)
def star_args(x):
    arguments = (x, 2)
    options = {"offset": x[0]}
    if x[0] > 0:
        return scaled(*arguments, **options)
    return scaled(*arguments)


@row(
    "positional only keyword only",
    Call(X, mode=np.int64(1)),
    Call(Y, mode=np.int64(1)),
    Call(X, mode=np.int64(0)),
)
def positional_keyword_only(x, /, *, mode):
    if mode > 0 and x[0] > 0:
        return x
    return -x


@scenario("default args top level")
def default_args(function):
    @function
    def f(x, limit=3.0, *, scale=2):
        if x.max() > limit:
            return x * scale
        return x

    return [f(X), f(X, 9.0), f(Y), f(Y, scale=3), f(x=Y)]


@scenario("higher order function argument")
def higher_order(function):
    @function
    def f(x, g):
        if x[0] > 0:
            return twice(g, x)
        return g(x)

    return [f(X, np.abs), f(Y, np.abs), f(X, sign_flip), f(Y, sign_flip), f(X, lambda v: v + 1)]


@row("returned closure", X, Y)
def returned_closure(x):
    add = make_adder(x[0])
    return add(x) + add(-x)


@row("dispatch table of functions", X, Y)
def dispatch_table(x):
    total = x
    for name in ("flip", "double"):
        total = total + OPERATIONS[name](x)
    return total


@row("callee with loop and return", X, Y, abs(X))
def callee_with_loop(x):
    where = first_negative(x)
    if where >= 0:
        return x[where]
    return np.float64(0)


@row("class defined inside", X, Y)
def class_inside(x):
    class Box:
        def __init__(self, v):
            self.v = v

        def opened(self):
            return self.v if self.v > 0 else -self.v

    return Box(x[0]).opened() + Box(x[1]).opened()


@scenario("import inside")
def import_inside(function):
    @function
    def f(x):
        import math
        from os import path as p

        if x[0] > 0:
            return x * math.pi
        return x * len(p.sep)

    return [attempt(f, X), attempt(f, Y)]
