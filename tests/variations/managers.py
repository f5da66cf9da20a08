"""`with` over what contextlib makes of generator functions (mechanisms U, L and E of the table)."""

import contextlib

from tests.differential import attempt
from tests.features.registry import floats
from tests.variations.cases import case, scenario

ROWS = [floats(1, 2), floats(-1, 3), floats(1, -2)]


@contextlib.contextmanager
def announced(value):
    print("enter", value)
    yield value * 2
    print("leave", value)


@contextlib.contextmanager
def kept(log, value):
    log.append("open")
    try:
        yield value
    finally:
        log.append("closed")


@contextlib.contextmanager
def deciding(x, log):
    if x.sum() > 2:
        log.append("large")
    for v in x:
        log.append(v)
    yield x.max() if x[0] > 0 else x.min()
    if x[0] > 0:
        log.append("end")


@case(*ROWS)
def what_its_block_raises_passes_by(x):
    with announced(x[0]) as y:
        if x[0] < 0:
            raise ValueError(f"below zero: {y}")
    return y


class Scaled:
    def __init__(self):
        self.factor = 1

    @contextlib.contextmanager
    def by(self, factor):
        before = self.factor
        self.factor = factor
        yield self
        self.factor = before

    def twice(self, x):
        with self.by(x) as me:
            result = me.factor * 2
        return result, self.factor


@scenario
def a_manager_that_is_a_method(function):
    scaled = Scaled()
    f = function(scaled.twice)
    return f(floats(2)), f(floats(3)), scaled.factor


@scenario
def a_generator_that_does_not_yield(function):
    @contextlib.contextmanager
    def never(x):
        if x is None:
            yield 1

    @function
    def f(x):
        with never(x) as k:
            return k

    return attempt(f, floats(1))
