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
def standard_output_is_replaced(decorate):
    kept, texts, before = Counted(), Kept(), sys.stdout
    both = Tee(texts, before)

    def f(x):
        print(x, "b", [x], {"a": x}, sep="-" if x > 0 else None, end="!", flush=x > 0)
        return x

    f, found = decorate(f), []
    try:
        for stream in (io.StringIO(), kept, kept, io.StringIO(), both, kept, texts):
            sys.stdout = stream
            found.append((f(1.0), f(-1.0), kept.n, texts.texts[-2:]))
    finally:
        sys.stdout = before
    return found, texts.texts


@refused
def standard_output_that_is_read(decorate):
    kept, before = Counted(), sys.stdout

    def f(x):
        print(x)
        return kept.n

    try:
        sys.stdout = kept
        return decorate(f)(1.0)
    finally:
        sys.stdout = before


@scenario
def standard_output_that_appends_to_a_list(decorate):
    lines, before = [], sys.stdout

    def f(x):
        print(x)
        return len(lines)

    try:
        sys.stdout = types.SimpleNamespace(write=lines.append)
        return decorate(f)(1.0)
    finally:
        sys.stdout = before


#: what makes a stream whose `write` acts
STREAMS = {
    "counts": Counted,
    "keeps": Kept,
    "hands on": lambda: Tee(sys.stderr),
    "derived": Calls,
}


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_of_ones_own_is_not_written_to(stream):
    make, kept = STREAMS[stream], STREAMS[stream]()

    def made_inside(x):
        print(x, file=make())

    def chosen(x, file=sys.stderr):
        print(x, file=kept if x > 0 else sys.stderr)

    for f in (lambda x: print(x, file=kept), made_inside, chosen):
        with pytest.raises(
            StagingError, match="this writes to a stream of yours|EncodedFile is put|`append`|is made here"
        ):
            rt.function(f)(1.0)


@scenario
def written_by_print(decorate):
    def f(x, file):
        print(x, end="", file=file)
        return x

    f, file = decorate(f), io.StringIO()
    return f(1.0, file), f(25.0, file), file.getvalue()


@pytest.mark.parametrize(
    "call", [lambda f: f.write("a"), lambda f: f.getvalue(), lambda f: sys.stdout.flush()]
)
def test_methods_of_streams_are_refused(call):
    with pytest.raises(StagingError, match="is compiled code") as error:
        rt.function(call)(io.StringIO())
    assert "print(text, end='', file=stream)" in error.value.hint


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


@scenario
def handler(decorate):
    lines = []
    log = logger_of(Listening(lines))

    def f(x):
        log.info("x")
        return len(lines)

    return decorate(f)(1.0)


@scenario
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


@scenario
def filter_of_a_log(decorate):
    lines = []
    log = logger_of(keep=lambda record: lines.append(record) or True)

    def f(x):
        log.info("x")
        return len(lines)

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


def test_a_text_of_an_argument_that_acts_is_refused():
    class Text:
        asked = 0

        def __str__(self):
            Text.asked += 1
            return "text"

    text, log = Text(), logger_of(logging.StreamHandler(io.StringIO()))
    with pytest.raises(StagingError, match="changes something, and a text asks for it unseen"):
        rt.function(lambda x: (log.info("%s", text), Text.asked))(1.0)


@pytest.mark.parametrize("name", SCENARIOS)
def test_as_plain_python(name):
    check_scenario(SCENARIOS[name])


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("name", REFUSED)
def test_refused_where_the_trace_reads_what_it_may_change(name, engine):
    with pytest.raises(StagingError, match="calls code of yours in each run") as error:
        REFUSED[name](lambda f: rt.function(f, engine=engine))
    assert error.value.file == __file__
