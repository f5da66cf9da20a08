"""Let a stage see the loop at whose end a `with` closes the generator that the loop goes over.

>>> show(mark_last_loop, '''
... def f(x):
...     with closing(rows(x)) as found:
...         for row in found:
...             if row > 3:
...                 break
... ''')
def f(x):
    with closing(rows(x)) as found:
        for row in ag__.last_loop(found):
            if row > 3:
                break

The loop is the last statement of the `with`, and nothing else in there knows the variable, so that nothing of
the program runs between the end of the loop and that of the `with`. Only in the code that runs while a stage
is active, as `mark_in_place`.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.passes.context import Context
from autograph.template import operator_call
from autograph.template import show as show
from autograph.walking import walk


def mark_last_loop(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Mark such loops in every function."""
    context = context or Context(tree)
    for function in context.functions:
        if not isinstance(function, gast.Lambda):
            for node in walk(function):
                if isinstance(node, gast.With):
                    _mark(node)
    return tree


def _mark(node: gast.With) -> None:
    """The last manager is left first: no other exit runs before its own."""
    variable, loop = node.items[-1].optional_vars, node.body[-1]
    if not isinstance(variable, gast.Name) or not isinstance(loop, gast.For):
        return
    if (
        isinstance(loop.iter, gast.Name)
        and loop.iter.id == variable.id
        and _count(node.body, variable.id) == 1
    ):
        loop.iter = operator_call("last_loop", [loop.iter], loop.iter)


def _count(statements: list[Any], variable: str) -> int:
    nodes = [node for statement in statements for node in walk(statement)]
    return sum(isinstance(node, gast.Name) and node.id == variable for node in nodes)
