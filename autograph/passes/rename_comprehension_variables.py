"""Give a comprehension's variable another name where a closure beside it reads a variable of that name.

From Python 3.12 on comprehensions are compiled into the function around. Python 3.12 and 3.13 then take
a variable that this function only hands on to a closure for the comprehension's own (python/cpython; a
function with a mention of its own is compiled right). The passes before this one made such closures.

>>> from autograph.passes.context import Context
>>> tree = gast.parse("def f(k, y):\\n    def g(): return [y for y in k], (lambda: y)\\n    return g")
>>> from autograph.template import unparse
>>> print(unparse(rename_comprehension_variables(tree, Context(tree))))
def f(k, y):
<BLANKLINE>
    def g():
        return ([y_1 for y_1 in k], lambda: y)
    return g
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.names import COMPREHENSIONS, Collector, Function, parameters
from autograph.passes.context import Context
from autograph.walking import children, walk

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)


def rename_comprehension_variables(tree: gast.Module, context: Context) -> gast.Module:
    """Rename where needed, in place."""
    collector = Collector()
    for function in walk(tree):
        if isinstance(function, _FUNCTIONS):
            _rename_in(function, collector, context)
    return tree


def _rename_in(function: Function, collector: Collector, context: Context) -> None:
    body = function.body if isinstance(function.body, list) else [function.body]
    own = [node for part in body for node in _own_nodes(part)]
    comprehensions = [node for node in own if isinstance(node, COMPREHENSIONS)]
    closures = [node for node in own if isinstance(node, _FUNCTIONS)]
    if not comprehensions or not closures:
        return
    captured: set[str] = set()
    for closure in closures:
        reads, writes, _ = collector.free(closure)
        captured |= (reads | writes) - _own_names_around(closure, comprehensions)
    inside = {id(node) for c in comprehensions for node in walk(c)}
    mentioned = {node.id for node in own if isinstance(node, gast.Name) and id(node) not in inside}
    for node in own:
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            mentioned.update(node.names)
    endangered = captured - mentioned - set(parameters(function.args))
    for comprehension in comprehensions:
        for name in sorted(_targets(comprehension) & endangered):
            _rename(comprehension, name, context.fresh(name))


def _own_nodes(node: Any) -> Iterator[Any]:
    """The nodes of a function's own scope, comprehensions included; nested functions without their bodies."""
    yield node
    if isinstance(node, _FUNCTIONS):
        parts = [*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", ())]
    elif isinstance(node, gast.ClassDef):
        parts = [*node.bases, *node.keywords, *node.decorator_list]
    else:
        parts = children(node)
    for child in parts:
        if child is not None:
            yield from _own_nodes(child)


def _own_names_around(closure: Function, comprehensions: list[Any]) -> set[str]:
    """The variables of comprehensions that the closure is a part of: those it reads are theirs."""
    around = [c for c in comprehensions if any(node is closure for node in walk(c))]
    return set().union(*map(_targets, around))


def _targets(comprehension: Any) -> set[str]:
    return {
        node.id
        for generator in comprehension.generators
        for node in walk(generator.target)
        if isinstance(node, gast.Name)
    }


def _rename(comprehension: Any, old: str, new: str) -> None:
    first = comprehension.generators[0].iter  # evaluated outside: there the name is another variable
    pending = children(comprehension)
    while pending:
        node = pending.pop()
        if node is first:
            continue
        if isinstance(node, gast.Name) and node.id == old:
            node.id = new
        if isinstance(node, _FUNCTIONS) and old in Collector().scope(node).local:
            pending += [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
            continue
        pending += children(node)
