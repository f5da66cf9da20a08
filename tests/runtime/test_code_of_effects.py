"""Code of the user's that an effect calls: a stream's `write`, a log's handlers, `showwarning`, a Random."""

from __future__ import annotations

import io
import logging
import random
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check_scenario
from tests.long import some

SCENARIOS: dict[str, Callable[..., Any]] = {}
REFUSED: dict[str, Callable[..., Any]] = {}


def scenario(function: Callable[..., Any]) -> Callable[..., Any]:
    SCENARIOS[function.__name__] = function
    return function


def refused(function: Callable[..., Any]) -> Callable[..., Any]:
    REFUSED[function.__name__] = function
    return function


class Counted:
    def __init__(self):
        self.n = 0

    def write(self, text):
        self.n += 1


class Kept:
    def __init__(self):
        self.texts = []

    def write(self, text):
        self.texts.append(text)

    def flush(self):
        self.texts.append("flushed")


class Tee:
    def __init__(self, *files):
        self.files = files

    def write(self, text):
        for file in self.files:
            file.write(text)


class Calls(io.StringIO):
    n = 0

    def write(self, text):
        self.n += 1
        return super().write(text.upper())


@scenario
def counted(decorate):
    kept = Counted()

    def f(x):
        print(x, file=kept)
        return kept.n

    f = decorate(f)
    return f(1.0), f(2.0), f(2.0), kept.n


@scenario
def stored_before_and_after(decorate):
    kept = Counted()

    def f(x, file):
        file.n = 10
        print(x, file=file)
        file.n += 1
        return file.n

    f = decorate(f)
    return f(1.0, kept), kept.n, f(2.0, Counted())


@scenario
def pieces(decorate):
    kept = Kept()

    def f(x):
        print(x, "b", [x], {"a": x}, file=kept, sep="-" if x > 0 else None, end="!", flush=x > 0)
        print(file=kept)
        return len(kept.texts), kept.texts[-2:]

    f = decorate(f)
    return f(1.0), f(-1.0), kept.texts


@scenario
def made_inside(decorate):
    def f(x):
        kept = Kept()
        print(x, "b", file=kept)
        kept.texts.append("z")
        print(file=kept)
        return kept.texts

    f = decorate(f)
    return f(1.0), f(-1.0)


@scenario
def loop_on_what_is_written(decorate):
    kept = Counted()

    def f(x):
        turns = 0
        while kept.n < 10:
            print(x, file=kept)
            turns += 1
        return turns, kept.n

    f = decorate(f)
    return f(1.0), f(-1.0), kept.n


@scenario
def each_of_an_array(decorate):
    kept = Counted()

    def f(x):
        for value in x:
            print(value, file=kept)
        return kept.n

    f = decorate(f)
    return f(np.ones(3)), f(np.ones(3)), kept.n


@scenario
def standard_output_is_replaced(decorate):
    kept, before = Counted(), sys.stdout

    def f(x):
        print(x, 1)
        print(x, file=sys.stdout)
        return kept.n

    f, found = decorate(f), []
    try:
        for stream in (io.StringIO(), kept, kept, io.StringIO(), kept):
            sys.stdout = stream
            found.append(f(1.0))
    finally:
        sys.stdout = before
    return found


@scenario
def write_is_the_append_of_a_list(decorate):
    lines = []
    file = types.SimpleNamespace(write=lines.append)
    keep = lines.append

    def f(x):
        print(x, file=file)
        keep("kept")
        return len(lines)

    f = decorate(f)
    return f(1.0), f(2.0), lines


@scenario
def wrong_options(decorate):
    kept = Counted()

    def f(x):
        print(x, file=kept, sep=5)

    def g(x):
        print(x, file=kept, colour="red")

    found = []
    for function in (decorate(f), decorate(g)):
        try:
            function(1.0)
        except TypeError as error:
            found.append(str(error))
    return found, kept.n


@scenario
def handed_on_to_real_streams(decorate):
    text, own = io.StringIO(), Calls()
    both = Tee(text, own, sys.stdout)

    def f(x):
        if x > 0:
            print(x, "a", file=both)
        return own.n, own.getvalue()

    f = decorate(f)
    return f(1.0), f(-1.0), f(2.0), text.getvalue()


@scenario
def written_without_print(decorate):
    def f(x, file):
        count = sys.stdout.write(f"{x}\n")
        file.writelines([f"{x}", "\n"])
        return count, file.write("end"), file.getvalue()

    f = decorate(f)
    return f(1.0, io.StringIO()), f(25.0, io.StringIO())


def logger_of(handler=None, keep=None):
    logger = logging.Logger("tests.listeners", logging.DEBUG)
    logger.addHandler(handler or logging.NullHandler())
    if keep is not None:
        logger.addFilter(keep)
    return logger


class Listening(logging.Handler):
    def __init__(self, lines):
        super().__init__()
        self.lines = lines

    def emit(self, record):
        self.lines.append(record.getMessage())


@scenario
def handler_of_what_nobody_reads(decorate):
    lines, others = [], [1]
    log = logger_of(Listening(lines))

    def f(x):
        log.info("x is %s", x)
        return len(others)

    f = decorate(f)
    return f(1.0), f(2.0), lines


@refused
def handler(decorate):
    lines = []
    log = logger_of(Listening(lines))

    def f(x):
        log.info("x")
        return len(lines)

    return decorate(f)(1.0)


@refused
def handler_that_came_later(decorate):
    lines = []
    log = logger_of()

    def f(x):
        log.info("x")
        return len(lines)

    f = decorate(f)
    assert f(1.0) == 0
    log.addHandler(Listening(lines))
    return f(1.0)


@refused
def filter_of_a_log(decorate):
    lines = []
    log = logger_of(keep=lambda record: lines.append(record) or True)

    def f(x):
        log.info("x")
        return len(lines)

    return decorate(f)(1.0)


class Text:
    asked = 0

    def __str__(self):
        Text.asked += 1
        return "text"


@refused
def text_of_an_argument(decorate):
    text, log = Text(), logger_of(logging.StreamHandler(io.StringIO()))

    def f(x):
        log.info("%s", text)
        return Text.asked

    return decorate(f)(1.0)


@refused
def stream_of_a_log(decorate):
    kept = Counted()
    log = logger_of(logging.StreamHandler(kept))

    def f(x):
        log.info("x")
        return kept.n

    return decorate(f)(1.0)


shown = 0


@refused
def warning_that_is_shown(decorate):
    def show(*args, **kwargs):
        global shown
        shown += 1

    def f(x):
        warnings.warn("x", stacklevel=1)
        return shown

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        return decorate(f)(1.0)


class Drawn(random.Random):
    n = 0

    def random(self):
        self.n += 1
        return 0.5


@refused
def random_numbers(decorate):
    drawn = Drawn()

    def f(x):
        return drawn.uniform(0, 1), drawn.n

    return decorate(f)(1.0)


@pytest.mark.parametrize("name", SCENARIOS)
def test_as_plain_python(name):
    check_scenario(SCENARIOS[name])


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("name", REFUSED)
def test_refused_where_the_trace_reads_what_it_may_change(name, engine):
    with pytest.raises(StagingError, match="calls code of yours in each run") as error:
        REFUSED[name](lambda f: rt.function(f, engine=engine))
    assert error.value.file == __file__
