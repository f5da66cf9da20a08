"""Objects of classes that no trace watches: of C (`functools.partial`), of libraries (`string.Template`)."""

from __future__ import annotations

import collections
import ctypes
import string

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double)]


XS = np.array([1.0, -2.0, 3.0])


def test_a_class_of_a_library_stays_as_it_is():
    def f(x):
        if x[0] > 0:
            string.Template.delimiter = "#"
        return x

    with pytest.raises(StagingError, match="`delimiter` of a type is stored"):
        rt.function(f)(XS)
    assert string.Template.delimiter == "$"


def test_objects_of_ctypes_are_refused():
    def f(x):
        point = Point(1.0)
        point.x = x[0]
        return point.x

    with pytest.raises(StagingError, match="the class Point is one of ctypes"):
        rt.function(f)(XS)


@pytest.mark.parametrize("make", [lambda: string.Template("$a"), lambda: collections.UserDict(a=1)])
def test_each_call_would_return_the_same_object(make):
    @rt.function
    def f(x):
        return make()

    with pytest.raises(StagingError, match="is returned, which belongs to the trace that made it"):
        f(XS)


@pytest.mark.parametrize("name", ["sum", "trace", "copy", "astype", "repeat"])
def test_a_returned_method_of_an_array_is_numpys(name):
    @rt.function
    def f(x):
        return getattr(x, name)

    x = np.eye(2)
    assert f(x).__name__ == name and f(x).__self__ is x
