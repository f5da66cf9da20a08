"""A builtin that is replaced for all modules between two calls: refused meanwhile, right again after."""

import builtins

import numpy as np
import pytest

import autograph
import runtime as rt


@pytest.mark.parametrize("name", ["abs", "sum", "len", "sorted"])
def test_a_builtin_that_is_replaced(monkeypatch, name):
    programs = {
        "abs": lambda x: abs(x[0]),
        "sum": lambda x: sum(x),
        "len": lambda x: len(x),
        "sorted": lambda x: sorted(x),
    }
    program, x = programs[name], np.array([-3.0, 2.0])
    decorated = rt.function(program)
    expected = program(x)
    assert decorated(x) == expected
    with monkeypatch.context() as patch:
        held = getattr(builtins, name)
        patch.setattr(builtins, name, lambda *args, **kwargs: held(*args, **kwargs))
        with pytest.raises(
            autograph.StagingError, match=f"the builtin `{name}` was replaced for all modules"
        ):
            decorated(x)
    assert decorated(x) == expected


def test_another_print_prints(monkeypatch):
    said = []

    @rt.function
    def program(x):
        if x[0] > 0:
            print("seen", x[0])
        return x

    program(np.ones(2))
    monkeypatch.setattr(builtins, "print", lambda *args, **options: said.append(args))
    program(np.ones(2))
    program(-np.ones(2))
    assert said == [("seen", 1.0)]


def test_a_builtin_that_is_added(monkeypatch):
    """As gettext installs `_`, and a notebook `display`."""
    monkeypatch.setattr(builtins, "twice", lambda x: x + x, raising=False)
    decorated = rt.function(lambda x: twice(x))  # noqa: F821
    assert decorated(2.0) == 4.0
    monkeypatch.setattr(builtins, "twice", lambda x: 3 * x)
    assert decorated(2.0) == 6.0


def test_builtins_that_a_trace_has_others_for_leave_it_as_python_s():
    def program(x):
        known = {"vars": vars, "dir": dir, "globals": globals}
        return known, super, [eval, exec, __import__], vars is known["vars"], eval is exec, x

    assert rt.function(program)(2.0) == program(2.0)
