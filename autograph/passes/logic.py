"""`and`, `or` and `not`.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, "def f(a, b, c): return a and b[0] and not c")
def f(a, b, c):
    return ag__.and_(a, lambda: b[0], lambda: ag__.not_(c))
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.static import is_static
from autograph.passes.context import Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.template import operator_call


def convert_bool_op(node: gast.BoolOp, context: Context) -> Any:
    """`a and b` becomes `ag__.and_(a, lambda: b)`."""
    if is_static(node) or not can_be_thunks(*node.values[1:]):
        return node
    kind = "and_" if isinstance(node.op, gast.And) else "or_"
    thunks = [make_thunk(value, context) for value in node.values[1:]]
    return operator_call(kind, [node.values[0], *thunks], node)


def convert_not(node: gast.UnaryOp, context: Context) -> Any:
    """`not a` becomes `ag__.not_(a)`."""
    if not isinstance(node.op, gast.Not) or is_static(node):
        return node
    return operator_call("not_", [node.operand], node)
