"""Where the nodes of a tree stand in the user's text: what is asked, given, and filled in.

>>> tree = ast.parse("x = y")
>>> set_place(tree.body[0].value, (3, 0, 3, 5))
>>> place_of(tree.body[0]), place_of(tree.body[0].value)
((1, 0, 1, 5), (3, 0, 3, 5))
"""

from __future__ import annotations

import ast
from typing import Any

from autograph.walking import children, walk

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
