"""The comments of a program, each with the statement that it belongs to.

>>> import ast
>>> text = "# about x\\nx = 1  # one\\nif x:  # always\\n    pass\\n    # done\\n"
>>> comments = Comments(Original(text, ast.parse(text)))
>>> [c.text for c in comments.leading[1 + 1, 0]], [c.text for c in comments.trailing[2, 0]]
(['# about x'], ['# one'])
>>> [c.text for c in comments.trailing[3, 0]], [c.text for c in comments.after[4, 4]]
(['# always'], ['# done'])
"""

from __future__ import annotations

import tokenize
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from autograph.printing.original import Original, Place, Statement

_LAYOUT = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})
Key = tuple[Any, ...]  # the place of a statement, or the kind and place of a clause


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment, at its place in the original (columns in bytes)."""

    text: str
    place: Place


class Comments:
    """Where each comment belongs.

    `leading`: on lines of their own before a statement; `trailing`: at the end of its last line, or of its
    header's; `inside`: between its brackets; `after`: on lines of their own behind the last one of a block.
    """

    def __init__(self, original: Original) -> None:
        self.original = original
        self.leading: dict[Key, list[Comment]] = defaultdict(list)
        self.trailing: dict[Key, list[Comment]] = defaultdict(list)
        self.inside: dict[Key, list[Comment]] = defaultdict(list)
        self.after: dict[Key, list[Comment]] = defaultdict(list)
        self.places: list[Place] = []
        """Of all comments."""
        self.last: list[Comment] = []
        """Those of a program without statements behind them, or without any."""
        self._attach()

    def _attach(self) -> None:
        depth = 0
        before: tokenize.TokenInfo | None = None
        tokens = self.original.tokens
        for position, token in enumerate(tokens):
            if token.type == tokenize.COMMENT:
                following = self._next_code(position)
                self._place(token, before, following, depth)
            elif token.type not in _LAYOUT:
                before = token
                if token.type == tokenize.OP:
                    depth += (token.string in "([{") - (token.string in ")]}")

    def _next_code(self, position: int) -> tokenize.TokenInfo:
        tokens = self.original.tokens
        while tokens[position].type in _LAYOUT or tokens[position].type == tokenize.COMMENT:
            position += 1
        return tokens[position]

    def _place(self, token: Any, before: Any, following: Any, depth: int) -> None:
        original = self.original
        row, column = token.start[0], original.byte_column(*token.start)
        comment = Comment(token.string, (row, column))
        self.places.append(comment.place)
        if depth:
            owner = original.innermost((row, column))
            self.inside[key_of(owner)].append(comment) if owner else self.last.append(comment)
        elif original.lines[row - 1][: token.start[1]].strip():
            self._at_end_of_line(comment, before)
        else:
            self._on_its_own(comment, before, following)

    def _at_end_of_line(self, comment: Comment, before: Any) -> None:
        original = self.original
        place = (before.start[0], original.byte_column(*before.start))
        owner = original.innermost(place)
        if owner is None:
            self.last.append(comment)
            return
        clause = original.clause_before(original.next_start(place))
        if before.string == ":" and clause is not None and clause.parent is not None:
            if clause.parent is owner or clause is owner:
                owner = clause
        is_above = owner.start[0] <= comment.place[0] < owner.key[0]  # at the end of a decorator's line
        (self.inside if is_above else self.trailing)[key_of(owner)].append(comment)

    def _on_its_own(self, comment: Comment, before: Any, following: Any) -> None:
        original = self.original
        place = (following.start[0], original.byte_column(*following.start))
        at_end = following.type == tokenize.ENDMARKER
        around = original.innermost(comment.place)
        if around is not None and around.start <= comment.place < around.key:  # between decorators
            self.inside[key_of(around)].append(comment)
            return
        if before is not None:
            previous = original.innermost((before.start[0], original.byte_column(*before.start)))
            deeper = comment.place[1] > (-1 if at_end else place[1])
            while previous is not None and (
                previous.clause or _column(original, previous) > comment.place[1]
            ):
                previous = previous.parent
            if deeper and previous is not None:
                self.after[key_of(previous)].append(comment)
                self._extend(previous, comment.place[0])
                return
        following_statement = None if at_end else self._statement_at(place)
        if following_statement is None:
            self.last.append(comment)
        else:
            self.leading[key_of(following_statement)].append(comment)

    @staticmethod
    def _extend(statement: Statement, line: int) -> None:
        """The blocks around end no earlier than this comment."""
        outer = statement.parent
        while outer is not None:
            outer.last_line = max(outer.last_line, line)
            outer = outer.parent

    def _statement_at(self, place: Place) -> Statement | None:
        """The statement or clause that begins there."""
        original = self.original
        found = original.by_start(place)
        if found is not None:
            return found
        return original.clause_before(original.next_start(place))


def key_of(statement: Statement) -> Key:
    """What tells a statement or a clause from all others."""
    return (statement.clause, *statement.key) if statement.clause else statement.key


def _column(original: Original, statement: Statement) -> int:
    return len(original.indentation(statement.start))
