"""What can be called or defined in Python, over staged values: as plain Python, or refused by name."""

import functools
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check, check_scenario
from tests.modules import module_of

X, Y, ZERO = np.array([3.0, -1.0, 4.0]), np.array([-2.0, 7.0, -1.0]), np.array([0.0, 5.0, 2.0])


@functools.lru_cache
def cached(v):
    return v * 2 if v > 0 else -v


@functools.singledispatch
def describe(v):
    return v + 1 if v > 0 else v


@describe.register
def _(v: int):
    return v * 100


@pytest.mark.parametrize("f", [lambda x: describe(3), lambda x: x + describe(x[0])])
def test_a_single_dispatch_is_refused(f):
    with pytest.raises(StagingError, match=r"`describe` \(singledispatch\) is one of the functions") as error:
        rt.function(f)(np.ones(3))
    assert "test the class with isinstance" in error.value.hint


class Lazy:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def total(self):
        return self.x[0] if self.x[0] > 1 else self.x[1]

    @property
    def scale(self):
        return self._scale if self._scale > 0 else 1.0

    @scale.setter
    def scale(self, value):
        self._scale = value if value < 10 else 10.0

    @scale.deleter
    def scale(self):
        del self._scale


def property_set_and_deleted(x):
    lazy = Lazy(x)
    lazy.scale = x[0] * 5
    scale = lazy.scale
    del lazy.scale
    return scale, hasattr(lazy, "_scale")


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        if result > 3:
            print("large", result)
        return result

    return wrapper


@logged
def first(x, *, at=0):
    return x[at] if x[at] > 0 else 0.5


class Base:
    def scale(self, v):
        return v * 2 if v > 0 else v


class Derived(Base):
    __factor = 3

    def scale(self, v):
        if v > 1:
            return super().scale(v) + self.__factor
        return super(Derived, self).scale(v), __class__.__name__

    @classmethod
    def of(cls, v):
        return cls().scale(v) if v > 2 else cls.__name__

    @staticmethod
    def twice(v):
        return v * 2 if v > 0 else v


def super_and_class(x):
    return Derived().scale(x[2]), Derived.twice(x[1]), Derived().twice(x[0])


@dataclass
class Point:
    a: float
    b: float = 1.0

    def larger(self):
        return self.a if self.a > self.b else self.b


def annotated_targets(x):
    point = Point(0.0)
    items = [0.0, 1.0]
    if x[0] > 0:
        y: float = x[1]
        point.a: float = x[0]
        items[0]: float = x[2]
        (z): float = 1.0
    else:
        y: float
        y, z = x[2], 2.0
    return y, z, point.a, items[0]


def deletions(x):
    items, table = [1.0, 2.0, 3.0], {"k": x[0], "j": 1}
    y = x[0]
    del items[0], table["j"], items[-1:]
    if x[1] > 0:
        z = y * 2
        del y
    else:
        z = y
    return items, sorted(table), z


PROGRAMS = [property_set_and_deleted, super_and_class, annotated_targets, deletions]


@pytest.mark.parametrize("f", PROGRAMS)
def test_right(f):
    assert check(f, Call(X), Call(Y), Call(ZERO))


def test_a_cached_property_of_an_object_from_outside():
    def scenario(function):
        lazy = Lazy(X)

        @function
        def f(factor):
            return lazy.total * factor if factor > 0 else lazy.total

        results = [f(2.0), f(3.0), "total" in vars(lazy)]
        lazy.total = 100.0
        results.append(f(2.0))
        del lazy.total
        lazy.x = Y
        return [*results, f(-1.0), f(4.0)]

    assert check_scenario(scenario)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are syntax of Python 3.12")
def test_type_parameters():
    text = "def f[T](x: T) -> T:\n    def g[S](v: S): return v * 2 if v > 0 else v\n    return g(x[0])\n"
    assert check(module_of(text)["f"], Call(X), Call(Y))


def an_object_with_a_decorated_call(function):
    class Scale:
        def __init__(self, by):
            self.by = by

        @function
        def __call__(self, x):
            return x * self.by

    scale = Scale(2.0)

    @function
    def f(x):
        return scale(x) + 1 if x.sum() > 0 else scale(-x)

    first = f(X), f(Y)
    scale.by = 5.0
    second = f(X), scale(X)
    Scale.__call__ = function(lambda self, x: x - self.by)
    return first, second, f(X), f(Y)


def test_an_object_with_a_decorated_call():
    check_scenario(an_object_with_a_decorated_call)
