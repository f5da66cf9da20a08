"""Programs for the tests of what `autograph convert` prints: before and after."""

from __future__ import annotations

import ast
import io
import textwrap
import tokenize

from autograph import convert_source


def after(before: str) -> str:
    """The converted text, without the import of the operators and the empty lines around it."""
    text = convert_source(textwrap.dedent(before).lstrip("\n"))
    rows = [row for row in text.split("\n") if row != "import autograph.operators as ag__"]
    return "\n".join(rows).lstrip("\n")


def comments_of(text: str) -> list[str]:
    """All comments, sorted."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sorted(token.string for token in tokens if token.type == tokenize.COMMENT)


def structure(text: str) -> str:
    """The program without its layout."""
    return ast.dump(ast.parse(text))


def assert_after(before: str, expected: str) -> None:
    """The conversion of `before` is `expected`, to the letter."""
    assert after(before) == textwrap.dedent(expected).lstrip("\n")
