"""Exceptions that only a run knows one by one: kept in lists, raised in a recursion, chosen by a loop.

Those of the user's classes are references, with attributes and methods; of others a program can ask for what
Python itself keeps: the class, the arguments, the text and the cause.
"""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check
from tests.programs import Programs
from tests.runtime.exceptions.errors import AppError, NotFound

PROGRAMS = Programs()
CALLS = [(np.array(items),) for items in ([1.0, 2.0, -3.0], [-1.0, 5.0, 0.0], [0.0, 0.0, 0.0])]
case = PROGRAMS.of(*CALLS)


class Busy(AppError):
    def __init__(self, code, wait):
        super().__init__(code, "busy")
        self.wait = wait

    def __str__(self):
        return f"busy {super().__str__()} {self.wait:.1f}"


@case
def of_python_s_classes(x):
    errors = []
    for v in x:
        try:
            if v > 1:
                raise ValueError("big")
            if v < 0:
                raise KeyError("negative")
            x[1 // int(v) + 7]
        except (ValueError, KeyError, ZeroDivisionError, IndexError) as e:
            errors.append(e)
    return [(str(e), type(e).__name__, isinstance(e, KeyError), e.args) for e in errors]


def walk(x, i):
    if i >= len(x):
        return x[0] * 0
    if x[i] < 0:
        raise Busy(x[i], x[i] * i)
    if x[i] > 4:
        raise NotFound(x[i])
    return x[i] + walk(x, i + 1)


class Depth(Exception):
    def __init__(self, depth):
        self.depth = depth


def dive(x, depth):
    if depth > 3:
        raise Depth(depth)
    try:
        return dive(x - 1, depth + 1) if x > 0 else depth
    except Depth as e:
        if e.depth > 3 and x < 4:
            raise Depth(e.depth * 10 + depth) from None
        raise


test_program = PROGRAMS.test()


def test_what_its_class_says_of_an_exception_is_not_ours():
    def sink(v):
        if v < -3:
            raise NotFound(v)
        return sink(v * 2)

    def looks(ask):
        def f(x):
            try:
                return sink(x)
            except NotFound as e:
                return ask(e)

        return f

    check(looks(lambda e: (hasattr(e, "nope"), getattr(e, "nope", 7))), Call(-1.0))
    check(looks(lambda e: (e.__doc__, e.__module__)), Call(-1.0), may_refuse=True)


KEPT = NotFound(np.float64(1.0))


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (lambda x, _: KEPT.args, "KEPT"),
        (lambda x, error: error.args, "error"),
        (lambda x, error, errors=(ValueError("v"),): errors[0].args, r"errors\[0\]"),
    ],
)
def test_one_from_outside_is_refused(f, what):
    with pytest.raises(StagingError, match=rf"`{what}` is a .*, and no change of it"):
        rt.function(f)(1.0, ValueError("v") if what == "error" else 0.0)
