"""Let a stage see the operators that may change a container, an array or an object in place.

>>> show(mark_in_place, '''
... def f(self, items, x):
...     items += [x]
...     self.seen |= {x}
...     self.table.rows += g(self)
...     x /= 2
... ''')
def f(self, items, x):
    items = ag__.iadd(items, [x])
    self.seen = ag__.ior(self.seen, {x})
    owner = self.table
    owner.rows = ag__.iadd(owner.rows, g(self))
    x = ag__.itruediv(x, 2)

Only in the code that runs while a stage is active: no text that we print has it, for `x += 1` says as much.
Items (`x[i] += 1`) are the business of `convert_item_stores`.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.passes import convert_item_stores
from autograph.passes.context import Context
from autograph.template import assign, locate, name, operator_call
from autograph.template import show as show
from autograph.walking import Transformer

_OPERATORS = {
    gast.Add: "iadd", gast.Sub: "isub", gast.Mult: "imul", gast.MatMult: "imatmul", gast.Div: "itruediv",
    gast.FloorDiv: "ifloordiv", gast.Mod: "imod", gast.Pow: "ipow", gast.LShift: "ilshift",
    gast.RShift: "irshift", gast.BitAnd: "iand", gast.BitOr: "ior", gast.BitXor: "ixor",
}  # fmt: skip


def mark_in_place(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Mark `+=` and its like, on variables and attributes, in every function."""
    context = context or Context(tree)
    mark = _Mark(context)
    for function in context.functions:  # outer ones first, with what is in them
        mark.visit(function)
    return tree


class _Mark(Transformer):
    """Rewrites the statements of functions, and of the closures that the passes made of them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.seen: set[int] = set()

    def visit_ClassDef(self, node: gast.ClassDef) -> gast.ClassDef:
        return node  # its functions are on the list of functions

    def visit_FunctionDef(self, node: Any) -> Any:
        if id(node) in self.seen:
            return node
        self.seen.add(id(node))
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AugAssign(self, node: gast.AugAssign) -> Any:
        target, made = node.target, []
        if isinstance(target, gast.Name):
            read: Any = name(target.id, target)
        elif isinstance(target, gast.Attribute):
            owner = target.value
            if not isinstance(owner, gast.Name) or convert_item_stores.keeps_owner(node):  # evaluated once
                held = self.context.fresh("owner")
                made.append(assign(held, owner, owner))
                owner = name(held, owner)
                target.value = owner
            read = locate(gast.Attribute(name(owner.id, owner), target.attr, gast.Load()), target)
        else:
            return node
        changed = operator_call(_OPERATORS[type(node.op)], [read, node.value], node)
        return [*made, locate(gast.Assign([target], changed, None), node)]
