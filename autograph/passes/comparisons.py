"""Chained comparisons, `in`, and `is`.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, '''
... def f(x, items):
...     return a < x[0] <= b, x in items, x is not None
... ''')
def f(x, items):
    return (ag__.and_(a < (middle := x[0]), lambda: middle <= b), ag__.in_(x, items), ag__.is_not(x, None))

What holds the middle is a variable of this expression alone, which may itself be an operand of another:

>>> show(convert_expressions, "def f(x): return x and 0 < x[0] < 2")
def f(x):
    return ag__.and_(x, lambda: ag__.and_(0 < (middle := x[0]), lambda: middle < 2))
"""

from __future__ import annotations

from itertools import count
from typing import Any

import gast

from autograph.analysis.static import is_static
from autograph.passes.context import Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.passes.truth import TEST
from autograph.template import locate, name, operator_call
from autograph.walking import walk

_MEMBERSHIP = {gast.In: "in_", gast.NotIn: "not_in"}
_IDENTITY = {gast.Is: "is_", gast.IsNot: "is_not"}


def convert_comparison(node: gast.Compare, context: Context) -> Any:
    """A chain becomes `and`, which evaluates each operand once; `in` and `is` become operators."""
    if is_static(node):
        return node
    if len(node.ops) > 1 and not can_be_thunks(*node.comparators[1:], held=context.held):
        return node
    if not context.may_assign and not all(map(_is_simple, node.comparators[:-1])):
        return node
    return _chain(node, node.left, node.ops, node.comparators, context, _held_within(node))


def _held_within(node: gast.Compare) -> set[str]:
    """What chains within this one hold: its own thunks could not read a name that they bind again."""
    return {each.target.id for each in walk(node) if isinstance(each, gast.NamedExpr)}


def _chain(
    node: Any, left: Any, ops: list[Any], operands: list[Any], context: Context, taken: set[str]
) -> Any:
    """`left < operand < ...`. Each thunk stands in the one before, so that it sees what that one held."""
    right = operands[0]
    if len(ops) == 1:
        return _single(node, left, ops[0], right)
    if _is_simple(right):
        following = right
    else:
        held = next(middle for depth in count() if (middle := context.fresh("middle", depth)) not in taken)
        context.held.add(held)
        following = name(held, right)
        right = locate(gast.NamedExpr(name(held, right, gast.Store()), right), right)
        taken = {*taken, held}
    rest = _chain(node, following, ops[1:], operands[1:], context, taken)
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
