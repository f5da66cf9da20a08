"""`contextlib.suppress` of what a run raises, where a later statement of the block fails in every run."""

from __future__ import annotations

import contextlib

import numpy as np

from tests.differential import check, check_scenario

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


def test_a_later_statement_fails():
    def of_a_key(x, d):
        y = 0
        with contextlib.suppress(KeyError):
            if x[0] < 0:
                raise KeyError("n")
            y = d["k"]
        return y

    check(of_a_key, (UP, {}), (DOWN, {}), (DOWN, {"k": 1}), (UP, {"k": 1}))

    def of_a_text(x):
        y = 1
        with contextlib.suppress(ValueError, KeyError):
            if x[0] < 0:
                raise KeyError("n")
            y = int("zz")
        return y

    check(of_a_text, (UP,), (DOWN,))


def test_a_later_statement_fails_in_a_loop():
    def f(x):
        taken, count = [], 0
        for v in x:
            with contextlib.suppress(IndexError, KeyError):
                taken.append(v)
                if v < 0:
                    raise KeyError(v)
                [].pop()
            count += 1
        return taken, count

    check(f, (UP,), (DOWN,), (np.array([1.0, -1.0, 3.0]),))


def test_another_exception_goes_on():
    def f(x):
        try:
            with contextlib.suppress(ValueError):
                if x[0] > 0:
                    raise KeyError("a")
                {}["b"]
        except KeyError as error:
            return str(error)
        return ""

    check(f, (UP,), (DOWN,))


def test_in_a_stack_and_in_a_callee():
    def scenario(function):
        def read(x, d):
            with contextlib.suppress(KeyError):
                if x[0] < 0:
                    raise KeyError("n")
                return d["k"]
            return "none"

        @function
        def f(x):
            return read(x, {}), read(x, {"k": 2})

        return f(UP), f(DOWN)

    check_scenario(scenario)
