"""Operands that may not be evaluated: as lambdas, where that changes nothing."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import gast

from autograph.analysis.jumps import SCOPES, outside_of
from autograph.analysis.names import COMPREHENSIONS
from autograph.analysis.static import FRAME_READERS, own_nodes
from autograph.passes.context import Context
from autograph.template import name, thunk
from autograph.walking import children

_BINDS_TO_FRAME = (gast.NamedExpr, gast.Yield, gast.YieldFrom, gast.Await)


def can_be_thunks(*operands: Any, held: Set[str] = frozenset()) -> bool:
    """May these expressions be evaluated in a function of their own?

    Not when they suspend, look at the frame they run in, or bind a name; those in ``held`` are ours, and
    nobody reads them outside the expression that binds them.

    >>> can_be_thunks(gast.parse("x + (y := 1)").body[0].value)
    False
    """
    pending = list(operands)
    while pending:
        node = pending.pop()
        if isinstance(node, gast.NamedExpr) and node.target.id in held:
            pending.append(node.value)
            continue
        if isinstance(node, _BINDS_TO_FRAME) or getattr(node, "is_async", False):
            return False
        if isinstance(node, gast.Name) and node.id in FRAME_READERS:
            return False
        if not isinstance(node, SCOPES):
            pending += children(node)
    return True


def reads_in_thunks(nodes: Any) -> set[str]:
    """The names read in operands that may not be evaluated, which become lambdas.

    >>> sorted(reads_in_thunks(gast.parse("a + (b and c or d[e])").body))
    ['c', 'd', 'e']
    """
    found: set[str] = set()
    pending = [(node, False) for node in nodes if node is not None]
    while pending:
        node, inside = pending.pop()
        if isinstance(node, gast.Name):
            if inside and isinstance(node.ctx, gast.Load):
                found.add(node.id)
        elif isinstance(node, gast.BoolOp):
            pending.append((node.values[0], inside))
            pending += [(value, True) for value in node.values[1:]]
        elif isinstance(node, gast.IfExp):
            pending += [(node.test, inside), (node.body, True), (node.orelse, True)]
        elif isinstance(node, gast.Compare):
            pending += [(node.left, inside), (node.comparators[0], inside)]
            pending += [(value, True) for value in node.comparators if len(node.ops) > 1]
        elif isinstance(node, gast.Assert):
            pending += [(node.test, inside), *([(node.msg, True)] if node.msg else [])]
        elif isinstance(node, COMPREHENSIONS):
            pending += [(part, True) for part in children(node)]
        else:
            parts = outside_of(node) if isinstance(node, SCOPES) else children(node)
            pending += [(part, inside) for part in parts]
    return found


def make_thunk(operand: Any, context: Context) -> gast.Lambda:
    """`lambda: operand`. A `super()` in it is given what it would have found in the frame."""
    function = context.enclosing
    if function is not None:
        arguments = function.args
        first = next(iter([*arguments.posonlyargs, *arguments.args]), None)
        for node in own_nodes(operand):
            if first is not None and _is_bare_super(node):
                node.args = [name("__class__", node), name(first.id, node)]
    return thunk(operand)


def _is_bare_super(node: Any) -> bool:
    return (
        isinstance(node, gast.Call)
        and isinstance(node.func, gast.Name)
        and node.func.id == "super"
        and not node.args
    )
