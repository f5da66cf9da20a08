"""Which parts of a converted tree are as the user wrote them: same place, same structure.

>>> before, after = ast.parse("x = [1, 2]"), ast.parse("x = [1, 3]")
>>> same, assignment = Unchanged(before, after), after.body[0]
>>> same(assignment), same(assignment.value.elts[0]), same(assignment.value.elts[1])
(False, True, False)
"""

from __future__ import annotations

import ast
from typing import Any

from autograph.walking import walk

_IGNORED_FIELDS = frozenset({"kind", "type_comment", "type_ignores"})
BLOCK_FIELDS = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})


class Fingerprints:
    """A number for each structure: two nodes get the same one when they print alike, wherever they stand."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._known: dict[int, int] = {}
        self._nodes: list[ast.AST] = []  # kept, so that no other node gets such an identity

    def of(self, node: ast.AST) -> int:
        """The number of a tree."""
        known = self._known.get(id(node))
        if known is None:
            parts = tuple(
                self._part(getattr(node, f, None)) for f in node._fields if f not in _IGNORED_FIELDS
            )
            known = self._known[id(node)] = self._number((type(node).__name__, parts))
            self._nodes.append(node)
        return known

    def of_header(self, node: ast.AST) -> int:
        """The number of a compound statement or a clause without its blocks."""
        parts = tuple(
            self._part(getattr(node, f, None))
            for f in node._fields
            if f not in _IGNORED_FIELDS and (f not in BLOCK_FIELDS or isinstance(node, ast.Lambda))
        )
        return self._number((type(node).__name__, "header", parts))

    def _number(self, structure: Any) -> int:
        return self._numbers.setdefault(structure, len(self._numbers))

    def _part(self, value: Any) -> Any:
        if isinstance(value, ast.AST):
            return self.of(value)
        if isinstance(value, list):
            # What one parser leaves out, another gives as an empty list.
            return tuple(map(self._part, value)) if value else None
        # 1 == True == 1.0, and 0.0 == -0.0, but they do not print alike.
        return None if value is None else (type(value).__name__, repr(value))


class Unchanged:
    """Is a node of the converted tree what stands at its place in the original?"""

    def __init__(self, original: ast.AST, converted: ast.AST) -> None:
        self.prints = Fingerprints()
        self._originals: dict[tuple[Any, ...], ast.AST] = {}
        for node in walk(original):
            if "lineno" in node._attributes:
                self._originals.setdefault(_place(node), node)
        self.converted = converted

    def __call__(self, node: ast.AST) -> bool:
        """Is the whole node unchanged?"""
        twin = self.twin(node)
        return twin is not None and self.prints.of(twin) == self.prints.of(node)

    def header(self, node: ast.AST) -> bool:
        """Is the header of a compound statement unchanged?"""
        twin = self.twin(node)
        return twin is not None and self.prints.of_header(twin) == self.prints.of_header(node)

    def twin(self, node: ast.AST) -> ast.AST | None:
        """The node of that kind at that place in the original."""
        return self._originals.get(_place(node)) if "lineno" in node._attributes else None


def _place(node: Any) -> tuple[Any, ...]:
    return (
        type(node).__name__,
        getattr(node, "lineno", None),
        getattr(node, "col_offset", None),
        getattr(node, "end_lineno", None),
        getattr(node, "end_col_offset", None),
    )
