"""Build trees: calls of operators, names, assignments, thunks.

Every node made here carries the place of the user's node that it replaces (`at`), so that tracebacks,
debuggers and coverage show the user's own lines.

>>> at = gast.parse("not y").body[0].value
>>> unparse(operator_call("not_", [at.operand], at))
'ag__.not_(y)'
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import gast


def operator_call(name: str, args: list[gast.expr], at: gast.AST) -> gast.Call:
    """`ag__.name(*args)`."""
    return locate(gast.Call(operator(name, at), args, []), at)


def operator(name: str, at: gast.AST) -> gast.Attribute:
    """`ag__.name`, on the first line of `at`: CPython reports a method call at the line its name ends on."""
    module = locate(gast.Name("ag__", gast.Load(), None, None), at)
    made = locate(gast.Attribute(module, name, gast.Load()), at)
    if made.end_lineno != made.lineno:
        made.end_lineno, made.end_col_offset = made.lineno, made.col_offset + 1
    return made


def thunk(body: gast.expr) -> gast.Lambda:
    """`lambda: body`."""
    arguments = gast.arguments([], [], None, [], [], None, [])
    return locate(gast.Lambda(arguments, body), body)


def name(identifier: str, at: gast.AST, ctx: gast.expr_context | None = None) -> gast.Name:
    """The name as an expression, read unless `ctx` says otherwise."""
    return locate(gast.Name(identifier, ctx or gast.Load(), None, None), at)


def constant(value: Any, at: gast.AST) -> gast.Constant:
    """A literal."""
    return locate(gast.Constant(value, None), at)


def assign(identifier: str, value: gast.expr, at: gast.AST) -> gast.Assign:
    """`identifier = value`."""
    return locate(gast.Assign([name(identifier, at, gast.Store())], value, None), at)


def locate(node: Any, at: gast.AST) -> Any:
    """Give `node` the place of `at`."""
    node.lineno = at.lineno
    node.col_offset = at.col_offset
    node.end_lineno = at.end_lineno
    node.end_col_offset = at.end_col_offset
    return node


def is_operator_call(node: gast.AST) -> bool:
    """Is this `ag__.something(...)`, or a call of `ag__.converted(f)`?"""
    if not isinstance(node, gast.Call):
        return False
    return _is_operator(node.func) or (
        isinstance(node.func, gast.Call)
        and _is_operator(node.func.func)
        and node.func.func.attr == "converted"
    )


def _is_operator(node: gast.AST) -> bool:
    return isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name) and node.value.id == "ag__"


def unparse(tree: gast.AST) -> str:
    """The text of a tree."""
    return ast.unparse(gast.gast_to_ast(tree))


def show(rewrite: Callable[[gast.Module], gast.Module], text: str) -> None:
    """Print what `rewrite` makes of a program: for doctests."""
    print(unparse(rewrite(gast.parse(text))))
