"""Lay out a converted module: unchanged statements as they stood, others printed, comments beside them."""

from __future__ import annotations

import ast
import re
import tokenize
from typing import Any

import gast

from autograph.errors import ConversionError, error_at_node
from autograph.printing.carriers import Carriers, is_operators_import
from autograph.printing.comments import Comment, Comments, Key, key_of
from autograph.printing.expressions import ExpressionPrinter
from autograph.printing.fingerprints import Unchanged
from autograph.printing.original import COMPOUND, Original, Place, Statement

_CODING = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)([-\w.]+)")


def module_text(tree: gast.Module, parsed: ast.Module, text: str) -> str:
    """The text of `tree`, which was converted from `parsed`, the tree of `text`."""
    converted = gast.gast_to_ast(tree)
    layout = _Layout(Original(text, parsed), parsed, converted)
    layout.carriers.rehome(layout.comments)
    return layout.text()


def part_text(kept: list[ast.stmt], parsed: ast.Module, text: str) -> str:
    """The text of some statements of the module `parsed`, each with its comments."""
    layout = _Layout(Original(text, parsed), parsed, ast.Module(kept, []))
    layout.comments.last.clear()
    return layout.text().lstrip("\n")


class _Layout:
    def __init__(self, original: Original, parsed: ast.Module, converted: ast.Module) -> None:
        self.original = original
        self.converted = converted
        self.unchanged = Unchanged(parsed, converted)
        self.comments = Comments(original)
        self.carriers = Carriers(original, converted)
        self.expressions = ExpressionPrinter(original, self.unchanged)
        self.unit = _unit(original)
        self._told: set[Place] = set()

    def text(self) -> str:
        """The whole module."""
        rows: list[str] = []
        body = self.converted.body
        position = 0
        while position < len(body):
            count = 1
            if is_operators_import(body[position]):
                rows = self._import(body, position, rows)
            else:
                count = self._on_one_line(body, position)
                rows += self._verified(body, position, count)
            position += count
        for comment in self.comments.last:
            rows += [*self.original.blank_lines_above(comment.place[0]), comment.text]
        return "".join(f"{row}\n" for row in rows)

    def _import(self, body: list[ast.stmt], position: int, rows: list[str]) -> list[str]:
        """`import autograph.operators as ag__`, below the comments that are about the whole file."""
        following = body[position + 1] if position + 1 < len(body) else None
        key = None if following is None else self.carriers.key_of(following)
        known = self.original.statements.get(key) if key is not None else None
        after: list[str] = []
        if known is not None and key is not None:
            leading = self.comments.leading[key]
            count = _of_the_file(leading, known.start[0]) if position == 0 else 0
            self.comments.leading[key] = leading[count:]
            rows = rows + self._on_own_lines(leading[:count], "", True)
            first = leading[count].place[0] if leading[count:] else known.start[0]
            if not self.original.blank_lines_above(first) and not isinstance(
                following, ast.Import | ast.ImportFrom
            ):
                after = ["", ""] if isinstance(following, COMPOUND) else [""]
        if rows and isinstance(body[position - 1], ast.Expr):
            rows = [*rows, ""]
        return [*rows, *ast.unparse(body[position]).split("\n"), *after]

    def _verified(self, body: list[ast.stmt], position: int, count: int) -> list[str]:
        """The rows of statements of the module, if they say what their trees say."""
        statements = body[position : position + count]
        told_before = set(self._told)
        rows = self._statement(body, position, "", True)
        prints = self.unchanged.prints
        wanted = [prints.of(node) for node in statements]
        if self._says(rows, wanted):
            return rows
        told = [self.original.lines[place[0] - 1][place[1] :] for place in sorted(self._told - told_before)]
        rows = [*told, *(row for statement in statements for row in printed_plainly(statement))]
        if not self._says(rows, wanted):
            raise error_at_node(
                ConversionError,
                "the converted text would be nested more deeply than Python reads text: 100 levels of "
                "indentation, 200 of parentheses",
                statements[0],
                hint="split the function, or use autograph.convert in the program, which needs no text",
            )
        return rows

    def _says(self, rows: list[str], wanted: list[int]) -> bool:
        """Is this the text of statements with these fingerprints?"""
        try:
            read = ast.parse("\n".join(rows) + "\n")
        except (SyntaxError, MemoryError):
            return False
        return [self.unchanged.prints.of(node) for node in read.body] == wanted

    # Statements

    def _block(self, body: list[ast.stmt], indent: str, keeps_blank_lines: bool) -> list[str]:
        rows: list[str] = []
        position = 0
        while position < len(body):
            rows += self._statement(body, position, indent, bool(rows) or keeps_blank_lines)
            position += self._on_one_line(body, position)
        return rows

    def _on_one_line(self, body: list[ast.stmt], position: int) -> int:
        """How many unchanged statements, `x = 1; y = 2`, share the lines of this one, itself included."""
        count = 1
        while self._stands_as_it_was(body[position + count - 1]) and position + count < len(body):
            this, following = body[position + count - 1 : position + count + 1]
            if this.end_lineno != following.lineno or not self._stands_as_it_was(following):
                break
            count += 1
        return count

    def _statement(self, body: list[ast.stmt], position: int, indent: str, blank_lines: bool) -> list[str]:
        statement = body[position]
        key = self.carriers.key_of(statement)
        leads = key is not None and self.carriers.is_first(statement)
        ends = key is not None and self.carriers.is_last(statement)
        rows: list[str] = []
        if leads and key is not None:
            rows += self._leading(key, indent, blank_lines)
        if position and self.carriers.is_generated(statement) and (not rows or rows[0]):
            rows.insert(0, "")
        if key is not None and self._stands_as_it_was(statement):
            last = body[position + self._on_one_line(body, position) - 1]
            rows += self._verbatim(self._known(statement), self._known(last), indent)
        else:
            rows += self._printed(statement, key, indent, leads, ends)
        if ends and key is not None:
            rows += self._on_own_lines(self.comments.after[key], indent, True)
        return rows

    def _known(self, statement: ast.stmt) -> Statement:
        return self.original.statements[statement.lineno, statement.col_offset]

    def _stands_as_it_was(self, statement: ast.stmt) -> bool:
        return (
            self.carriers.key_of(statement) is not None
            and self.carriers.is_only(statement)
            and self.unchanged(statement)
        )

    def _leading(self, key: Key, indent: str, blank_lines: bool) -> list[str]:
        """Empty lines and comments before a statement."""
        rows = self._on_own_lines(self.comments.leading[key], indent, blank_lines)
        known = self.original.statements.get(key) if len(key) == 2 else None
        if known is not None and (rows or blank_lines):
            rows += self.original.blank_lines_above(known.start[0])
        return rows

    def _on_own_lines(self, comments: list[Comment], indent: str, blank_lines: bool) -> list[str]:
        rows: list[str] = []
        for comment in self._not_yet_told(comments):
            line = comment.place[0]
            is_alone = not self.original.lines[line - 1][: comment.place[1]].strip()
            if is_alone and (rows or blank_lines):
                rows += self.original.blank_lines_above(line)
            rows.append(indent + _utf8_cookie(comment))
        return rows

    def _verbatim(self, statement: Statement, last: Statement, indent: str) -> list[str]:
        """The statement as it stands in the original, up to `last` on its line, and the comment there."""
        original = self.original
        (line, column), end = statement.start, last.end
        if last.last_line > end[0]:
            end = (last.last_line, len(original.lines[last.last_line - 1].encode()))
        rows = original.cut((line, column), end)
        if rows[0].startswith("elif") and isinstance(statement.node, ast.If):
            rows[0] = rows[0][2:]
        before = original.indentation(statement.start)
        first, *rest = rows
        rows = [indent + first, *original.moved(rest, line + 1, before, indent)]
        if end == last.end:
            while last.children:  # the comment may belong to the last statement in this one
                last = last.children[-1]
            at_end = [c for c in self.comments.trailing[key_of(last)] if c.place[0] == last.end[0]]
            rows = self._ended(rows, at_end, indent)
        return rows

    def _ended(self, rows: list[str], comments: list[Comment], indent: str) -> list[str]:
        """The rows with a comment at their end; where there are several, the others go above."""
        told = self._not_yet_told(comments)
        if not told:
            return rows
        *above, last = told
        return [*(indent + c.text for c in above), *rows[:-1], rows[-1] + self._with_space(last)]

    def _not_yet_told(self, comments: list[Comment]) -> list[Comment]:
        """A pass may have copied the place that a comment belongs to: it is told once."""
        found = [comment for comment in comments if comment.place not in self._told]
        self._told.update(comment.place for comment in found)
        return found

    def _with_space(self, comment: Comment) -> str:
        """The comment and the white space before it."""
        before = self.original.cut((comment.place[0], 0), comment.place)[0]
        space = before[len(before.rstrip()) :]
        return (space if before.strip() and space else "  ") + comment.text

    # Statements that are printed

    def _printed(self, statement: Any, key: Key | None, indent: str, leads: bool, ends: bool) -> list[str]:
        known = self.original.statements.get(key) if key is not None and len(key) == 2 else None
        before = self.original.indentation(known.start) if known is not None else indent
        is_compound = isinstance(statement, COMPOUND)
        if is_compound and known is not None and type(known.node) is type(statement) and leads and ends:
            return self._compound(statement, known, indent)
        rows = self._lines(statement, before, indent)
        if ends and key is not None:
            rows = self._comments_inside(key, indent) + rows
            rows = self._ended(rows, self.comments.trailing[key], indent)
        if not is_compound:
            return rows
        clause = self.carriers.clause_of(statement)
        if clause is not None:
            above = self._on_own_lines(self.comments.leading[clause], indent, False)
            rows = above + self._ended(rows, self.comments.trailing[clause], indent)
        return rows + self._blocks(statement, indent, indent + self.unit, False)

    def _lines(self, statement: ast.stmt, before: str, indent: str) -> list[str]:
        """The printed statement; comments in the expressions that it shows as they stood are told by that."""
        rows = self.expressions.lines(statement, before, indent)
        for start, end in self.expressions.shown:
            if start[0] != end[0]:
                self._told.update(place for place in self.comments.places if start <= place < end)
        return rows

    def _comments_inside(self, key: Key, indent: str) -> list[str]:
        """Comments between the brackets of a statement that are not part of what was printed."""
        return [indent + comment.text for comment in self._not_yet_told(self.comments.inside[key])]

    def _compound(self, statement: Any, known: Statement, indent: str) -> list[str]:
        """A compound statement that is still there: its header, its blocks."""
        original = self.original
        before = original.indentation(known.start)
        if self.unchanged.header(statement) and not isinstance(statement, ast.Try | ast.TryStar):
            rows = original.cut(known.start, original.colon_of(known))
            if rows[0].startswith("elif"):
                rows[0] = rows[0][2:]
            rows = [indent + rows[0], *original.moved(rows[1:], known.start[0] + 1, before, indent)]
        else:
            rows = self._lines(statement, before, indent)
            rows = self._comments_inside(known.key, indent) + rows
        rows = self._ended(rows, self.comments.trailing[known.key], indent)
        inner = indent + self._unit_of(known)
        return rows + self._blocks(statement, indent, inner, True)

    def _unit_of(self, statement: Statement) -> str:
        """How far the block of a compound statement was indented."""
        own = self.original.indentation(statement.start)
        inner = self.original.indentation(statement.children[0].start)
        return inner[len(own) :] if inner.startswith(own) and len(inner) > len(own) else self.unit

    def _blocks(self, statement: Any, indent: str, inner: str, keeps: bool) -> list[str]:
        key = (statement.lineno, statement.col_offset)
        if isinstance(statement, ast.Match):
            return self._cases(statement, indent + self.unit)
        rows = self._block(statement.body, inner, keeps)
        for handler in getattr(statement, "handlers", ()):
            place = ("except", handler.lineno, handler.col_offset)
            header = self._handler_header(type(statement), handler, indent)
            rows += self._clause(place, header, handler.body, indent, inner)
        for word, field in (("else", "orelse"), ("finally", "finalbody")):
            block = getattr(statement, field, None)
            if not block:
                continue
            if word == "else" and self._is_elif(statement, block):
                rows += self._elif(block[0], indent)
            else:
                rows += self._clause((word, *key), [f"{indent}{word}:"], block, indent, inner)
        return rows

    def _is_elif(self, statement: Any, block: list[ast.stmt]) -> bool:
        if not (isinstance(statement, ast.If) and len(block) == 1 and isinstance(block[0], ast.If)):
            return False
        place = (block[0].lineno, block[0].col_offset)
        return ("else", (statement.lineno, statement.col_offset)) not in self.original.clauses or (
            place not in self.original.statements
        )

    def _elif(self, statement: ast.stmt, indent: str) -> list[str]:
        rows = self._statement([statement], 0, indent, False)
        for number, row in enumerate(rows):
            if row.startswith(f"{indent}if") and not row[len(indent) + 2].isidentifier():
                rows[number] = f"{indent}el{row[len(indent) :]}"
                break
        return rows

    def _clause(
        self, key: Key, header: list[str], block: list[ast.stmt], indent: str, inner: str
    ) -> list[str]:
        rows = self._on_own_lines(self.comments.leading[key], indent, True)
        rows += self._ended(header, self.comments.trailing[key], indent)
        return rows + self._block(block, inner, True)

    def _handler_header(self, kind: Any, handler: ast.ExceptHandler, indent: str) -> list[str]:
        copy = kind([ast.Pass()], [ast.ExceptHandler(handler.type, handler.name, [ast.Pass()])], [], [])
        text = ast.unparse(ast.fix_missing_locations(copy)).split("\n")[2]
        return [indent + text]

    def _cases(self, statement: ast.Match, indent: str) -> list[str]:
        rows: list[str] = []
        for case in statement.cases:
            key = ("case", case.pattern.lineno, case.pattern.col_offset)
            alone = ast.Match(ast.Name("x"), [ast.match_case(case.pattern, case.guard, [ast.Pass()])])
            text = ast.unparse(ast.fix_missing_locations(alone)).split("\n")[1].strip()
            rows += self._clause(key, [indent + text], case.body, indent, indent + self.unit)
        return rows


def _of_the_file(comments: list[Comment], line: int) -> int:
    """How many of the comments above the first statement are about the file, and not about the statement."""
    lines = [comment.place[0] for comment in comments] + [line]
    gaps = [number for number in range(len(comments)) if lines[number + 1] > lines[number] + 1]
    special = [
        n for n, c in enumerate(comments) if c.place[0] <= 2 and (c.text[:2] == "#!" or _CODING.match(c.text))
    ]
    return max([*gaps, *special], default=-1) + 1


def printed_plainly(statement: ast.stmt) -> list[str]:
    """The text of a statement without comments: for what could not be laid out."""
    return ast.unparse(statement).split("\n")


def _unit(original: Original) -> str:
    """How the program indents: the first indentation there is."""
    return next((token.string for token in original.tokens if token.type == tokenize.INDENT), "    ")


def _utf8_cookie(comment: Comment) -> str:
    """The text is written as UTF-8, whatever the original was."""
    if comment.place[0] > 2:
        return comment.text
    match = _CODING.match(comment.text)
    if match is None or match[2].lower().replace("_", "-") in ("utf-8", "utf8"):
        return comment.text
    return f"{match[1]}utf-8{comment.text[match.end() :]}"
