"""The text that the user wrote: its lines, its statements by place, pieces of it moved elsewhere."""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Any

from autograph.lines import split_lines

Place = tuple[int, int]  # line from 1, column in bytes of UTF-8 from 0
COMPOUND = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)
_NO_CODE = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
)


@dataclass(slots=True)
class Statement:
    """A statement or a clause (`else:`, `except ...:`, `case ...:`) of the original."""

    node: Any
    key: Place
    start: Place
    """Where its text begins: at its decorators."""
    end: Place
    parent: Statement | None
    clause: str = ""
    """"else", "finally", "except" or "case" where this is a clause; its blocks then count as its own."""
    last_line: int = 0
    """The last line with a comment that belongs to its last statements, or the line of `end`."""
    children: list[Statement] = field(default_factory=list, repr=False)


class Original:
    """A program with its tokens."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.lines = split_lines(text)
        self._bytes = [line.encode("utf-8", "surrogatepass") for line in self.lines]
        self.tokens = list(tokenize.generate_tokens(io.StringIO("\n".join(self.lines) + "\n").readline))
        self.inside_strings = self._lines_inside_strings()
        self.statements: dict[Place, Statement] = {}
        self.clauses: dict[tuple[str, Place], Statement] = {}
        """Clauses by kind and the place of what they belong to: handler, pattern, or (else) statement."""
        self._by_start: dict[Place, Statement] = {}
        self.starts: list[Place] = []
        """Where statements begin, sorted."""
        self._clause_of_first: dict[Place, Statement] = {}
        self._code = [token for token in self.tokens if token.type not in _NO_CODE]
        self._code_starts = [self._start_of(token) for token in self._code]
        self.body = self._block(tree.body, None)
        self.starts.sort()

    # Statements

    def _block(self, statements: list[ast.stmt], parent: Statement | None) -> list[Statement]:
        return [self._statement(statement, parent) for statement in statements]

    def _statement(self, node: Any, parent: Statement | None) -> Statement:
        key = (node.lineno, node.col_offset)
        decorators = getattr(node, "decorator_list", None)
        start = self._at_sign(decorators[0], node) if decorators else key
        made = Statement(node, key, start, (node.end_lineno, node.end_col_offset), parent)
        made.last_line = made.end[0]
        self.statements[key] = made
        self.starts.append(start)
        self._by_start[start] = made
        if isinstance(node, COMPOUND) and not isinstance(node, ast.Match):
            made.children = self._block(node.body, made)
        for handler in getattr(node, "handlers", ()):
            self._clause("except", handler, (handler.lineno, handler.col_offset), handler.body, made)
        for case in getattr(node, "cases", ()):
            self._clause("case", case, (case.pattern.lineno, case.pattern.col_offset), case.body, made)
        if isinstance(node, COMPOUND):
            self._clause("else", node, key, getattr(node, "orelse", []), made)
            self._clause("finally", node, key, getattr(node, "finalbody", []), made)
        return made

    def _clause(self, kind: str, node: Any, key: Place, block: list[ast.stmt], parent: Statement) -> None:
        if not block:
            return
        made = Statement(
            node, key, key, (block[-1].end_lineno or 0, block[-1].end_col_offset or 0), parent, kind
        )
        made.children = self._block(block, made)
        first = made.children[0]
        if kind == "else" and self.text_at(first.key, 4) == "elif":
            first.parent = parent
            parent.children.append(first)
            return
        made.start = made.key if kind == "except" else first.start
        made.last_line = made.end[0]
        self.clauses[kind, key] = made
        self._clause_of_first[first.start] = made
        parent.children.append(made)

    def _at_sign(self, decorator: ast.expr, node: Any) -> Place:
        return decorator.lineno, node.col_offset

    def next_start(self, place: Place) -> Place | None:
        """Where the first statement behind `place` begins."""
        position = bisect_right(self.starts, place)
        return self.starts[position] if position < len(self.starts) else None

    def by_start(self, place: Place) -> Statement | None:
        """The statement whose text, decorators included, begins there; the handler, too."""
        return self._by_start.get(place)

    def clause_before(self, first: Place | None) -> Statement | None:
        """The clause whose block begins with the statement there."""
        return self._clause_of_first.get(first) if first is not None else None

    def innermost(self, place: Place) -> Statement | None:
        """The innermost statement whose text holds `place`."""
        found, level = None, self.body
        while True:
            inner = next((s for s in _near(level, place) if s.start <= place < s.end), None)
            if inner is None:
                return found
            found, level = inner, inner.children

    def colon_of(self, statement: Statement) -> Place:
        """Behind the colon that ends the header of a compound statement, or of a clause."""
        first = statement.children[0]
        position = bisect_left(self._code_starts, first.start)
        if first.clause == "case":  # a match statement: from the pattern back over the word `case`
            while self._code[position].start[0] >= self._line_of_case(first):
                position -= 1
            position += 1
        row, column = self._code[position - 1].end
        return row, self.byte_column(row, column)

    def _line_of_case(self, case: Statement) -> int:
        """The line of the word `case`: the pattern may stand on a later one, in parentheses."""
        position = bisect_left(self._code_starts, case.key)
        while self._code[position].string != "case" or not self._begins_line(position):
            position -= 1
        return self._code[position].start[0]

    def _begins_line(self, position: int) -> bool:
        row, column = self._code[position].start
        return not self.lines[row - 1][:column].strip()

    def _start_of(self, token: tokenize.TokenInfo) -> Place:
        return token.start[0], self.byte_column(*token.start)

    # Text

    def byte_column(self, row: int, column: int) -> int:
        """A column in characters, as tokens have it, in bytes."""
        line = self.lines[row - 1] if row <= len(self.lines) else ""
        return column if line.isascii() else len(line[:column].encode("utf-8", "surrogatepass"))

    def text_at(self, place: Place, length: int) -> str:
        """The next characters."""
        return self._bytes[place[0] - 1][place[1] : place[1] + length].decode("utf-8", "replace")

    def indentation(self, place: Place) -> str:
        """The white space before the first thing on the line."""
        line = self.lines[place[0] - 1]
        return line[: len(line) - len(line.lstrip(" \t\f"))]

    def cut(self, start: Place, end: Place) -> list[str]:
        """The text between two places, as lines."""
        rows = self._bytes[start[0] - 1 : end[0]]
        if len(rows) > end[0] - start[0]:
            rows[-1] = rows[-1][: end[1]]
        rows[0] = rows[0][start[1] :]
        return [row.decode("utf-8", "surrogatepass") for row in rows]

    def moved(self, rows: list[str], first_line: int, before: str, after: str) -> list[str]:
        """Lines of the original with other indentation; what stands inside strings stays where it is."""
        if before == after:
            return rows
        made = []
        for number, row in enumerate(rows, first_line):
            if number in self.inside_strings:
                made.append(row)
            elif row.startswith(before):
                made.append(after + row[len(before) :] if row.strip() else "")
            else:
                made.append(after + row.lstrip() if row.strip() else "")
        return made

    def blank_lines_above(self, line: int) -> list[str]:
        """The empty lines right above a line."""
        first = line
        while first > 1 and not self.lines[first - 2].strip() and first - 1 not in self.inside_strings:
            first -= 1
        return self.lines[first - 1 : line - 1]

    def _lines_inside_strings(self) -> set[int]:
        """The lines that begin inside a string."""
        found: set[int] = set()
        begun: list[int] = []
        start = getattr(tokenize, "FSTRING_START", -1)
        end = getattr(tokenize, "FSTRING_END", -1)
        for token in self.tokens:
            if token.type == tokenize.STRING:
                found.update(range(token.start[0] + 1, token.end[0] + 1))
            elif token.type == start:
                begun.append(token.start[0])
            elif token.type == end:
                found.update(range(begun.pop() + 1, token.end[0] + 1))
        return found


def _near(level: list[Statement], place: Place) -> list[Statement]:
    """The statements of a block that may hold the place: the last ones that begin before it."""
    position = bisect_right(level, place, key=lambda s: s.start)
    return level[max(position - 1, 0) : position]
