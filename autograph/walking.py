"""The nodes of a tree, as `ast.walk` and `ast.iter_child_nodes` give them, in less than half of their time.

Conversion looks at each tree some twenty times. Fields are read from a node's own namespace, which has them
all; a field without a value, of a node that a pass made, is passed over.

>>> [type(node).__name__ for node in walk(ast.parse("f(x)").body[0])]
['Expr', 'Call', 'Name', 'Name', 'Load', 'Load']
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any


def children(node: Any) -> list[Any]:
    """The nodes right below, in their order."""
    found: list[Any] = []
    held = node.__dict__
    for field in node._fields:
        value = held.get(field)
        if isinstance(value, ast.AST):
            found.append(value)
        elif type(value) is list:
            found.extend([item for item in value if isinstance(item, ast.AST)])
    return found


def walk(tree: Any) -> Iterator[Any]:
    """The node and all below it, level by level."""
    waiting = [tree]
    for node in waiting:
        waiting += children(node)
        yield node
