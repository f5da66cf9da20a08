"""Variables whose end of life may be seen: what they hold may be all that keeps an object alive.

Python keeps a local variable until its function ends. In a closure it would die with its block, and with it a
temporary directory or whatever else a call gave, whose path is still in use:

    if large:
        folder = TemporaryDirectory()
        path = folder.name

So variables that are bound to what a call gives (or a function, a class, a lambda), or to what a variable or
attribute held that the function binds again (`old = self.file; self.file = None`), live in the function
itself. The results of arithmetic, of comparisons and of builtins that give plain values need not, nor what is
read from other variables and from containers.

>>> tree = gast.parse("folder = TemporaryDirectory(); path = folder.name; n = len(path) + 1")
>>> sorted(kept_names(tree.body))
['folder']
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import gast

from autograph.analysis.jumps import SCOPES
from autograph.walking import children, walk

_PLAIN = frozenset(
    (
        "abs all any bool bytes callable chr complex divmod float format hasattr hash hex id int isinstance "
        "issubclass len oct ord pow range repr round str sum type"
    ).split()
)
"""Builtins whose result nobody can see die."""
_HOLDERS = frozenset(
    "dict enumerate filter frozenset iter list map max min next reversed set sorted tuple zip".split()
)
"""Builtins whose result is, or refers to, what they are given."""
_VIEWS = frozenset({"items", "keys", "values"})


def kept_names(statements: Iterable[gast.AST], parameters: Collection[str] = ()) -> set[str]:
    """The names that some statement binds, here or in a block, to what nothing else may hold."""
    nodes = list(_own_nodes(statements))
    again = _bound_again(nodes, parameters)
    kept = again.intersection(parameters)  # what a caller gave may be new, and `x = None` lets it go
    for node in nodes:
        for target, value in _bindings(node):
            names = {n.id for n in walk(target) if _is_stored(n)}
            if not names <= kept and (value is None or _is_new(value, again)):
                kept |= names
    return kept


def _bound_again(nodes: list[Any], parameters: Collection[str]) -> set[str]:
    """Variables that are bound twice or deleted, and `.attributes` that are stored or deleted."""
    bound, again = set(parameters), set()
    for node in nodes:
        if isinstance(node, gast.Attribute) and not isinstance(node.ctx, gast.Load):
            again.add(f".{node.attr}")
        elif isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            if node.id in bound or isinstance(node.ctx, gast.Del):
                again.add(node.id)
            bound.add(node.id)
    return again


def _own_nodes(statements: Iterable[Any]) -> Iterator[Any]:
    """The nodes of a scope, in no order; of functions and classes in it, the definition alone."""
    pending = list(statements)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, SCOPES):
            pending += children(node)


def _is_stored(node: Any) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)


def _bindings(node: Any) -> Iterator[tuple[Any, Any]]:
    """What a node binds to which value; no value where it is a new object for sure."""
    match node:
        case gast.Assign():
            for target in node.targets:
                yield target, node.value
        case gast.AnnAssign() if node.value is not None:
            yield node.target, node.value
        case gast.NamedExpr():
            yield node.target, node.value
        case gast.For() | gast.AsyncFor():
            yield node.target, node.iter
        case gast.withitem() if node.optional_vars is not None:
            yield node.optional_vars, node.context_expr
        case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
            yield gast.Name(node.name, gast.Store(), None, None), None


def _is_new(value: Any, again: set[str]) -> bool:
    """May the value be, or refer to, an object that nothing else holds?"""
    match value:
        case gast.Attribute():
            return f".{value.attr}" in again
        case gast.Name():
            return value.id in again
        case gast.Call():
            if isinstance(value.func, gast.Name):
                if value.func.id in _PLAIN:
                    return False
                if value.func.id in _HOLDERS:
                    return any(_is_new(part, again) for part in value.args)
            elif isinstance(value.func, gast.Attribute) and value.func.attr in _VIEWS and not value.args:
                return _is_new(value.func.value, again)
            return True
        case gast.Lambda() | gast.Await() | gast.Yield() | gast.YieldFrom():
            return True
        case gast.BoolOp() | gast.Tuple() | gast.List() | gast.Set() | gast.Dict() | gast.Starred():
            return any(_is_new(part, again) for part in children(value))
        case gast.IfExp():
            return _is_new(value.body, again) or _is_new(value.orelse, again)
        case gast.NamedExpr():
            return _is_new(value.value, again)
        case gast.ListComp() | gast.SetComp() | gast.GeneratorExp():
            return _is_new(value.elt, again) or any(_is_new(g.iter, again) for g in value.generators)
        case gast.DictComp():
            return _is_new(value.key, again) or _is_new(value.value, again)
    return False
