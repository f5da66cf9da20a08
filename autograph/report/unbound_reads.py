"""Where an expression reads a variable that nothing before, in the expression, has bound for sure.

>>> def place(text):
...     read = first_unsure_read(gast.parse(text).body[0].value, "n")
...     return read and read.col_offset
>>> place("(n := f()) > 0 and g() != n"), place("f() > 0 and g() != n")
(None, 19)
>>> place("[n if (n := f()) else 0, n]"), place("(a and (n := f())) or n")
(None, 22)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.walking import children

_OWN_SCOPES = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def first_unsure_read(expression: Any, name: str) -> Any:
    """The first node, in the order of evaluation, that reads the name where it may be unbound; or None."""
    return _walk(expression, name, False)[0]


def _walk(node: Any, name: str, bound: bool) -> tuple[Any, bool]:
    """Such a read in the node, and whether the name is surely bound after it."""
    if isinstance(node, gast.Name):
        reads = node.id == name and isinstance(node.ctx, gast.Load)
        return (node if reads and not bound else None), bound
    if isinstance(node, gast.NamedExpr):
        read, bound = _walk(node.value, name, bound)
        return read, bound or node.target.id == name
    if isinstance(node, gast.BoolOp):
        return _in_turn(node.values, name, bound, sure=1)
    if isinstance(node, gast.Compare):
        return _in_turn([node.left, *node.comparators], name, bound, sure=2)
    if isinstance(node, gast.IfExp):
        read, bound = _walk(node.test, name, bound)
        ways = [_walk(way, name, bound) for way in (node.body, node.orelse)]
        read = next((found for found in (read, ways[0][0], ways[1][0]) if found is not None), None)
        return read, all(after for _, after in ways)
    if isinstance(node, _OWN_SCOPES):
        return _in_turn(children(node), name, bound, sure=0)
    parts = children(node)
    return _in_turn(parts, name, bound, sure=len(parts))


def _in_turn(parts: list[Any], name: str, bound: bool, sure: int) -> tuple[Any, bool]:
    """The parts one after the other, of which only the first few are sure to be evaluated."""
    after = bound
    for position, part in enumerate(parts):
        read, bound = _walk(part, name, bound)
        if read is not None:
            return read, False
        if position < sure:
            after = bound
    return None, after
