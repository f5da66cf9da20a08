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


def test_a_callable_object():
    def scenario(function):
        scale = function(Scale())
        x = np.ones(2)
        seen = [scale(x), scale.by, scale.calls]
        seen += [scale(x), scale(-x), scale.calls, hasattr(scale, "missing")]
        scale.reset()
        return [*seen, scale(x), scale.calls]

    check_scenario(scenario)


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


def test_attributes_of_a_partial_from_outside():
    def scenario(function):
        part = functools.partial(max, 0.5)
        part.n, part.kept, part.weights = 0, [1], np.ones(2)

        @function
        def f(x):
            part.kept.append(x[0])
            return part.n, part.kept, part(x[0]), (part.weights * x).sum(), getattr(part, "more", 7)

        x = np.array([1.0, 2.0])
        results = [f(x)]
        part.n = 4
        results.append(f(x))
        part.more = 8
        results.append(f(x))
        return results, part.kept, results[0][1] is part.kept

    check_scenario(scenario)
