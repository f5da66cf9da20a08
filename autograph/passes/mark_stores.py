"""Let a stage see the stores to attributes, of objects as well whose class no hook of a stage can watch.

>>> show(mark_stores, '''
... def f(self, x):
...     self.seen = x
...     self.table.rows /= g(self)
...     del x.cache
...     self.total: int
... ''')
def f(self, x):
    ag__.stored_to(self, 'seen').seen = x
    ag__.stored_to(self.table, 'rows').rows /= g(self)
    del ag__.stored_to(x, 'cache').cache
    self.total: int

Only in the code that runs while a stage is active, as `mark_in_place`, which comes before.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.passes.context import Context
from autograph.template import constant, operator_call
from autograph.template import show as show
from autograph.walking import Transformer


def mark_stores(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Mark the attributes that are stored or deleted, in every function."""
    context = context or Context(tree)
    mark = _Mark()
    for function in context.functions:  # outer ones first, with what is in them
        mark.visit(function)
    return tree


class _Mark(Transformer):
    def __init__(self) -> None:
        self.seen: set[int] = set()

    def visit_FunctionDef(self, node: Any) -> Any:
        if id(node) in self.seen:  # with the one around it
            return node
        self.seen.add(id(node))
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Attribute(self, node: gast.Attribute) -> gast.Attribute:
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load) and id(node) not in self.seen:
            self.seen.add(id(node))
            node.value = operator_call("stored_to", [node.value, constant(node.attr, node)], node.value)
        return node

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.AnnAssign:
        return node if node.value is None else self.generic_visit(node)
