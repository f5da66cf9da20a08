"""Print one simple statement or one header, with the expressions that did not change as the user wrote them.

Such expressions are replaced by names before `ast.unparse` prints, and their text is put back in.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from autograph.printing.fingerprints import BLOCK_FIELDS, Unchanged
from autograph.printing.original import Original, Place

_SLOT = re.compile(r"ag__slot(\d+)__")
_NEVER_ALONE = (ast.Tuple, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Starred, ast.GeneratorExp, ast.Slice)
# Where an expression stands that needs no parentheses, whatever it is (but for those above).
_FREE_FIELDS: dict[type, frozenset[str]] = {
    ast.Call: frozenset({"args"}),
    ast.keyword: frozenset({"value"}),
    ast.Assign: frozenset({"value"}),
    ast.AugAssign: frozenset({"value"}),
    ast.AnnAssign: frozenset({"value", "annotation"}),
    ast.Return: frozenset({"value"}),
    ast.Expr: frozenset({"value"}),
    ast.If: frozenset({"test"}),
    ast.While: frozenset({"test"}),
    ast.Lambda: frozenset({"body"}),
    ast.Tuple: frozenset({"elts"}),
    ast.List: frozenset({"elts"}),
    ast.Set: frozenset({"elts"}),
    ast.Subscript: frozenset({"slice"}),
    ast.arguments: frozenset({"defaults", "kw_defaults"}),
    ast.arg: frozenset({"annotation"}),
    ast.FunctionDef: frozenset({"returns", "decorator_list"}),
    ast.AsyncFunctionDef: frozenset({"returns", "decorator_list"}),
    ast.ClassDef: frozenset({"bases", "decorator_list"}),
}
_IN_BRACKETS = (ast.Call, ast.keyword, ast.List, ast.Set, ast.arguments, ast.arg)


class ExpressionPrinter:
    """Prints for one program."""

    def __init__(self, original: Original, unchanged: Unchanged) -> None:
        self.original = original
        self.unchanged = unchanged
        self.shown: list[tuple[Place, Place]] = []
        """Parts of the original that the last text printed holds, comments in them included."""
        self._slots: list[str] = []

    def lines(self, node: ast.AST, before: str, after: str) -> list[str]:
        """The lines of a statement; of a compound one, those of its header.

        `before` is the indentation that the statement has in the original, `after` what it is to have.
        """
        self.shown, self._slots = [], []
        self._before, self._after = before, after
        copy = self._copied(node, in_brackets=False)
        compound = bool(getattr(node, "body", None)) and not isinstance(node, ast.Lambda)
        if isinstance(node, ast.Match):
            copy.cases = [ast.match_case(ast.MatchAs(None, None), None, [ast.Pass()])]
        if isinstance(node, ast.Try | ast.TryStar):
            copy.finalbody = [ast.Pass()]
        rows = ast.unparse(ast.fix_missing_locations(copy)).split("\n")
        if compound or isinstance(node, ast.Match):
            rows = rows[: -3 if isinstance(node, ast.Try | ast.TryStar) else -1]
            rows = rows[:-1] if isinstance(node, ast.Match) else rows
        text = "\n".join(self._after + row for row in rows if row)
        return _SLOT.sub(lambda match: self._slots[int(match[1])], text).split("\n")

    def _copied(self, node: Any, in_brackets: bool) -> Any:
        """The tree with names in place of unchanged expressions, and without its blocks."""
        fields: dict[str, Any] = {}
        for field in node._fields:
            value = getattr(node, field, None)
            if field in BLOCK_FIELDS and not isinstance(node, (ast.Lambda, ast.IfExp)):
                value = [ast.Pass()] if field == "body" else []
            else:
                free = field in _FREE_FIELDS.get(type(node), ())
                inside = in_brackets if not isinstance(node, _IN_BRACKETS) else True
                value = self._field(node, value, free, inside)
            fields[field] = value
        fields.update({name: getattr(node, name) for name in node._attributes if hasattr(node, name)})
        return type(node)(**fields)

    def _field(self, owner: Any, value: Any, free: bool, in_brackets: bool) -> Any:
        if isinstance(value, list):
            return [self._field(owner, item, free, in_brackets) for item in value]
        if not isinstance(value, ast.AST):
            return value
        if isinstance(value, ast.JoinedStr) and not self._may_slot(value, owner, free):
            return value  # what stands in an f-string is not to be touched
        if isinstance(value, ast.expr) and self._may_slot(value, owner, free):
            slot = self._slot(value, in_brackets)
            if slot is not None:
                return slot
        return self._copied(value, in_brackets) if not isinstance(value, ast.JoinedStr) else value

    def _may_slot(self, node: Any, owner: Any, free: bool) -> bool:
        if isinstance(owner, (ast.Attribute, ast.FormattedValue, ast.JoinedStr)):
            return False
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (str, bytes, int, float, complex)) and node.value not in (
                True,
                False,
            )
        return free and not isinstance(node, (*_NEVER_ALONE, ast.Name))

    def _slot(self, node: Any, in_brackets: bool) -> ast.Name | None:
        if not self.unchanged(node):
            return None
        start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        rows = self.original.cut(start, end)
        if not self._is_text_of(node, "\n".join(rows)):
            return None
        if len(rows) > 1:
            first, *rest = rows
            rows = [first, *self.original.moved(rest, start[0] + 1, self._before, self._after)]
            if not in_brackets and not _stands_alone("\n".join(rows)):
                rows[0], rows[-1] = "(" + rows[0], rows[-1] + ")"
        self.shown.append((start, end))
        self._slots.append("\n".join(rows))
        return ast.Name(f"ag__slot{len(self._slots) - 1}__", ast.Load())

    def _is_text_of(self, node: ast.AST, text: str) -> bool:
        """Is this the whole of the expression? Parts of f-strings have places that say otherwise."""
        if not isinstance(node, ast.Constant):
            return True
        if text == repr(node.value):  # as it is printed anyway
            return False
        try:
            parsed = ast.parse(f"({text}\n)", mode="eval").body
        except (ValueError, SyntaxError):
            return False
        if not isinstance(parsed, ast.Constant):
            return False
        return type(parsed.value) is type(node.value) and parsed.value == node.value


def _stands_alone(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True
