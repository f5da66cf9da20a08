"""A handler logs what it caught; texts of its traceback are refused."""

import logging
import sys
import traceback

import numpy as np
import pytest

from autograph import StagingError
from runtime import function
from tests.differential import check
from tests.long import some

NAME = "tests.handlers"
logging.getLogger(NAME).addHandler(logging._StderrHandler())
CALLS = [
    (np.array(items),) for items in ([1.0, 2.0, 3.0], [-1.0, 2.0, 0.5], [0.0, 2.0, -1.0], [5.0, -2.0, 4.0])
]


class App(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


def logged_in_a_loop(x):
    out = []
    for v in x:
        try:
            if v > 2:
                raise App(v * 2)
            out.append(1 // int(v))
        except App as e:
            logging.getLogger(NAME).error("app %s %r", e.code, e, exc_info=False)
            out.append(-1)
        except ZeroDivisionError as e:
            logging.getLogger(NAME).error("zero %s", e)
            out.append(-2)
    return out


def exceptions_as_arguments_of_a_log(x):
    a = App(x[0])
    logging.getLogger(NAME).error("made %s %r", a, [x[0], a.code])
    logging.getLogger(NAME).error("d %(a)s", {"a": x[1]})
    return 1


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("program", [logged_in_a_loop, exceptions_as_arguments_of_a_log])
def test_as_python(program, engine):
    check(program, *CALLS, engines=[engine])


REFUSED = [
    (lambda e: sys.exc_info(), "`sys.exc_info` is compiled code"),
    (lambda e: traceback.format_exc(), "`traceback.format_exc` is of traceback"),
    (lambda e: traceback.print_exc(), "`traceback.print_exc` is of traceback"),
    (lambda e: traceback.format_exception(e), "`traceback.format_exception` is of traceback"),
    (
        lambda e: logging.getLogger(NAME).exception("bad"),
        r"`exception\(\)` asks for the exception or the stack",
    ),
    (
        lambda e: logging.getLogger(NAME).error("bad", exc_info=e),
        r"`error\(\)` asks for the exception or the stack",
    ),
    (
        lambda e: logging.getLogger(NAME).error("bad", exc_info=True),
        r"`error\(\)` asks for the exception or the stack",
    ),
]


@pytest.mark.parametrize(("ask", "words"), REFUSED)
def test_refused(ask, words):
    @function
    def f(x):
        try:
            return 1 // int(x[0])
        except ZeroDivisionError as e:
            return ask(e)

    with pytest.raises(StagingError, match=words) as refused:
        f(np.array([1.0]))
    assert refused.value.hint
