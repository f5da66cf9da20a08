"""Lines of the text form as tokens, with the place of each for error messages.

>>> [token.text for token in tokenize("y: f64[None,3] = multiply(x, 2.0)  # 3", 1)]
['y', ':', 'f64', '[', 'None', ',', '3', ']', '=', 'multiply', '(', 'x', ',', '2.0', ')', '# 3', '']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn


class ParseError(ValueError):
    """The text is not that of a graph; says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # name function number string object comment mark end
    text: str
    line: int
    column: int


_TOKEN = re.compile(
    r"""
    (?P<space>[ ]+)
  | (?P<comment>\#.*)
  | (?P<object><object\ \d+[^>]*>)
  | (?P<string>[bf]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
  | (?P<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?)
  | (?P<function>@\w+(?:\.\d+)?)
  | (?P<name>[^\W\d]\w*(?:\.\w+)*)
  | (?P<angled><\w+>(?:\.[\w<>]+)*)
  | (?P<mark>->|\.\.\.|[-()\[\]{},:=|])
    """,
    re.VERBOSE,
)


def tokenize(line: str, number: int) -> list[Token]:
    """The tokens of one line, an end token last."""
    tokens: list[Token] = []
    position = 0
    while position < len(line):
        match = _TOKEN.match(line, position)
        if match is None:
            refuse(f"{line[position]!r} has no meaning here", number, position)
        kind = str(match.lastgroup)
        if kind != "space":
            tokens.append(Token(kind, match.group(), number, position))
        position = match.end()
    tokens.append(Token("end", "", number, len(line)))
    return tokens


def refuse(message: str, line: int, column: int) -> NoReturn:
    raise ParseError(f"line {line}, column {column + 1}: {message}")


class Cursor:
    """The tokens of one line, read from left to right."""

    def __init__(self, tokens: list[Token]) -> None:
        self.comment = next((t for t in tokens if t.kind == "comment"), None)
        self.tokens = [t for t in tokens if t.kind != "comment"]
        self.position = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def peek(self, distance: int = 1) -> Token:
        return self.tokens[min(self.position + distance, len(self.tokens) - 1)]

    def at(self, *texts: str) -> bool:
        return self.token.text in texts and self.token.kind in ("name", "mark", "end")

    def next(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.position += 1
        return token

    def accept(self, text: str) -> bool:
        if not self.at(text):
            return False
        self.next()
        return True

    def expect(self, text: str) -> Token:
        if not self.at(text):
            self.fail(f"expected {text!r}" if text else "expected the end of the line")
        return self.next()

    def expect_kind(self, kind: str, what: str) -> Token:
        if self.token.kind != kind:
            self.fail(f"expected {what}")
        return self.next()

    def fail(self, message: str) -> NoReturn:
        found = repr(self.token.text) if self.token.kind != "end" else "the end of the line"
        refuse(f"{message}, found {found}", self.token.line, self.token.column)


class Line:
    """A line: its depth in columns and its tokens."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.indent = len(text) - len(text.lstrip(" "))
        self.cursor = Cursor(tokenize(text, number))
