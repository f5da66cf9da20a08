"""Send context managers through an operator, so that a stage sees where their block begins and ends.

>>> from autograph.template import show
>>> show(convert_with, '''
... def f(x):
...     with lock() as held:
...         return x
... ''')
def f(x):
    with ag__.context(lock()) as held:
        return x
"""

from __future__ import annotations

import gast

from autograph.passes.context import Context
from autograph.template import operator_call
from autograph.walking import walk


def convert_with(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Wrap the context expressions of every `with` of the user's functions."""
    context = context or Context(tree)
    if not any(isinstance(node, gast.With) for node in walk(tree)):
        return tree
    seen: set[int] = set()
    for function in context.functions:
        for node in walk(function):
            if isinstance(node, gast.With) and id(node) not in seen:
                seen.add(id(node))
                for item in node.items:
                    item.context_expr = operator_call("context", [item.context_expr], item.context_expr)
    return tree
