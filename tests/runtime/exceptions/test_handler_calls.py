"""What a handler asks of the exception that it handles: texts, logs, `sys.exc_info()`."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograph import StagingError
from runtime import function
from tests.differential import check, check_scenario
from tests.long import some

logging.getLogger("tests.handlers").addHandler(logging._StderrHandler())
CALLS = [
    (np.array(items),) for items in ([1.0, 2.0, 3.0], [-1.0, 2.0, 0.5], [0.0, 2.0, -1.0], [5.0, -2.0, 4.0])
]
CASES: dict[str, Callable[..., Any]] = {}


def case(program: Callable[..., Any]) -> Callable[..., Any]:
    CASES[program.__name__] = program
    return program


class App(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


def helper(v):
    if v > 2:
        raise App(v * 2)
    return 1 // int(v)


def report(where):
    print(where, repr(sys.exc_info()[1]))
    traceback.print_exc(limit=1)


class Printing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        print("exit", kind, error)
        if kind is not None:
            traceback.print_exc()
        return False


@case
def exc_info_printed(x):
    try:
        if x[0] > 0:
            raise App(x[0])
        print(1 // int(x[0]))
    except Exception:
        et, ev, _ = sys.exc_info()
        print(repr(ev))
        return et.__name__
    return None


@case
def logged_in_a_loop(x):
    out = []
    for v in x:
        try:
            out.append(helper(v))
        except App as e:
            logging.getLogger("tests.handlers").error("app %s", e.code)
            out.append(-1)
        except ZeroDivisionError:
            logging.getLogger("tests.handlers").error("zero")
            traceback.print_exc()
            out.append(-2)
    return out


@case
def asked_in_a_helper(x):
    try:
        helper(x[0])
    except App as e:
        report("app")
    except Exception:
        report("other")
    return x


@case
def formatted_with_its_cause(x):
    try:
        try:
            helper(x[0])
        except ZeroDivisionError as e:
            raise RuntimeError("wrapped") from e
    except Exception:
        return traceback.format_exc()
    return ""


@case
def formatted_with_its_context(x):
    try:
        try:
            helper(x[0])
        except ZeroDivisionError as e:
            raise RuntimeError("wrapped")
    except Exception:
        return traceback.format_exc(chain=False), traceback.format_exc()
    return ""


@case
def logged_without_exc_info(x):
    try:
        helper(x[0])
    except Exception as e:
        logging.getLogger("tests.handlers").error("bad %s", e, exc_info=False)
        logging.getLogger("tests.handlers").error("obj %r", e)
    return ""


@case
def after_an_inner_handler(x):
    try:
        helper(x[0])
    except Exception as e:
        try:
            raise KeyError("inner")
        except KeyError:
            print("in", repr(sys.exc_info()[1]))
        print("out", repr(sys.exc_info()[1]))
    return 1


@case
def asked_by_an_exit(x):
    try:
        with Printing():
            helper(x[0])
    except Exception as e:
        return repr(e)
    return "none"


@case
def printed_to_a_stream(x):
    try:
        helper(x[0])
    except Exception as e:
        traceback.print_exc(file=sys.stdout)
    return "none"


@case
def exceptions_as_arguments_of_a_log(x):
    a = App(x[0])
    logging.getLogger("tests.handlers").error("made %s %r", a, [x[0], a.code])
    logging.getLogger("tests.handlers").error("d %(a)s", {"a": x[1]})
    return 1


@case
def exc_info(x):
    try:
        if x[0] > 0:
            raise ValueError("pos")
        1 // int(x[0])
    except Exception:
        return sys.exc_info()[0].__name__, str(sys.exc_info()[1])
    return x


@case
def sys_exception(x):
    try:
        if x[0] > 0:
            raise ValueError("pos")
        1 // int(x[0])
    except Exception:
        return repr(sys.exception()) if hasattr(sys, "exception") else "no"
    return x


@case
def cause_that_is_set(x):
    try:
        if x[0] > 0:
            e = ValueError("p")
            e.__cause__ = KeyError("c")
            raise e
    except ValueError as e:
        return repr(e.__cause__), e.__suppress_context__
    return "ok"


@case
def exception_in_a_message(x):
    try:
        if x[0] > 0:
            raise ValueError(f"pos {x[0]}")
    except ValueError as e:
        logging.getLogger("tests.handlers").error("bad %s: %s", x[0], e)
    return x


@case
def print_exc(x):
    try:
        if x[0] > 0:
            raise ValueError("pos")
    except ValueError:
        traceback.print_exc()
    return x


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("name", CASES)
def test_as_python(name: str, engine: str) -> None:
    check(CASES[name], *CALLS, engines=[engine])


def test_texts_of_any_exception_are_refused() -> None:
    @function
    def f(x):
        try:
            return 1 // int(x[0])
        except ZeroDivisionError as e:
            return "".join(traceback.format_exception(e))

    with pytest.raises(StagingError, match="`traceback.format_exception` is of traceback"):
        f(np.array([1.0]))


def called_in_a_handler(decorate):
    @decorate
    def f(x):
        try:
            return 1 // int(x[0])
        except ZeroDivisionError:
            return traceback.format_exc()

    try:
        raise OSError("outer")
    except OSError:
        return "OSError" in f(np.array([0.0, 1.0])), f(np.array([2.0]))


def test_the_exception_that_the_caller_handles_is_its_context() -> None:
    check_scenario(called_in_a_handler)
