# ruff: noqa: E501  converted text is not wrapped
"""Converted text keeps what the user wrote: comments, empty lines, literals, and all that does not change."""

import ast
import difflib
import importlib
import re
import subprocess
import sys
import textwrap
import tokenize

import gast
import pytest

from autograph import convert_source
from autograph.modules import add_import
from autograph.passes import convert_tree
from autograph.printing import layout
from tests.autograph.printing.programs import after, comments_of, structure


def assert_after(before, expected):
    assert after(before) == textwrap.dedent(expected).lstrip("\n")


class TestComments:
    def test_above_and_beside_a_statement(self):
        assert_after(
            """
            def f(x):
                # Not too large?

                # Really?
                y = not x  # not zero
                return y
            """,
            """
            def f(x):
                # Not too large?

                # Really?
                y = ag__.not_(x)  # not zero
                return y
            """,
        )

    def test_of_an_if_and_its_branches(self):
        assert_after(
            """
            def relu(x):
                # Positive?
                if x > 0:  # strictly
                    # Take it.
                    y = x  # as it is
                    # (Zero is not positive.)
                # Or else:
                else:  # negative
                    y = 0
                return y
            """,
            """
            def relu(x):
                # Positive?
                y = ag__.Undefined('y')

                def get_state():
                    return (y,)

                def set_state(state):
                    nonlocal y
                    y, = state

                def then_body():
                    nonlocal y
                    # Take it.
                    y = x  # as it is
                    # (Zero is not positive.)

                # Or else:
                def else_body():  # negative
                    nonlocal y
                    y = 0
                ag__.if_stmt(x > 0, then_body, else_body, get_state, set_state, ('y',))  # strictly
                return y
            """,
        )

    def test_of_a_loop_that_breaks(self):
        assert_after(
            """
            def f(xs):
                s = 0
                # Sum up
                for x in xs:  # each
                    if x > 3:  # too large
                        break  # enough
                    # Add.
                    s += x
                return s  # the sum
            """,
            """
            def f(xs):
                s = 0
                # Sum up
                do_break = False

                def get_state():
                    return (s, do_break)

                def set_state(state):
                    nonlocal s, do_break
                    s, do_break = state

                def loop_test():
                    return ag__.not_(do_break)

                def loop_body(x):
                    def get_state():
                        return (s, do_break)

                    def set_state(state):
                        nonlocal s, do_break
                        s, do_break = state

                    def then_body():
                        nonlocal do_break
                        do_break = True  # enough

                    def else_body():
                        nonlocal s
                        # Add.
                        s += x
                    ag__.if_stmt(x > 3, then_body, else_body, get_state, set_state, ('s', 'do_break'))  # too large
                ag__.for_stmt(xs, loop_test, loop_body, get_state, set_state, ('s', 'do_break'))  # each
                return s  # the sum
            """,
        )

    def test_of_a_try(self):
        assert_after(
            """
            def f(x):
                try:  # hard
                    g(x)
                    # tried
                # recover
                except ValueError as e:  # bad value
                    h(e)
                finally:  # at last
                    k()
            """,
            """
            def f(x):
                def try_body():
                    ag__.converted(g)(x)
                    # tried

                # recover
                def except_body(e):  # bad value
                    ag__.converted(h)(e)

                def finally_body():  # at last
                    ag__.converted(k)()
                ag__.try_stmt(try_body, [(lambda: ValueError, except_body)], None, finally_body)  # hard
            """,
        )

    def test_where_the_statements_stay(self):
        assert_after(
            """
            def f(x):
                while x:  # each
                    # odd?
                    if x % 2:
                        yield not x  # no
                    # even?
                    elif x:  # elif
                        pass
                    # none
                    else:  # else
                        yield x
                    # next
                    x -= 1
            """,
            """
            def f(x):
                while x:  # each
                    # odd?
                    if x % 2:
                        yield ag__.not_(x)  # no
                    # even?
                    elif x:  # elif
                        pass
                    # none
                    else:  # else
                        yield x
                    # next
                    x -= 1
            """,
        )

    def test_between_brackets(self):
        assert_after(
            """
            def f(x, y):
                return g(x,  # the first
                         not y)  # the second
            """,
            """
            def f(x, y):
                # the first
                return ag__.converted(g)(x, ag__.not_(y))  # the second
            """,
        )

    def test_between_brackets_of_a_header(self):
        assert_after(
            """
            def f():
                for x in [
                    1,  # one
                    2,  # two
                ]:
                    g(x)
                while h(  # test
                    1
                ):
                    pass
            """,
            """
            def f():
                def loop_body(x):
                    ag__.converted(g)(x)
                ag__.for_stmt([
                    1,  # one
                    2,  # two
                ], None, loop_body)

                def loop_test():
                    return ag__.converted(h)(1)

                def loop_body():
                    pass
                # test
                ag__.while_stmt(loop_test, loop_body)
            """,
        )

    def test_of_decorators_and_parameters(self):
        text = """
            @decorator  # why
            # and
            @other
            def f(x,  # first
                  y=0x10):  # second
                # begin
                return %s
            """
        assert_after(text % "not x", text % "ag__.not_(x)")

    def test_of_statements_that_vanish(self):
        text = """
            # about f
            def f(x):
                for i in x:
                    if i:
                        continue  # skipped
                    g(i)
                return x
                # dead
                if x:  # also dead
                    pass
            # about g
            g = not f
            # the end
            """
        assert comments_of(after(text)) == comments_of(textwrap.dedent(text))

    def test_of_the_file_stay_above_the_import(self):
        text = "#!/usr/bin/env python\n# Copyright\n\n# about f\ndef f(x):\n    return not x\n"
        assert convert_source(text) == (
            "#!/usr/bin/env python\n# Copyright\nimport autograph.operators as ag__\n\n"
            "# about f\ndef f(x):\n    return ag__.not_(x)\n"
        )

    def test_a_coding_cookie_says_what_is_written(self):
        text = "# -*- coding: latin-1 -*-\nx = lambda: not 'é'\n"
        assert convert_source(text).startswith("# -*- coding: utf-8 -*-\n")


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


MODULES = ["configparser", "dataclasses", "heapq", "statistics", "textwrap"]


@pytest.fixture(params=MODULES, scope="module")
def library(request):
    """The text of a module of the standard library."""
    with tokenize.open(importlib.import_module(request.param).__file__) as stream:
        return stream.read()


@pytest.fixture(scope="module")
def converted(library):
    return convert_source(library)


class TestModules:
    def test_the_text_says_what_the_tree_says(self, library, converted, monkeypatch):
        def refuse(statement):
            raise AssertionError(f"line {statement.lineno} could not be laid out")

        monkeypatch.setattr(layout, "printed_plainly", refuse)
        tree = convert_tree(gast.parse(library))
        add_import(tree)
        assert convert_source(library) == converted
        assert structure(converted) == structure(ast.unparse(gast.gast_to_ast(tree)))
        assert comments_of(converted) == comments_of(library)

    def test_converting_twice_changes_nothing(self, converted):
        assert convert_source(converted) == converted

    def test_only_what_changes_is_in_the_difference(self, library, converted):
        changed = {name for name, node in definitions(converted).items() if "ag__" in ast.dump(node)}
        rows = list(difflib.ndiff(library.splitlines(), converted.splitlines()))
        for name, node in definitions(library).items():
            if name not in changed:
                text = "\n".join(library.splitlines()[node.lineno - 1 : node.end_lineno])
                assert text in converted, name
        assert sum(row.startswith("  ") for row in rows) > 10

    def test_reformatted_input_gives_the_same_program(self, library, converted):
        reformatted = ast.unparse(ast.parse(library))
        assert structure(convert_source(reformatted)) == structure(converted)


def definitions(text):
    return {
        node.name: node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }


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


def test_a_statement_that_cannot_be_laid_out_is_printed_plainly(monkeypatch):
    monkeypatch.setattr(layout._Layout, "_statement", lambda *_: ["not ("])
    assert convert_source("def f(x):\n    return  not x  # no\n").endswith(
        "def f(x):\n    return ag__.not_(x)\n"
    )
