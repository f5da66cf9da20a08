"""``fallback="python"``: the plain function where staging is refused; said once, and no effect lost."""

import hashlib
import warnings

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError

X = np.array([1.0, -2.0, 3.0])


def digest(x):
    return hashlib.sha256(x.tobytes()).hexdigest()


def quietly(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [w for w in caught if issubclass(w.category, rt.FallbackWarning)]


def test_it_runs_and_says_so_once():
    f = rt.function(digest, fallback="python")
    results, said = quietly(lambda: [f(X * k) for k in (1, 2, 3)])
    assert results == [digest(X * k) for k in (1, 2, 3)]
    assert len(said) == 1
    text = str(said[0].message)
    assert text.startswith("digest() runs as plain Python, because it cannot be staged: ")
    assert "test_functions_fallback.py:16:27: the attribute `tobytes`" in text
    assert said[0].filename == __file__


def test_the_refusal_comes_before_any_effect(capsys):
    log = []

    def f(x):
        log.append(x.sum())
        print("working")
        return digest(x)

    decorated = rt.function(f, fallback="python")
    quietly(lambda: decorated(X))
    assert (log, capsys.readouterr().out) == ([2.0], "working\n")


def test_a_refusal_in_a_nested_call():
    inner = rt.function(digest)

    @rt.function(fallback="python")
    def outer(x):
        return inner(x) + "!"

    with pytest.raises(StagingError):  # the inner one has no fallback
        quietly(lambda: outer(X))

    inner = rt.function(digest, fallback="python")
    result, said = quietly(lambda: outer(X))
    assert result == digest(X) + "!"
    assert [str(w.message).partition("(")[0] for w in said] == ["digest"]


def test_other_signatures_are_compiled():
    @rt.function(fallback="python")
    def f(x, how):
        return x * 2 if how == "double" else digest(x)

    assert quietly(lambda: f(X, "double"))[0].tolist() == [2.0, -4.0, 6.0]
    assert quietly(lambda: f(X, "digest"))[0] == digest(X)
    assert f.trace_count == 1
    assert quietly(lambda: f(X, "double"))[1] == []


def test_a_users_exception_is_no_refusal():
    @rt.function(fallback="python")
    def f(x):
        if x.sum() > 0:
            raise ValueError("no")
        return x

    result, said = quietly(lambda: pytest.raises(ValueError, f, X))
    assert said == []
    assert f.trace_count == 1


def test_wrong_arguments_are_no_refusal():
    f = rt.function(lambda x: x, fallback="python", input_signature=[rt.TensorSpec([3], "f4")])
    with pytest.raises(TypeError, match="does not fit its input_signature"):
        f(X)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        rt.function(lambda x: x, fallback="python")(X, X)


def test_no_source():
    f = eval("lambda x: x + 1")
    with pytest.raises(StagingError.__mro__[1]):
        rt.function(f)
    g = rt.function(f, fallback="python")
    result, said = quietly(lambda: (g(X), g(X)))
    assert result[0].tolist() == [2.0, -1.0, 4.0]
    assert len(said) == 1
