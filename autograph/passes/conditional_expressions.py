"""`a if c else b`.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, "def f(c, a, b): return a if c else b / a")
def f(c, a, b):
    return ag__.if_exp(c, lambda: a, lambda: b / a)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.static import is_static
from autograph.passes.context import Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.template import operator_call


def convert_conditional_expression(node: gast.IfExp, context: Context) -> Any:
    """`a if c else b` becomes `ag__.if_exp(c, lambda: a, lambda: b)`."""
    if is_static(node.test) or not can_be_thunks(node.body, node.orelse, held=context.held):
        return node
    return operator_call(
        "if_exp", [node.test, make_thunk(node.body, context), make_thunk(node.orelse, context)], node
    )
