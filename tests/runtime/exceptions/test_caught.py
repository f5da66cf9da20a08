"""What a handler does with the exception that it caught: its class, what it holds, its methods, its cause.

Several exceptions are possible in each body, of statements and of operations; a condition of the run decides.
"""

import sys

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs
from tests.runtime.exceptions.errors import NotFound

PROGRAMS = Programs()
CALLS = [(np.array(items),) for items in ([1.0, 2.0], [-1.0, 2.0], [0.0, 2.0], [5.0, -2.0])]
case = PROGRAMS.of(*CALLS)


@case
def kept_error_raised_later(x):
    err = None
    try:
        if x[0] > 0:
            raise ValueError("pos")
        y = 1 // int(x[0])
    except Exception as e:
        err = e
    print("between")
    if err is not None:
        raise err
    return "ok"


@case
def cause_and_context(x):
    try:
        try:
            y = 1 // int(x[0])
        except ZeroDivisionError as e:
            raise ValueError("outer") from e
    except ValueError as e:
        print(type(e.__cause__).__name__, e.__cause__, e.__context__ is e.__cause__)
        return "caught"
    return y


@case
def an_exit_that_is_caught(x):
    try:
        if x[0] > 0:
            sys.exit(f"{x[0]} is too many")
        if x[0] < 0:
            sys.exit()
    except SystemExit as error:
        return str(error), len(error.args)
    return "went on"


@case
def printed_and_raised_again(x):
    """To print an exception that the body raised runs no code of the user's: nothing else gets out."""
    try:
        try:
            if x[0] > 0:
                raise NotFound(x[0] * 2, "pos")
            x[int(x[1])]
        except (NotFound, IndexError) as error:
            print(error, f"{error!r}", "%s" % error)
            if x[1] > 0 and x[0] > 2:
                return x[0]
            raise
    except NotFound as error:
        return str(error)
    except LookupError:
        return x[0] - 1.5
    return x[1]


@pytest.mark.parametrize("name", ["with_traceback", "add_note", "__reduce__", "__dir__"])
def test_other_methods_of_exceptions_are_refused(name):
    f = rt.function(lambda x: getattr(ValueError("no"), name)(None))
    with pytest.raises(StagingError, match=rf"`ValueError\.{name}` is compiled code"):
        f(1.0)


# -- Exceptions in loops, functions and `finally`; exceptions that are kept, changed, and raised later


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


test_caught = PROGRAMS.test()
