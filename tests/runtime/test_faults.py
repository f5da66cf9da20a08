"""A fault of our own in a trace is an InternalError, never an exception of the user's program."""

import inspect
from importlib import import_module

import numpy as np
import pytest

import autograph.errors
import runtime as rt
import runtime.stage.runtime_stage
from runtime.outside.outside import Outside

FAULTS = {
    "an attribute": ("None.shape", AttributeError),
    "a method": ("None.shape()", AttributeError),
    "a key": ("{}['k']", KeyError),
    "an index": ("[][0]", IndexError),
    "a name": ("no_such_name", NameError),
    "an assertion": ("check()", AssertionError),
    "an unpacking": ("[1 for a, b in [(1, 2, 3)]]", ValueError),
}


def break_branches(monkeypatch, expression):
    """Every staged `if` comes upon a fault, in a file of ours."""
    lines = f"def check():\n    assert False\ndef branch(*args):\n    return {expression}\n"
    space = {}
    exec(compile(lines, runtime.stage.runtime_stage.__file__, "exec"), space)
    monkeypatch.setattr(import_module("runtime.control_flow.branches"), "branch", space["branch"])


@pytest.mark.parametrize(("expression", "kind"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_no_exception_of_the_users(monkeypatch, expression, kind):
    def f(x):
        try:
            if x > 0:
                x = x + 1
        except Exception:
            x = -1.0
        return x

    break_branches(monkeypatch, expression)
    with pytest.raises(autograph.errors.InternalError) as caught:
        rt.function(f)(1.0)
    error = caught.value
    assert isinstance(error.__cause__, kind)
    assert error.file == __file__
    assert error.line == inspect.getsourcelines(f)[1] + 2
    assert "stage.py" in error.message
    assert "please report" in str(error)


def test_a_raise_of_ours_is_the_users(monkeypatch):
    def f(x):
        try:
            return x[0, 0, 0]
        except IndexError as error:
            return str(error)

    assert rt.function(f)(np.ones(3)) == f(np.ones(3))


class Held:
    def __init__(self, a):
        self.a = a


USERS = {
    "a key": lambda d, x: d["k"],
    "a popped key": lambda d, x: d.pop("k"),
    "an attribute": lambda d, x: d.k,
    "an attribute by name": lambda d, x: getattr(d, "k"),
    "an attribute of an array": lambda d, x: x.k,
    "an attribute of an object": lambda d, x: Held(x).b,
    "an index": lambda d, x: [x][1],
    "an unpacking": lambda d, x: (lambda a, b: a)(*[x]),
    "an empty iterator": lambda d, x: next(iter(d)),
    "a class without the attribute": lambda d, x: np.no_such_name(x),
    "a deleted key": lambda d, x: d.__delitem__("k"),
    "a name": lambda d, x: no_such_name,  # noqa: F821
    "a place in a list": lambda d, x: [x, 2 * x].index(7),
    "an assertion": lambda d, x: np.testing.assert_equal(1, 2),
    "nothing to take the largest of": lambda d, x: max(d),
}


@pytest.mark.parametrize("use", USERS.values(), ids=USERS)
def test_exceptions_of_the_users_stay(use):
    def f(x):
        return use({}, x)

    with pytest.raises(Exception) as expected:
        f(np.ones(2))
    with pytest.raises(type(expected.value)) as found:
        rt.function(f)(np.ones(2))
    assert type(found.value) is type(expected.value)
    assert str(found.value) == str(expected.value)


def test_a_guard_that_does_not_hold_on_the_call_that_made_it(monkeypatch):
    """Every later call would be traced again."""
    add_guard = Outside.add_guard
    never = lambda source, names: f"{source} is {names.of(object())}"

    def add_one_that_does_not_hold(self, path, condition, *said, **options):
        add_guard(self, path, never if str(path) == "SCALE" else condition, *said, **options)

    monkeypatch.setattr(Outside, "add_guard", add_one_that_does_not_hold)

    @rt.function
    def f(x):
        return x * SCALE

    with pytest.raises(autograph.errors.InternalError, match="`SCALE` is 2.5") as caught:
        f(1.0)
    assert caught.value.line == inspect.getsourcelines(f.python_function)[1] + 1
    assert f.trace_count == 0


SCALE = 2.5


def test_a_program_changes_what_its_guards_read():
    """They are evaluated before its first run."""

    class Counter:
        step = 1

    space = {"last": 0}

    @rt.function
    def f(x, held, counter):
        counter.step = counter.step + 1
        held["last"] = held["last"] + counter.step
        Counter.step = 3
        return x * held["last"]

    assert [f(2.0, space, Counter()) for _ in range(3)] == [4.0, 12.0, 20.0]
    assert f.trace_count <= 3
