"""Calls.

>>> from autograph.passes.convert_expressions import convert_expressions
>>> from autograph.template import show
>>> show(convert_expressions, "def f(x, *rest, **options): return g(x.sum(), *rest, k=1, **options)")
def f(x, *rest, **options):
    return ag__.converted(g)(ag__.converted(x.sum)(), *rest, k=1, **options)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.static import FRAME_READERS
from autograph.passes.context import Context
from autograph.template import locate, operator

# They ask for the frame that calls them, which must be the user's.
_CALLED_DIRECTLY = FRAME_READERS | {"super", "globals", "__import__", "breakpoint"}
_FRAME_METHODS = frozenset({"_getframe", "_getframemodulename", "currentframe"})


def convert_call(node: gast.Call, context: Context) -> Any:
    """`f(x)` becomes `ag__.converted(f)(x)`: the call itself stays in the user's frame."""
    function = node.func
    if not context.options.convert_calls or isinstance(function, gast.Lambda):
        return node
    if isinstance(function, gast.Name) and function.id in _CALLED_DIRECTLY:
        return node
    if isinstance(function, gast.Attribute) and function.attr in _FRAME_METHODS:
        return node
    callee = locate(gast.Call(operator("converted", node), [function], []), function)
    return locate(gast.Call(callee, node.args, node.keywords), node)
