"""`assert` and `raise`.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, '''
... def f(x):
...     assert x > 0
...     raise ValueError(x) from None
... ''')
def f(x):
    ag__.assert_stmt(x > 0)
    ag__.raise_stmt(ag__.converted(ValueError)(x), None)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.passes.context import Context
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.template import locate, operator_call


def convert_assert(node: gast.Assert, context: Context) -> Any:
    """`assert c, m` becomes `ag__.assert_stmt(c, lambda: m)`."""
    if not __debug__ or node.msg is not None and not can_be_thunks(node.msg, held=context.held):
        return node
    arguments = [node.test]
    if node.msg is not None:
        arguments.append(make_thunk(node.msg, context))
    return locate(gast.Expr(operator_call("assert_stmt", arguments, node)), node)


def convert_raise(node: gast.Raise, context: Context) -> Any:
    """`raise e from c` becomes `ag__.raise_stmt(e, c)`."""
    arguments = [part for part in (node.exc, node.cause) if part is not None]
    return locate(gast.Expr(operator_call("raise_stmt", arguments, node)), node)
