"""Code of the user's that an effect calls: a stream's `write`, a log's handlers, `showwarning`, a Random."""

import io
import logging
import random
import sys
import types
import warnings

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check_scenario
from tests.long import some

SCENARIOS = {}
REFUSED = {}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


def refused(function):
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


@refused
def standard_output_of_ones_own(decorate):
    def f(x):
        print(x)
        return x

    f, before = decorate(f), sys.stdout
    f(1.0)
    try:
        sys.stdout = Counted()  # no call of before sees it
        return f(2.0)
    finally:
        sys.stdout = before


@refused
def standard_output_that_appends_to_a_list(decorate):
    lines, before = [], sys.stdout
    try:
        sys.stdout = types.SimpleNamespace(write=lines.append)
        return decorate(lambda x: print(x))(1.0)
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
            StagingError,
            match="to a stream of yours|is a class that is not|EncodedFile is put|`append`|is made here",
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


@refused
def stream_of_a_log(decorate):
    log = logger_of(logging.StreamHandler(Counted()))
    return decorate(lambda x: log.info("x"))(1.0)


@scenario
def recorded_warnings(decorate):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        def f(x):
            warnings.warn(f"x is {x}", stacklevel=1)
            return len(caught)

        f = decorate(f)
        return f(1.0), f(2.0), [str(one.message) for one in caught]


shown = 0


@refused
def warning_that_is_shown(decorate):
    def show(*args, **kwargs):
        global shown
        shown += 1

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        return decorate(lambda x: warnings.warn("x", stacklevel=1))(1.0)


class Drawn(random.Random):
    n = 0

    def random(self):
        self.n += 1
        return 0.5


@refused
def random_numbers(decorate):
    drawn = Drawn()
    return decorate(lambda x: drawn.uniform(0, x))(1.0)


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
def test_refused(name, engine):
    with pytest.raises(StagingError, match="calls code of yours in each run, and no trace") as error:
        REFUSED[name](lambda f: rt.function(f, engine=engine))
    assert error.value.file == __file__
    assert error.value.hint == "return what it needs, and call it outside the decorated function"
