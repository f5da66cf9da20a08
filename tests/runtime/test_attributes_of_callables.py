"""Attributes of decorated callable objects, partials and cached functions: they are those objects'."""

import functools

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import check_scenario


class Scale:
    by = 3.0

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        if x.sum() > 0:
            return x * self.by
        return x

    def reset(self):
        self.calls = 0


def test_they_are_set_on_the_object_itself():
    scale = Scale()
    compiled = rt.function(scale)
    with pytest.raises(AttributeError, match="`by` is an attribute of the Scale that was decorated"):
        compiled.by = 5.0
    scale.by = 5.0
    assert compiled(np.ones(1)) == 5.0 and compiled.by == 5.0


def test_a_partial():
    def power(x, k):
        return x**k

    def scenario(function):
        square = function(functools.partial(power, k=2))
        return square(np.arange(3.0)), square.args, square.keywords, square.func is power

    check_scenario(scenario)


@rt.function
@functools.lru_cache(maxsize=16)
def cached(n):
    return n * 2


def test_a_cache_above_the_decorator_counts():
    assert (cached(3), cached(3), cached.cache_parameters()["maxsize"]) == (6, 6, 16)

    @functools.lru_cache
    @rt.function
    def counted(n):
        return n * 2

    assert (counted(3), counted(3), counted.cache_info().hits) == (6, 6, 1)


SCALE = rt.function(Scale())


def test_in_a_trace_it_is_refused():
    @rt.function
    def program(x):
        return x * SCALE.calls

    with pytest.raises(
        autograph.StagingError, match="`calls` is an attribute of the Scale that was decorated"
    ):
        program(np.ones(2))
