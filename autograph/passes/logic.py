"""`and`, `or` and `not`.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, "def f(a, b, c): return a and b[0] and not c")
def f(a, b, c):
    return ag__.and_(a, lambda: b[0], lambda: ag__.not_(c))

In a test each operand is asked for its truth once, so that a false one need not be handed on (`truth.py`):

>>> show(convert_expressions, "def f(a, b): return 1 if a or b else 2")
def f(a, b):
    return ag__.if_exp(ag__.any_true(a, lambda: b), lambda: 1, lambda: 2)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.static import is_static
from autograph.passes.context import Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.template import is_operator_call, operator_call

_TRUTHS = frozenset({"not_", "in_", "not_in", "is_", "is_not"})


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
