"""The part of a module that one definition needs, so that it runs by itself.

>>> text = "import math, os\\nK = 2\\ndef g(x): return math.sin(x)\\ndef f(x): return g(K * x)\\nL = 3"
>>> tree = ast.parse(text)
>>> for statement in needed_for(tree, tree.body[3]):
...     print(ast.unparse(statement).split(":")[0])
import math, os
K = 2
def g(x)
def f(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograph.walking import walk


def needed_for(tree: ast.Module, definition: ast.AST) -> list[ast.stmt]:
    """The top-level statement that holds `definition`, and those that bind names which it uses, in order."""
    top = next(statement for statement in tree.body if definition in walk(statement))
    binding: dict[str, list[ast.stmt]] = {}
    modules = {name for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom)) for name in _bound(s)}
    for statement in tree.body:
        for name in {*_bound(statement), *(_changed(statement) - modules)}:
            binding.setdefault(name, []).append(statement)
    kept: set[ast.stmt] = {s for s in tree.body if getattr(s, "module", None) == "__future__"}
    pending = [top, *(s for s in tree.body if _binds_everything(s))]
    while pending:
        statement = pending.pop()
        if statement not in kept:
            kept.add(statement)
            for name in _used(statement):
                pending += binding.get(name, ())
    return [s for s in tree.body if s in kept]


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Names that a top-level statement binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def _changed(statement: ast.stmt) -> set[str]:
    """Names of the objects that `x[0] = 1`, `x.a = 1`, `x.append(1)` and the like change."""
    places: list[ast.expr] = []
    if isinstance(statement, (ast.Assign, ast.Delete)):
        places = statement.targets
    elif isinstance(statement, ast.AugAssign):
        places = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        if isinstance(statement.value.func, ast.Attribute):
            places = [statement.value.func]
    return {name for place in places if (name := _root(place)) is not None}


def _root(place: ast.expr) -> str | None:
    while isinstance(place, (ast.Attribute, ast.Subscript)):
        place = place.value
    return place.id if isinstance(place, ast.Name) else None


def _binds_everything(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names)


def _used(statement: ast.stmt) -> set[str]:
    return {node.id for node in walk(statement) if isinstance(node, ast.Name)} | {
        name for node in walk(statement) if isinstance(node, ast.Global) for name in node.names
    }
