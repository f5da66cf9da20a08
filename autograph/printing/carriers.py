"""Which statements of the converted program stand for which of the original: where its comments go.

A statement may become several: closures and the call that takes them. The first one gets the comments above,
the last one the comment at the end of the line. What has become of a statement stands at its place (lines and
columns), but so do things that passes put around it: the innermost ones are meant.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import Any

from autograph.printing.comments import Comment, Comments, Key, key_of
from autograph.printing.original import COMPOUND, Original, Statement

_CLAUSES = {"else_body": "else", "finally_body": "finally"}
_STATE_FUNCTIONS = ("get_state", "set_state", "loop_test")


class Carriers:
    """The groups of statements that stand for one of the original."""

    def __init__(self, original: Original, converted: ast.Module) -> None:
        self.original = original
        self._keys: dict[int, Key] = {}
        self._found: dict[Key, tuple[int, list[ast.stmt]]] = {}
        self._groups: dict[Key, list[ast.stmt]] = {}
        self._clauses: set[Key] = set()
        self._block(converted.body, 0)
        for key, (_, group) in self._found.items():
            self._groups[key] = group

    def key_of(self, statement: ast.stmt) -> Key | None:
        """The statement or clause of the original that this one stands for, together with others perhaps."""
        key = self._keys.get(id(statement))
        return key if key is not None and any(s is statement for s in self._groups.get(key, ())) else None

    def is_first(self, statement: ast.stmt) -> bool:
        """Is it the first of those that stand for the same one?"""
        return self._groups[self._keys[id(statement)]][0] is statement

    def is_last(self, statement: ast.stmt) -> bool:
        """Is it the last one?"""
        return self._groups[self._keys[id(statement)]][-1] is statement

    def is_only(self, statement: ast.stmt) -> bool:
        """Is it the only one?"""
        return len(self._groups[self._keys[id(statement)]]) == 1

    def is_generated(self, statement: ast.AST | None) -> bool:
        """Is this a function that a pass made?"""
        known = self.original.statements.get(_place(statement))
        return isinstance(statement, ast.FunctionDef) and (
            known is None or getattr(known.node, "name", None) != statement.name
        )

    def clause_of(self, statement: Any) -> Key | None:
        """The `else` or `finally` that a closure was made of."""
        if not self.is_generated(statement):
            return None
        for name, clause in _CLAUSES.items():
            if statement.name.startswith(name) and (clause, _place(statement)) in self.original.clauses:
                return clause, *_place(statement)
        return None

    # Finding them

    def _block(self, body: list[ast.stmt], depth: int) -> None:
        keys = [self._key(statement) for statement in body]
        for position, (statement, key) in enumerate(zip(body, keys, strict=True)):
            if key is not None and self._carries(statement, key):
                self._note(body, keys, position, depth)
            self._inside(statement, depth + 1)

    def _note(self, body: list[ast.stmt], keys: list[Key | None], position: int, depth: int) -> None:
        key = keys[position]
        assert key is not None
        self._keys[id(body[position])] = key
        known = self._found.get(key)
        if known is not None and known[0] == depth:
            known[1].append(body[position])
        elif known is None or known[0] < depth:
            first = position
            while first and keys[first - 1] == key and _is_undefined(body[first - 1]):
                first -= 1
                self._keys[id(body[first])] = key
            self._found[key] = depth, body[first : position + 1]

    def _inside(self, statement: Any, depth: int) -> None:
        if self.is_generated(statement) and statement.name.startswith(_STATE_FUNCTIONS):
            return
        if _is_dead(statement):
            return
        place = _place(statement)
        clause = self.clause_of(statement)
        if clause is not None:
            self._clauses.add(clause)
        if not isinstance(statement, COMPOUND):
            return
        for word, field in (("", "body"), ("else", "orelse"), ("finally", "finalbody")):
            block = getattr(statement, field, None)
            if block:
                self._block(block, depth)
                if word and type(statement) is type(self._node(place)):
                    self._clauses.add((word, *place))
        for handler in getattr(statement, "handlers", ()):
            self._clauses.add(("except", handler.lineno, handler.col_offset))
            self._block(handler.body, depth)
        for case in getattr(statement, "cases", ()):
            self._clauses.add(("case", case.pattern.lineno, case.pattern.col_offset))
            self._block(case.body, depth)

    def _key(self, statement: ast.stmt) -> Key | None:
        if is_operators_import(statement):
            return None
        place = _place(statement)
        if place in self.original.statements:
            return place
        for clause in ("except", "case"):
            if (clause, place) in self.original.clauses:
                return clause, *place
        return None

    def _carries(self, statement: ast.stmt, key: Key) -> bool:
        """May the comments of the original be put at this one?"""
        node = self._node(key)
        if isinstance(statement, (ast.Nonlocal, ast.Global, ast.Pass)):
            return isinstance(node, type(statement))
        return not _is_undefined(statement) and not _is_dead(statement)

    def _node(self, key: Key) -> Any:
        known = self.original.statements.get(key) if len(key) == 2 else None
        return None if known is None else known.node

    # Comments of what is gone

    def rehome(self, comments: Comments) -> None:
        """Give the comments of statements that have vanished to those beside them."""
        for table in (comments.leading, comments.trailing, comments.inside, comments.after):
            for key in [key for key, found in table.items() if found and not self._is_printed(key)]:
                self._give(comments, key, table.pop(key))

    def _is_printed(self, key: Key) -> bool:
        return key in self._groups or key in self._clauses

    def _give(self, comments: Comments, key: Key, lost: list[Comment]) -> None:
        known = self._original(key)
        if known.clause and known.children and self._is_printed(key_of(known.children[0])):
            _put(comments.leading, key_of(known.children[0]), lost)
            return
        while known is not None:
            siblings = known.parent.children if known.parent is not None else self.original.body
            position = next(i for i, sibling in enumerate(siblings) if sibling is known)
            for sibling in reversed(siblings[:position]):
                if not sibling.clause and key_of(sibling) in self._groups:
                    _put(comments.after, key_of(sibling), lost)
                    return
            for sibling in siblings[position + 1 :]:
                if self._is_printed(key_of(sibling)):
                    _put(comments.leading, key_of(sibling), lost)
                    return
            if known.parent is None:
                break
            known = known.parent
            if self._is_printed(key_of(known)):
                _put(comments.leading, key_of(known), lost)
                return
        comments.last += lost

    def _original(self, key: Key) -> Statement:
        if len(key) == 2:
            return self.original.statements[key]
        return self.original.clauses[key[0], (key[1], key[2])]


def _put(
    table: defaultdict[Key, list[Comment]] | dict[Key, list[Comment]], key: Key, lost: list[Comment]
) -> None:
    table[key] = sorted([*table[key], *lost], key=lambda comment: comment.place)


def _place(node: Any) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def is_operators_import(statement: ast.AST) -> bool:
    """Is this `import autograph.operators as ag__`?"""
    return isinstance(statement, ast.Import) and any(alias.asname == "ag__" for alias in statement.names)


def _is_undefined(statement: ast.stmt) -> bool:
    """Is this `y = ag__.Undefined('y')`?"""
    value = getattr(statement, "value", None)
    function = getattr(value, "func", None)
    return isinstance(function, ast.Attribute) and function.attr == "Undefined"


def _is_dead(statement: Any) -> bool:
    """Is this `if False: y = None`, which keeps a name local?"""
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Constant)
        and statement.test.value is False
        and statement.test.lineno == statement.lineno
        and statement.test.col_offset == statement.col_offset
    )
