"""Chained comparisons, `in`, and `is`.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, '''
... def f(x, items):
...     return a < x[0] <= b, x in items, x is not None
... ''')
def f(x, items):
    return (ag__.and_(a < (middle := x[0]), lambda: middle <= b), ag__.in_(x, items), ag__.is_not(x, None))
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.static import is_static
from autograph.passes.context import Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.passes.truth import TEST
from autograph.template import locate, name, operator_call

_MEMBERSHIP = {gast.In: "in_", gast.NotIn: "not_in"}
_IDENTITY = {gast.Is: "is_", gast.IsNot: "is_not"}


def convert_comparison(node: gast.Compare, context: Context) -> Any:
    """A chain becomes `and`, which evaluates each operand once; `in` and `is` become operators."""
    if is_static(node):
        return node
    if len(node.ops) > 1 and not can_be_thunks(*node.comparators[1:]):
        return node
    if not context.may_assign and not all(map(_is_simple, node.comparators[:-1])):
        return node
    return _chain(node, node.left, node.ops, node.comparators, context, depth=0)


def _chain(node: Any, left: Any, ops: list[Any], operands: list[Any], context: Context, depth: int) -> Any:
    """`left < operand < ...`. Each thunk stands in the one before, so that it sees what that one held."""
    right = operands[0]
    if len(ops) == 1:
        return _single(node, left, ops[0], right)
    if _is_simple(right):
        following = right
    else:
        held = context.fresh("middle", depth)
        following = name(held, right)
        right = locate(gast.NamedExpr(name(held, right, gast.Store()), right), right)
        depth += 1
    rest = _chain(node, following, ops[1:], operands[1:], context, depth)
    kind = "all_true" if context.wanted_of(node) == TEST else "and_"
    return operator_call(kind, [_single(node, left, ops[0], right), make_thunk(rest, context)], node)


def _is_simple(node: Any) -> bool:
    """May this be evaluated twice?"""
    return isinstance(node, (gast.Name, gast.Constant))


def _single(node: gast.Compare, left: Any, op: Any, right: Any) -> Any:
    if type(op) in _MEMBERSHIP:
        return operator_call(_MEMBERSHIP[type(op)], [left, right], node)
    if type(op) in _IDENTITY:
        return operator_call(_IDENTITY[type(op)], [left, right], node)
    return locate(gast.Compare(left, [op], [right]), node)
