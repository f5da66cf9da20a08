"""Colours for a terminal: Python text and diffs.

Written here because it is forty lines over the standard library's tokenizer; a highlighter would be a
dependency for every user of the package.
"""

from __future__ import annotations

import io
import keyword
import os
import sys
import tokenize

from autograph.lines import split_lines

RESET = "\033[0m"
_KEYWORD, _STRING, _NUMBER, _COMMENT, _OPERATOR = "\033[34m", "\033[32m", "\033[36m", "\033[90m", "\033[35m"
_ADDED, _REMOVED, _PLACE = "\033[32m", "\033[31m", "\033[36m"


def wanted(no_color: bool) -> bool:
    """Colour on a terminal, unless the option or the NO_COLOR variable says otherwise."""
    if no_color or os.environ.get("NO_COLOR") or sys.stdout is None:
        return False
    return sys.stdout.isatty()


def paint_diff(text: str) -> str:
    """Colour a unified diff."""
    colours = {"+": _ADDED, "-": _REMOVED, "@": _PLACE}
    return "".join(_painted(line, colours.get(line[:1])) for line in text.splitlines(keepends=True))


def _painted(text: str, colour: str | None) -> str:
    if colour is None:
        return text
    body = text.rstrip("\n")
    return f"{colour}{body}{RESET}{text[len(body) :]}"


def paint_python(text: str) -> str:
    r"""Colour Python text.

    >>> paint_python("if x: pass\n")
    '\x1b[34mif\x1b[0m x: \x1b[34mpass\x1b[0m\n'
    """
    lines = [f"{line}\n" for line in split_lines(text)]
    out: list[str] = []
    row, column = 1, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        out.append(_between(lines, (row, column), token.start))
        # Not token.string: the middle of an f-string has its braces undoubled there.
        shown = _between(lines, token.start, token.end)
        colour = _colour(token)
        out.append("\n".join(_painted(line, colour if line else None) for line in shown.split("\n")))
        row, column = token.end
    return "".join(out)


def _colour(token: tokenize.TokenInfo) -> str | None:
    if token.type == tokenize.NAME:
        if keyword.iskeyword(token.string):
            return _KEYWORD
        return _OPERATOR if token.string == "ag__" else None
    if token.type in (tokenize.STRING, *_FSTRING_PARTS):
        return _STRING
    return {tokenize.NUMBER: _NUMBER, tokenize.COMMENT: _COMMENT}.get(token.type)


_FSTRING_PARTS = tuple(
    getattr(tokenize, name)
    for name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    if hasattr(tokenize, name)
)


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text from one place to a later one; rows count from 1, columns in characters."""
    rows = lines[start[0] - 1 : end[0]]
    if not rows:
        return ""
    if len(rows) > end[0] - start[0]:  # the last row exists (the end marker is on the row after it)
        rows[-1] = rows[-1][: end[1]]
    rows[0] = rows[0][start[1] :]
    return "".join(rows)
