"""Build trees from text: `expr("ag__.not_(x)", x=node)`.

Every node that a template makes carries the place of the user's node that it replaces (`at=`), so that
tracebacks, debuggers and coverage show the user's own lines.

>>> at = gast.parse("not y").body[0].value
>>> unparse(expr("ag__.not_(x)", at=at, x=at.operand))
'ag__.not_(y)'
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable
from typing import Any

import gast

LOCATION = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def expr(template: str, at: gast.AST, **parts: gast.AST | str) -> Any:
    """The expression `template`, where each name in `parts` is replaced by that tree or name."""
    return _Copy(at, parts).copy(_parsed(template).body[0].value)


def stmts(template: str, at: gast.AST, **parts: Any) -> list[gast.stmt]:
    """The statements of `template`. A part may also be a list of statements, for a line with just its name.

    >>> at = gast.parse("f()").body
    >>> print(unparse(gast.Module(stmts("def g():\\n    body", at[0], g="then_body", body=at), [])))
    def then_body():
        f()
    """
    return _Copy(at, parts).copy_list(_parsed(template).body)


def operator_call(name: str, args: list[gast.expr], at: gast.AST) -> gast.Call:
    """`ag__.name(*args)`: the template used most, made without a template."""
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


@functools.cache
def _parsed(template: str) -> gast.Module:
    return gast.parse(template)


class _Copy:
    """Copies a template's tree: places from `at`, names replaced by parts."""

    def __init__(self, at: gast.AST, parts: dict[str, Any]) -> None:
        self.at = at
        self.parts = parts

    def copy(self, node: Any) -> Any:
        if isinstance(node, list):
            return self.copy_list(node)
        if not isinstance(node, gast.AST):
            part = self.parts.get(node) if isinstance(node, str) else None
            return part if isinstance(part, str) else node
        if isinstance(node, gast.Name):
            part = self.parts.get(node.id)
            if part is not None and not isinstance(part, str):
                return part
        made = type(node)(*(self.copy(getattr(node, field, [])) for field in node._fields))
        return locate(made, self.at) if hasattr(node, "lineno") else made

    def copy_list(self, nodes: Iterable[Any]) -> list[Any]:
        copies: list[Any] = []
        for node in nodes:
            block = self._block(node)
            if block is None:
                copies.append(self.copy(node))
            else:
                copies.extend(block)
        return copies

    def _block(self, node: Any) -> list[gast.stmt] | None:
        if isinstance(node, gast.Expr) and isinstance(node.value, gast.Name):
            part = self.parts.get(node.value.id)
            if isinstance(part, list):
                return part
        return None
