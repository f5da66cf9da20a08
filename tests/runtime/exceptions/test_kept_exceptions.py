"""Exceptions in loops, functions and `finally`; exceptions that are kept, changed, and raised later."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array(items),) for items in ([1.0, 2.0], [-1.0, 2.0], [0.0, 2.0], [5.0, -2.0])]
case = PROGRAMS.of(*CALLS)


class AppError(Exception):
    def __init__(self, code, why=None):
        super().__init__(f"code {code}")
        self.code = code
        self.why = why


@case
def set_args_and_reraise(x):
    try:
        try:
            if x[0] > 0:
                raise ValueError("a")
            y = 1 // int(x[0])
        except (ValueError, ZeroDivisionError) as e:
            e.args = (f"wrapped {e.args[0]}",)
            raise
    except Exception as e:
        return str(e)
    return y


@case
def retry_error(x):
    last = None
    for i in range(3):
        try:
            if x[0] + i < 3:
                raise AppError(i)
            return i
        except AppError as e:
            last = e
    raise last


@case
def type_is(x):
    try:
        if x[0] > 0:
            raise KeyError("k")
        1 // int(x[0])
    except Exception as e:
        if type(e) is ZeroDivisionError:
            return "zero"
        return "notzero" if type(e) == KeyError else "?"  # noqa: E721
    return "none"


@case
def shadowed_name(x):
    e = 5
    try:
        if x[0] > 0:
            raise AppError(1)
    except AppError as e:
        pass
    return e


@case
def compare_errors(x):
    a = b = None
    try:
        if x[0] > 0:
            raise AppError(1)
    except AppError as e:
        a = e
    try:
        if x[1] > 0:
            raise AppError(2)
    except AppError as e:
        b = e
    return a is b, a is None, b is not None and b.code == 2


test_exceptions = PROGRAMS.test()
