"""What a handler does with the exception that it caught: its class, what it holds, its methods, its cause.

Several exceptions are possible in each body, of statements and of operations; a condition of the run decides.
"""

import sys

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs
from tests.runtime.exceptions.errors import AppError, NotFound

PROGRAMS = Programs()
CALLS = [(np.array(items),) for items in ([1.0, 2.0], [-1.0, 2.0], [0.0, 2.0], [5.0, -2.0])]
case = PROGRAMS.of(*CALLS)


class Busy(AppError):
    def __str__(self):
        return f"busy {self.code} {self.detail}"


def fails(x):
    if x[0] > 0:
        raise NotFound(x[0] * 2, "pos")
    if x[0] < 0:
        raise Busy(7)


@case
def type_name(x):
    try:
        if x[0] > 0:
            raise ValueError("pos")
        if x[0] < 0:
            raise KeyError("neg")
        y = 1 // int(x[0])
    except Exception as e:
        print(type(e), type(e).__name__, e)
        return type(e).__name__
    return "none"


@case
def method_of_error(x):
    try:
        if x[0] > 0:
            raise NotFound(x[0] * 2, "pos")
        if x[0] < 0:
            raise Busy(7)
    except AppError as e:
        return e.describe()
    return "fine"


@case
def store_on_error_and_reraise(x):
    try:
        try:
            if x[0] > 0:
                raise NotFound(x[0] * 2, "pos")
        except AppError as e:
            e.detail = "changed"
            e.extra = x[1]
            raise
    except AppError as e:
        return e.detail, e.extra
    return "fine"


@case
def isinstance_of_error(x):
    try:
        fails(x)
        y = 1 // int(x[0])
    except Exception as e:
        if isinstance(e, NotFound):
            return "notfound"
        elif isinstance(e, AppError):
            return "app"
        return "other"
    return "fine"


@case
def kept_error(x):
    err = None
    try:
        if x[0] > 0:
            raise ValueError("pos")
        y = 1 // int(x[0])
    except Exception as e:
        err = e
    if err is not None:
        print("failed:", err)
        return str(err)
    return "ok"


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
def context_only(x):
    try:
        try:
            y = 1 // int(x[0])
        except ZeroDivisionError:
            raise ValueError("outer")
    except ValueError as e:
        print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
        return "caught"
    return y


@case
def keyerror_key(x):
    d = {1: "a", 2: "b"}
    try:
        return d[int(x[0])]
    except KeyError as e:
        return "missing", e.args[0], str(e)


@case
def error_class_chosen(x):
    cls = ValueError if x[0] > 0 else KeyError
    raise cls(f"v {x[0]}")


@case
def error_class_in_dict(x):
    table = {0: ValueError, 1: KeyError}
    raise table[int(x[0] > 0)]("no")


class ValidationError(Exception):
    def __init__(self, errors):
        super().__init__(errors)
        self.errors = errors


@case
def error_with_list(x):
    problems = []
    for v in x:
        if v < 0:
            problems.append(f"neg {v}")
    try:
        if problems:
            raise ValidationError(problems)
    except ValidationError as e:
        return len(e.errors), e.errors
    return 0


@case
def error_of_argument(x):
    def bad(h):
        raise ValueError(h)

    try:
        bad(x)
    except ValueError as e:
        return e.args[0].sum()


@case
def arguments(x):
    try:
        if x[0] > 0:
            raise ValueError("pos", x[0])
        if x[0] < 0:
            raise KeyError("neg", 3)
        1 // int(x[0])
    except Exception as e:
        print(e.args, len(e.args), e.args[0])
    return "none"


@case
def attributes_of_several_classes(x):
    try:
        fails(x)
    except AppError as e:
        print(e, repr(e), e.code, e.detail)


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
def beside_what_containers_raise(x):
    log, failed = [10.0], []
    for v in x:
        try:
            if v <= 0:
                raise AppError(int(v), "small")
            log.append(log[-1] - v)
        except AppError as error:
            failed.append((error.code, error.describe()))
    return log, failed


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


class Spiteful:
    def __repr__(self):
        raise NotFound(4.5)


@case
def printing_it_raises_another(x):
    try:
        try:
            if x[0] > 0:
                raise ValueError(x[0])
        except ValueError as error:
            print(error)
            error.args = (Spiteful(),)
            print(error)
    except AppError as error:
        return str(error)
    return "none"


class Counting(AppError):
    @classmethod
    def twice(cls, code):
        return cls(code * 2)

    def __bool__(self):
        return bool(self.code > 0)


@case
def an_error_with_a_truth_of_its_own(x):
    try:
        if x[0] < 0:
            raise AppError(0.5)
        raise Counting(x[1])
    except AppError as error:
        made = Counting.twice(error.code)
        return made.code, "full" if made else "empty"


test_caught = PROGRAMS.test()


@pytest.mark.parametrize("name", ["with_traceback", "add_note", "__reduce__", "__dir__"])
def test_other_methods_of_exceptions_are_refused(name):
    f = rt.function(lambda x: getattr(ValueError("no"), name)(None))
    with pytest.raises(StagingError, match=rf"`ValueError\.{name}` is compiled code"):
        f(1.0)
