"""The nodes of a tree, as `ast.walk`, `ast.iter_child_nodes` and `ast.NodeTransformer` give them, faster.

Conversion looks at each tree some twenty times: that was half of its time. Fields are read from a node's
own namespace, which has them all (one without a value, of a node that a pass made, is passed over), and only
those that may hold nodes: not names and numbers, and not `ctx`, which is a part of its node.

>>> [type(node).__name__ for node in walk(ast.parse("f(x)").body[0])]
['Expr', 'Call', 'Name', 'Name']

Where they stand in the user's text, too: what is asked, given, and filled in.

>>> tree = ast.parse("x = y")
>>> set_place(tree.body[0].value, (3, 0, 3, 5))
>>> place_of(tree.body[0]), place_of(tree.body[0].value)
((1, 0, 1, 5), (3, 0, 3, 5))
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

# Fields that never hold nodes, whatever the class.
_LEAVES = frozenset(
    "ctx id attr arg kind type_comment level module asname conversion is_async simple lineno tag".split()
)
_OF_CLASS = {"Constant": frozenset({"value"}), "Global": frozenset({"names"})}
_OF_CLASS["Nonlocal"] = _OF_CLASS["Global"]


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of a class of nodes that may hold nodes, in their order."""

    def __missing__(self, cls: Any) -> tuple[str, ...]:
        leaves = _LEAVES | _OF_CLASS.get(cls.__name__, frozenset())
        found = self[cls] = tuple(field for field in cls._fields if field not in leaves)
        return found


_fields = _Fields()


def children(node: Any) -> list[Any]:
    """The nodes right below, in their order."""
    found: list[Any] = []
    held = node.__dict__
    for field in _fields[type(node)]:
        value = held.get(field)
        if isinstance(value, ast.AST):
            found.append(value)
        elif type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


def walk(tree: Any) -> Iterator[Any]:
    """The node and all below it, level by level."""
    waiting = [tree]
    for node in waiting:
        waiting += children(node)
        yield node


class Transformer:
    """`ast.NodeTransformer`, of gast too; looks a method up once for each class of nodes."""

    _methods: dict[type, Callable[[Any, Any], Any]]

    def __init_subclass__(cls) -> None:
        cls._methods = {}

    def visit(self, node: Any) -> Any:
        cls = type(node)
        if cls not in self._methods:
            self._methods[cls] = getattr(type(self), "visit_" + cls.__name__, type(self).generic_visit)
        return self._methods[cls](self, node)

    def generic_visit(self, node: Any) -> Any:
        held = node.__dict__
        for field in _fields[type(node)]:
            value = held.get(field)
            if isinstance(value, ast.AST):
                made = self.visit(value)
                if made is None:
                    del held[field]
                else:
                    held[field] = made
            elif type(value) is list:
                value[:] = self._all(value)
        return node

    def _all(self, items: list[Any]) -> Iterator[Any]:
        for item in items:
            made = self.visit(item) if isinstance(item, ast.AST) else item
            if isinstance(made, list):
                yield from made
            elif made is not None or item is None:  # None stands for a missing default, or a key of `**`
                yield made


Place = tuple[int, int, int, int]
"""Line, column, end line, end column."""


def start_of(node: ast.stmt) -> Place:
    """Where a statement begins, as a place without extent."""
    line = first_line(node)
    return line, node.col_offset, line, node.col_offset


def first_line(node: Any) -> int:
    """The line of its first decorator, or its own."""
    decorators = getattr(node, "decorator_list", None)
    return decorators[0].lineno if decorators else node.lineno


def place_all(tree: ast.AST, place: Place) -> None:
    """Give all nodes of a tree one place."""
    for node in walk(tree):
        if "lineno" in node._attributes:
            set_place(node, place)


def place_of(node: Any) -> Place:
    """Where a node stands that has a place."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def fill_locations(tree: ast.AST) -> None:
    """Give nodes that a pass made without a place that of what they hold, or of what holds them."""
    _fill(tree, (1, 0, 1, 0))


def _fill(node: ast.AST, outer: Place) -> None:
    if "lineno" in node._attributes:
        place = known_place(node)
        if place is None:
            place = _first_place_below(node) or outer
            set_place(node, place)
        outer = place
    for child in children(node):
        _fill(child, outer)


def known_place(node: Any) -> Place | None:
    """Where a node stands, if that is known; without extent where its end is not."""
    line, column = getattr(node, "lineno", None), getattr(node, "col_offset", None)
    if line is None or column is None:
        return None
    end, end_column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    if end is None or end_column is None or (end, end_column) < (line, column):
        set_place(node, (line, column, line, column))
        return line, column, line, column
    return line, column, end, end_column


def set_place(node: Any, place: Place) -> None:
    """Say where a node stands."""
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place


def _first_place_below(node: ast.AST) -> Place | None:
    for child in children(node):
        place = known_place(child) if "lineno" in child._attributes else None
        place = place or _first_place_below(child)
        if place is not None:
            return place
    return None
