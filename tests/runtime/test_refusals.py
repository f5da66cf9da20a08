"""What would happen once, while tracing, instead of in each run is refused where it stands."""

import datetime
import fractions
import functools
import inspect
import json
import os
import re

import numpy as np
import pytest

import runtime as rt
from autograph import errors
from autograph.errors import StagingError


def advances_an_iterator(x):
    numbers = (n for n in [1, 2, 3])
    if x[0] > 0:
        next(numbers)
    return next(numbers)


def makes_a_date(x):
    return np.datetime64(int(x[0]), "D")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (makes_a_date, "a date or a span of time of a number that only a run knows"),
        (advances_an_iterator, "a generator that was made before is advanced under a staged condition"),
    ],
)
def test_refused(function, words):
    with pytest.raises(StagingError, match=words) as refused:
        rt.function(function)(np.array([1.0, 2.0]))
    assert refused.value.file == __file__ and refused.value.line and refused.value.hint


class Account:
    def __init__(self, v):
        self.v = v

    def add(self, v):
        return v


def raises_with_an_object(x):
    account = Account(x[0])
    part = functools.partial(account.add, 1)
    for _ in range(2):
        account.add = lambda v: v
    return part.nothing if x[0] > 0 else part.__self__


def test_an_exception_about_what_belongs_to_the_trace():
    """The AttributeError would hold the partial, which holds a function of the trace. (Objects, 7054.)"""
    with pytest.raises(AttributeError, match="'functools.partial' object has no attribute") as raised:
        rt.function(raises_with_an_object)(np.array([1.0, 2.0]))
    assert raised.value.obj is None


def gives_a_generator(x):
    y = x + 1
    return (v for v in y)


def gives_a_function(x):
    if x[0] > 5:
        return x
    return lambda: x


@pytest.mark.parametrize(
    ("function", "place", "words"),
    [
        (gives_a_generator, (2, 5), "an iterator (a generator) is returned"),
        (gives_a_function, (0, 5), "a function that is made inside is returned"),
    ],
)
def test_what_may_not_be_returned_is_named_where_it_is_returned(function, place, words):
    with pytest.raises(StagingError, match=re.escape(words)) as refused:
        rt.function(function)(np.array([1.0, 2.0]))
    line = inspect.getsourcelines(function)[1] + place[0]
    assert (refused.value.line, refused.value.column) == (line, place[1])


def test_the_hint_of_a_call_goes_by_its_arguments():
    for program, words in (
        (lambda x: json.dumps(x.tolist()), "return what it needs"),
        (lambda x: x + datetime.datetime.now().year, "pass the result as an argument"),
    ):
        with pytest.raises(StagingError) as refused:
            rt.function(program)(np.array([1.0]))
        assert words in refused.value.hint


def makes_a_fraction(x):
    return fractions.Fraction(int(x[0]), 3)


def searches_a_text(x):
    return re.sub("1", "2", f"{x[0]}")


@pytest.mark.parametrize("function", [makes_a_fraction, searches_a_text])
def test_what_fails_only_because_it_is_staged_is_refused(function):
    with pytest.raises(StagingError, match="known only at run time") as refused:
        rt.function(function)(np.array([1.0, 2.0]))
    assert refused.value.line == inspect.getsourcelines(function)[1] + 1


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (lambda x: x(0), np.array([1.0])),
        (lambda n: n(0), 3),
        (lambda x: x[0](0), np.array([1.0])),
        (lambda n: n + "a", 3),
        (lambda n: [*n], 2.5),
        (lambda n: n.missing, 3),
    ],
)
def test_type_errors_have_pythons_words(function, argument):
    with pytest.raises((TypeError, AttributeError)) as plain:
        function(argument)
    with pytest.raises(type(plain.value)) as staged:
        rt.function(function)(argument)
    assert str(staged.value) == str(plain.value)


def test_a_function_that_exec_made_has_no_source():
    """It is not marked with do_not_convert: what helps is to make its text known."""
    positive = eval(compile("lambda x: x > 0", "<made>", "eval"), {"__name__": __name__})
    with pytest.raises(StagingError, match="lambda>` has no source that could be converted") as refused:
        rt.function(lambda x: positive(x[0]))(np.array([1.0]))
    assert "autograph.register_source" in refused.value.hint


def test_in_a_function_of_python_s_library_it_names_the_line_that_calls_it(tmp_path, monkeypatch):
    file = tmp_path / "records.py"
    file.write_text("def loaded(name):\n    return open(name)\n")
    library = {"__name__": "records_of_mine"}
    exec(compile(file.read_text(), str(file), "exec"), library)
    monkeypatch.setattr(errors, "_STANDARD_LIBRARY", str(tmp_path) + os.sep)

    @rt.function
    def f(x):
        return library["loaded"]("a"), x

    with pytest.raises(StagingError) as caught:
        f(1.0)
    assert caught.value.file == __file__
    assert caught.value.source_line.strip() == 'return library["loaded"]("a"), x'
    assert "(in `loaded` of Python's records.py, line 2)" in caught.value.message
