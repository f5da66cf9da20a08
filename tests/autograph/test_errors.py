"""Errors say where, what, and what to write instead."""

import ast
import pickle
import sys

import pytest

from autograph.errors import (
    AutographError,
    ConversionError,
    StagingError,
    error_at_frame,
    error_at_node,
    place,
    user_frame,
)
from tests.differential import registered


def test_all_parts():
    error = ConversionError(
        "`await` cannot be staged",
        file="model.py",
        line=3,
        column=9,
        end_column=14,
        source_line="    x = await load()",
        hint="load before the decorated function",
    )
    assert str(error) == (
        "model.py:3:9: `await` cannot be staged\n"
        "    x = await load()\n"
        "        ^^^^^\n"
        "hint: load before the decorated function"
    )


def test_message_alone():
    assert str(AutographError("nothing to convert")) == "nothing to convert"


def test_line_without_column_shows_the_line():
    assert str(AutographError("m", file="a.py", line=2, source_line="  y = 1")) == "a.py:2: m\n    y = 1"


def test_tabs_keep_the_caret_in_its_column():
    error = AutographError("m", file="a.py", line=1, column=4, source_line="\tx\ty")
    assert str(error).splitlines()[1:] == ["    x\ty", "     \t^"]


def test_columns_are_characters_though_trees_count_bytes():
    text = "'éé' + wrong"
    node = ast.parse(text).body[0].value.right
    error = place(error_at_node(ConversionError, "m", node), "a.py", [text])
    assert str(error) == "a.py:1:8: m\n    'éé' + wrong\n           ^^^^^"


def test_a_node_of_several_lines_is_underlined_to_the_end_of_its_first():
    text = "f(1,\n  2)"
    node = ast.parse(text).body[0].value
    error = place(error_at_node(ConversionError, "m", node), "a.py", text.splitlines(keepends=True))
    assert str(error) == "a.py:1:1: m\n    f(1,\n    ^^^^"


def test_errors_can_be_pickled():
    error = ConversionError("m", file="a.py", line=2, column=1, variable="x", hint="h")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.variable) == (str(error), "x")


def test_error_at_frame_points_at_the_caller():
    error = error_at_frame(StagingError, "no", hint="write y")
    assert (error.file, error.line) == (__file__, sys._getframe().f_lineno - 1)
    assert error.source_line.strip() == 'error = error_at_frame(StagingError, "no", hint="write y")'
    assert error.column == 13


def test_the_users_frame_is_outside_of_autograph():
    import autograph.staging

    class Refusing(autograph.staging.Stage):
        name = "refusing"

    with pytest.raises(StagingError) as caught:
        Refusing().if_stmt(None, None, None, None)
    assert caught.value.file == __file__
    assert "`if` statement" in caught.value.message


def test_staged_values_of_the_expression_are_named():
    import autograph.staging

    class Symbol:
        def __repr__(self):
            return "<a symbol>"

    class Symbols(autograph.staging.Stage):
        name = "symbols"

        def claims(self, value):
            return isinstance(value, Symbol)

    x, y = Symbol(), 3
    with registered(Symbols()):
        error = error_at_frame(StagingError, "y" + str([x, y]))
    assert (error.where, error.variable) == ("`x` is a symbol", "x")
    assert "where: `x` is a symbol" in str(error)


def test_user_frame_without_user():
    assert user_frame(None) is None
