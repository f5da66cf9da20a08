"""Deeply nested programs: converted, or refused by one clear error."""

import threading

import pytest

import autograph
from autograph import ConversionError, SourceSyntaxError, convert_source
from autograph.deep import with_room
from tests.modules import new_module_of


def function(text):
    return new_module_of(text)["f"]


def nested_ifs(count):
    rows = [" " * (depth + 1) + f"if x > {depth}:" for depth in range(count)]
    return "\n".join(["def f(x):", " y = 0", *rows, " " * (count + 1) + "y = 1", " return y\n"])


PROGRAMS = {
    "cases": "def f(x):\n    match x:\n" + "".join(f"        case {n}: return {n}\n" for n in range(120)),
    "elifs in elifs": "def f(x):\n    if x == 0: y = 0\n"
    + "".join(f"    elif x == {n}: y = {n}\n" for n in range(1, 45))
    + "    elif x < 60:\n        if x == 45: y = 0\n"
    + "".join(f"        elif x == {n}: y = -{n}\n" for n in range(46, 120))
    + "        else: y = -1\n"
    + "".join(f"    elif x == {n}: return {n}\n" for n in range(60, 120))
    + "    return y\n",
    "a sum of many terms": "def f(x):\n    return not (" + " + ".join(["x"] * 1000) + ")\n",
    "negations": "def f(x):\n    return " + "not " * 190 + "x\n",
    "parentheses": "def f(x):\n    return not " + "(" * 190 + "x" + ")" * 190 + "\n",
    "calls": "def f(x):\n    return " + "abs(" * 150 + "x" + ")" * 150 + "\n",
    "attributes": "def f(x):\n    return not x" + ".real" * 500 + "\n",
    "nested ifs": nested_ifs(90),
    "elifs": "def f(x):\n    if x == 0: y = 0\n"
    + "".join(f"    elif x == {n}: y = {n}\n" for n in range(1, 400))
    + "    else: y = -1\n    return y\n",
}


def outcome(f, x):
    try:
        return f(x)
    except UnboundLocalError as error:
        return str(error)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_converted_in_the_program_and_as_text(kind):
    text = PROGRAMS[kind]
    original = function(text)
    converted = autograph.convert(original)
    namespace = {}
    exec(compile(convert_source(text), "<converted>", "exec"), namespace)
    for x in (0, 1, 44, 50, 75, 390, 1000):
        expected = outcome(original, x)
        assert outcome(converted, x) == outcome(namespace["f"], x) == expected
    assert "ag__" in autograph.to_code(original)


def test_text_that_python_could_not_read_is_refused():
    text = "def f(x):\n    return " + "not " * 300 + "x\n"
    with pytest.raises(ConversionError) as caught:
        convert_source(text, "f.py")
    assert str(caught.value) == (
        "f.py:1:1: the converted text would be nested more deeply than Python reads text: "
        "100 levels of indentation, 200 of parentheses\n"
        "    def f(x):\n"
        "    ^^^^^^^^^\n"
        "hint: split the function, or use autograph.convert in the program, which needs no text"
    )
    original = function(text)
    assert autograph.convert(original)(140) is True


def test_deeper_than_any_stack():
    with pytest.raises((ConversionError, SourceSyntaxError), match="nested too deeply"):
        convert_source("x = lambda y: " + " + ".join(["y"] * 30_000), "f.py")


def test_a_caller_that_has_used_up_its_stack():
    f = function("def f(x):\n    return not x\n")

    def at_depth(n):
        return at_depth(n - 1) if n else autograph.convert(f)(0)

    def deepest():
        n = 800
        while True:
            try:
                at_depth(n)
            except RecursionError:
                return n
            n += 1

    assert deepest() > 800
    assert with_room(at_depth, 2_000) is True


def test_exceptions_come_out_of_the_large_stack():
    def work(n):
        if n == 0:
            raise KeyError("deep")
        return work(n - 1)

    with pytest.raises(KeyError, match="deep"):
        with_room(work, 5_000)


def test_where_no_large_stack_can_be_had(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(ConversionError, match="nested too deeply"):
        autograph.convert(function(PROGRAMS["a sum of many terms"]))
