"""Exceptions that keep their attributes in slots, as NumPy's AxisError does, have them when a run raises."""

import numpy as np

from tests.differential import Call, check, check_scenario

X = np.array([1.0, 2.0])


def test_an_axis_error_of_numpy():
    def caught(x):
        try:
            return np.sum(x, axis=3)
        except ValueError as error:
            return str(error)

    def scenario(function):
        @function
        def leaves(x):
            return np.sum(x, axis=3)

        try:
            leaves(X)
        except np.exceptions.AxisError as error:
            return str(error), error.axis, error.ndim

    check(caught, Call(X))
    check_scenario(scenario)
