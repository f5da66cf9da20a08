"""Write `__private` names as they are stored, for code that leaves its class.

>>> import gast
>>> tree = gast.parse("def f(self): return self.__x + __y.__init__(__z=1)").body[0]
>>> mangle(tree, "_Stack"); print(__import__("ast").unparse(gast.gast_to_ast(tree)))
def f(self):
    return self._Stack__x + _Stack__y.__init__(__z=1)
"""

from __future__ import annotations

from typing import Any

import gast


def mangle(tree: gast.AST, class_name: str | None) -> None:
    """Change, in place, the names that Python mangles inside class `class_name`."""
    if class_name is not None and class_name.strip("_"):
        _Mangle(class_name).visit(tree)


def mangled(name: Any, class_name: str) -> Any:
    """A name as Python stores it.

    >>> mangled("__x", "_Stack"), mangled("__init__", "_Stack"), mangled("__x", "_")
    ('_Stack__x', '__init__', '__x')
    """
    is_private = isinstance(name, str) and name.startswith("__") and not name.endswith("__")
    if not is_private or "." in name or not class_name.strip("_"):
        return name
    return f"_{class_name.lstrip('_')}{name}"


class _Mangle(gast.NodeVisitor):
    def __init__(self, class_name: str) -> None:
        self.class_name = class_name

    def name(self, name: Any) -> Any:
        return mangled(name, self.class_name)

    def visit(self, node: Any) -> None:
        # Names of keyword arguments in calls, and of attributes in class patterns, are not mangled.
        for field in ("id", "attr", "rest"):
            if hasattr(node, field):
                setattr(node, field, self.name(getattr(node, field)))
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [self.name(name) for name in node.names]
        elif isinstance(node, gast.alias):
            if self.name(node.asname or node.name) != (node.asname or node.name):
                node.asname = self.name(node.asname or node.name)
        elif isinstance(
            node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.MatchAs, gast.MatchStar)
        ):
            node.name = self.name(node.name)
        if isinstance(node, gast.ClassDef):
            # What is inside has the inner class's name; what is evaluated outside has ours.
            for part in (*node.decorator_list, *node.bases, *node.keywords):
                self.visit(part)
            return
        self.generic_visit(node)
