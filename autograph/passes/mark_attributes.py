"""Let a stage see reads of and stores to attributes.

>>> show(mark_attributes, '''
... def f(self, x):
...     self.seen = x.size
...     self.table.rows /= g(self)
...     del x.cache
...     self.total: int
...     return "".join(x.names)
... ''')
def f(self, x):
    ag__.stored_to(self, 'seen').seen = ag__.read_from(x).size
    ag__.stored_to(ag__.read_from(self).table, 'rows').rows /= g(self)
    del ag__.stored_to(x, 'cache').cache
    self.total: int
    return ''.join(ag__.read_from(x).names)

Each operator gives the object itself, or what a stage puts in its place; the access stands in the
user's own frame. So a mark may stand wherever an attribute may (the target of a `for` or a `with`),
and an AttributeError is raised where it is without us.

Only in the code that runs while a stage is active, after `mark_in_place`; reads only for a stage
that asks (`Stage.marks`).
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.passes.context import Context
from autograph.template import constant, operator_call
from autograph.template import show as show
from autograph.walking import Transformer, walk


def mark_attributes(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Mark the attributes in every function."""
    mark = _Mark(reads=context is None or "attributes" in context.options.marks)
    for node in walk(tree):  # outer functions come first, with what is in them
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)):
            mark.visit(node)
    return tree


class _Mark(Transformer):
    def __init__(self, reads: bool) -> None:
        self.reads = reads
        self.seen: set[int] = set()

    def visit_FunctionDef(self, node: Any) -> Any:
        if id(node) in self.seen:  # with the one around it
            return node
        self.seen.add(id(node))
        for part in (node.body, node.decorator_list, node.args.defaults, node.args.kw_defaults):
            part[:] = self._all(part)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: gast.Lambda) -> gast.Lambda:
        if id(node) not in self.seen:
            self.seen.add(id(node))
            self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.AnnAssign:
        if node.value is not None:
            node.target, node.value = self.visit(node.target), self.visit(node.value)
        return node

    def visit_match_case(self, node: gast.match_case) -> gast.match_case:
        if node.guard is not None:  # a pattern has room for names and attributes only
            node.guard = self.visit(node.guard)
        node.body[:] = self._all(node.body)
        return node

    def visit_Attribute(self, node: gast.Attribute) -> gast.Attribute:
        if id(node) in self.seen or _is_of_ours(node.value):
            return node
        self.seen.add(id(node))
        node.value = self.visit(node.value)
        if not isinstance(node.ctx, gast.Load):
            node.value = operator_call("stored_to", [node.value, constant(node.attr, node)], node.value)
        elif self.reads and not isinstance(node.value, _DISPLAYS):
            node.value = operator_call("read_from", [node.value], node.value)
        return node


#: what they make is Python's own
_DISPLAYS = (gast.Constant, gast.JoinedStr, gast.List, gast.Tuple, gast.Dict, gast.Set)


def _is_of_ours(owner: Any) -> bool:
    """Is it `ag__`, whose operators are called, or `super(...)`?"""
    if isinstance(owner, gast.Call) and isinstance(owner.func, gast.Name):
        return owner.func.id == "super"
    return isinstance(owner, gast.Name) and owner.id == "ag__"
