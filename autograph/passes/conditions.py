"""`and`, `or`, `not`, `a if c else b`, chained comparisons, `in` and `is`.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, "def f(a, b, c): return a and b[0] and not c if a in c else b")
def f(a, b, c):
    return ag__.if_exp(ag__.in_(a, c), lambda: ag__.and_(a, lambda: b[0], lambda: ag__.not_(c)), lambda: b)

In a test each operand is asked for its truth once, so that a false one need not be handed on (`Wanted`):

>>> show(convert_expressions, "def f(a, b): return 1 if a or b else 2")
def f(a, b):
    return ag__.if_exp(ag__.any_true(a, lambda: b), lambda: 1, lambda: 2)

What holds the middle of a chain is a variable of this expression alone, which may be an operand of another:

>>> show(convert_expressions, "def f(x): return x and 0 < x[0] < 2")
def f(x):
    return ag__.and_(x, lambda: ag__.and_(0 < (middle := x[0]), lambda: middle < 2))
"""

from __future__ import annotations

from itertools import count
from typing import Any

import gast

from autograph.analysis.static import is_static
from autograph.passes.context import TEST, Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.template import is_operator_call, locate, name, operator_call
from autograph.walking import walk

_TRUTHS = frozenset({"not_", "in_", "not_in", "is_", "is_not"})
_NAMED = {gast.In: "in_", gast.NotIn: "not_in", gast.Is: "is_", gast.IsNot: "is_not"}


def convert_bool_op(node: gast.BoolOp, context: Context) -> Any:
    """`a and b` becomes `ag__.and_(a, lambda: b)`."""
    if is_static(node) or not can_be_thunks(*node.values[1:], held=context.held):
        return node
    wanted = context.wanted_of(node)
    if isinstance(node.op, gast.And):
        short = "last_true" if wanted.when_true else "all_true"
        kind = "and_" if wanted.when_false or all(map(_is_truth, node.values[:-1])) else short
    else:
        short = "last_false" if wanted.when_false else "any_true"
        kind = "or_" if wanted.when_true or all(map(_is_truth, node.values[:-1])) else short
    thunks = [make_thunk(value, context) for value in node.values[1:]]
    return operator_call(kind, [node.values[0], *thunks], node)


def _is_truth(value: Any) -> bool:
    """Is this a bool, so that asking for its truth twice changes nothing?"""
    return is_operator_call(value) and getattr(value.func, "attr", None) in _TRUTHS


def convert_not(node: gast.UnaryOp, context: Context) -> Any:
    """`not a` becomes `ag__.not_(a)`."""
    if not isinstance(node.op, gast.Not) or is_static(node):
        return node
    return operator_call("not_", [node.operand], node)


def convert_conditional_expression(node: gast.IfExp, context: Context) -> Any:
    """`a if c else b` becomes `ag__.if_exp(c, lambda: a, lambda: b)`."""
    if is_static(node.test) or not can_be_thunks(node.body, node.orelse, held=context.held):
        return node
    return operator_call(
        "if_exp", [node.test, make_thunk(node.body, context), make_thunk(node.orelse, context)], node
    )


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
    if type(op) in _NAMED:
        return operator_call(_NAMED[type(op)], [left, right], node)
    return locate(gast.Compare(left, [op], [right]), node)
