"""What was refused is refused at once the second time, as long as everything that was read is what it was."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from runtime.tracer.trace import Trace

limit, texts = 3, ["a"]


@pytest.fixture
def attempts(monkeypatch):
    """One item for each attempt to trace."""
    made = []
    begin = Trace.__init__
    monkeypatch.setattr(Trace, "__init__", lambda self, *args: (made.append(self), begin(self, *args))[1])
    return made


@rt.function
def looks_behind(x):
    if limit > 2:
        return np.zeros(3).strides
    return x + limit


def refused(function, *args):
    with pytest.raises(StagingError) as caught:
        function(*args)
    return str(caught.value)


def test_a_refusal_is_kept(attempts):
    first = refused(looks_behind, np.ones(3))
    assert attempts
    attempts.clear()
    again = refused(looks_behind, np.ones(3))
    assert again == first
    assert "hint: " in again
    assert not attempts
    refused(looks_behind, np.ones(4))
    assert attempts


def test_not_longer_than_what_it_read(attempts, monkeypatch):
    refused(looks_behind, np.ones(3))
    monkeypatch.setitem(globals(), "limit", 1)
    assert looks_behind(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
    attempts.clear()
    monkeypatch.setitem(globals(), "limit", 3)
    refused(looks_behind, np.ones(3))
    assert attempts


def test_nor_where_what_stands_in_the_way_could_not_be_read(monkeypatch):
    @rt.function
    def f(x):
        return x * len(texts)

    monkeypatch.setitem(globals(), "texts", [print] * 2000)
    assert "a list of 2000 items" in refused(f, 1.0)
    texts.clear()
    assert f(1.0) == 0.0


def test_nor_longer_than_settings():
    @rt.function
    def f(x):
        return x / 2

    with np.errstate(all="raise"):
        refused(f, np.ones(2))
    assert f(np.ones(2)).tolist() == [0.5, 0.5]


def test_arguments_that_were_one_list(attempts):
    @rt.function
    def f(a, b, x):
        a.append(x)
        if len(b) > len(a) - 1:
            return np.zeros(3).strides
        return b[0]

    one = [1.0]
    refused(f, one, one, 2.0)
    assert f([1.0], [3.0], 2.0) == 3.0


def test_with_a_fallback_python_runs(attempts):
    f = rt.function(looks_behind.python_function, fallback="python")
    with pytest.warns(rt.FallbackWarning):
        assert f(1.0) == (8,)
    attempts.clear()
    assert f(2.0) == (8,)
    assert not attempts
