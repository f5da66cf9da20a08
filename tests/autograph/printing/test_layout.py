# ruff: noqa: E501  converted text is not wrapped
"""Converted text keeps what the user wrote: empty lines, literals, indentation, and all that does not change."""

import re
import subprocess
import sys
import textwrap

import pytest

from autograph import convert_source
from autograph.printing import layout
from tests.autograph.printing.programs import after, assert_after, structure


class TestLayout:
    def test_what_does_not_change_stands_as_it_stood(self):
        text = (
            '''\
            """Doc."""
            import os, sys; import re


            X = [1,2,
                 0x10]   # odd   spacing
            def untouched( a,b = 3 ):

                return a+b \\
                    + 1_000

            if   X: pass
            class A( object ):

                x  =  1


                def m(self): return "a" 'b'
            '''
            "\f\n"
            "            x = (  1)\n"
        )
        text = "\n".join(row[12:] if row[:12].isspace() else row for row in text.split("\n"))
        assert convert_source(text) == text

    def test_literals_of_changed_statements(self):
        assert_after(
            """
            def f(x):
                return not g(0x1F, 1_000, "double", 'single', b"bytes", r"\\d", "a" 'b', 1e3, \"\"\"long\"\"\", -0b1)
            """,
            """
            def f(x):
                return ag__.not_(ag__.converted(g)(0x1F, 1_000, "double", 'single', b"bytes", r"\\d", "a" 'b', 1e3, \"\"\"long\"\"\", -0b1))
            """,
        )

    def test_expressions_of_changed_statements(self):
        assert_after(
            """
            def f(x, y):
                return not g(x**2, [1,2], key = {1:2}, other = (x
                    +  y))
            """,
            """
            def f(x, y):
                return ag__.not_(ag__.converted(g)(x**2, [1,2], key={1:2}, other=x
                    +  y))
            """,
        )

    def test_strings_of_several_lines_keep_their_content(self):
        text = '''
            def f(x):
                if x:
                    y = """one
              two
            """
                    if __debug__: z = """three
                four"""
                return y
            '''
        before, converted = textwrap.dedent(text), after(text)
        assert '"""one\n  two\n"""' in converted and '"""three\n    four"""' in converted
        assert eval("'''" + before.split('"""')[1] + "'''") in converted

    @pytest.mark.parametrize("unit", ["  ", "    ", "\t", "   "])
    def test_the_indentation_of_the_file(self, unit):
        text = f"class A:\n{unit}def f(self, x):\n{unit * 2}if x:\n{unit * 3}y = 1\n{unit * 2}return not y\n"
        converted = convert_source(text)
        assert f"\n{unit * 2}def then_body():\n{unit * 3}nonlocal y\n{unit * 3}y = 1\n" in converted
        assert structure(converted)

    def test_elif_that_stays_and_moves(self):
        text = "def f(x):\n    if x:\n        y = 1\n    elif __debug__:\n        y = 2\n    return y\n"
        assert "def else_body():\n        nonlocal y\n        if __debug__:\n" in convert_source(text)

    def test_windows_line_ends(self):
        assert convert_source("x = 1 # a\r\ndef f(x):\r\n    return not x # b\r\n").count("\r") == 0

    def test_text_that_ends_without_a_line_end(self):
        assert convert_source("def f(x): return not x").endswith("def f(x):\n    return ag__.not_(x)\n")

    def test_no_import_where_nothing_needs_it(self):
        assert convert_source("def f(x):\n    return x + 1\n") == "def f(x):\n    return x + 1\n"


PROGRAM = """
def f(x, y):
    if x:
        a = b = c = d = 1
    while y:
        z, y, (w, v) = g(y)
        x += 1
    return a, b, c, d, x, z, w, v
"""


def test_ruffs_formatting_of_the_input_gives_the_same_program(tmp_path):
    ruff = pytest.importorskip("ruff").__file__  # the formatter is a program of its own
    file = tmp_path / "program.py"
    file.write_text("def f( x,y ):\n  if not x : return  {'a':y , \"b\":x}\n  return g(x,'1',\n    y)")
    before = convert_source(file.read_text())
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(file)], check=True)
    assert ruff and file.read_text() != before
    assert structure(convert_source(file.read_text())) == structure(before)


def test_the_output_does_not_depend_on_hashing():
    command = "import sys; from autograph import convert_source; print(convert_source(sys.stdin.read()))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", command],
            input=PROGRAM,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            check=True,
        ).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(outputs) == 1
    assert re.search(r"'a', 'b', 'c', 'd'", outputs.pop())


def test_functions_added_to_converted_text_are_converted():
    once = convert_source("def f(x):\n    return not x\n")
    more = once + "\n\ndef g(x):\n    return not f(x)\n"
    assert convert_source(more) == once + "\n\ndef g(x):\n    return ag__.not_(ag__.converted(f)(x))\n"


def test_braces_in_an_fstring_are_no_expression():
    # Python 3.13 says that `{{}}` is where the constant "{}" stands: as an expression, a set of a dict.
    text = convert_source('def f(x):\n    return f"{x} {{}} {not x}"\n')
    assert text.endswith("return ag__.fstr(ag__.formatted(x), ' {} ', (ag__.not_(x), '', ''))\n")


def test_a_statement_that_cannot_be_laid_out_is_printed_plainly(monkeypatch):
    monkeypatch.setattr(layout._Layout, "_statement", lambda *_: ["not ("])
    assert convert_source("def f(x):\n    return  not x  # no\n").endswith(
        "def f(x):\n    return ag__.not_(x)\n"
    )
