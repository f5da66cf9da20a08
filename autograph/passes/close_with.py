"""Mark each `with` as a statement whose block becomes a closure, for a stage where an exit may swallow.

>>> show(close_with, '''
... def f(x):
...     with lock() as held:
...         x = x + held
...     return x
... ''')
def f(x):
    manager = lock()
    try:
        held = entered
        x = x + held
    except:
        pass
    return x

To the passes that follow it is the `try` that it amounts to: what is bound after it, where jumps in it lead.
The `try` carries an attribute `manager`, and `convert_with_block` makes of it

    ag__.with_stmt(manager, with_body, swallowed_body, else_body, get_state, set_state, names)

No part of the pipeline: elsewhere the block of a `with` runs in the frame that it stands in
(`convert_expressions.py`).
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.jumps import blocks, suspends
from autograph.analysis.static import counts_frames, own_nodes, reads_frame
from autograph.passes.context import Context
from autograph.passes.convert_try import Closures
from autograph.template import assign, constant, locate, name
from autograph.template import show as show


def close_with(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Mark the `with` statements of every function."""
    context = context or Context(tree)
    for function in context.functions:
        if isinstance(function, gast.Lambda):
            continue
        if not any(
            reads_frame(node) or counts_frames(node) for part in function.body for node in own_nodes(part)
        ):
            function.body = _block(function.body, context)
    return tree


def _block(statements: list[Any], context: Context) -> list[Any]:
    made: list[Any] = []
    for statement in statements:
        for block in blocks(statement):
            block[:] = _block(list(block), context)
        if isinstance(statement, gast.With) and not suspends(statement):
            made += _marked(statement.items, statement.body, context)
        else:
            made.append(statement)
    return made


def _marked(items: list[Any], body: list[Any], context: Context) -> list[Any]:
    item, inner = items[0], items[1:]
    if inner:
        body = _marked(inner, body, context)
    at = item.context_expr
    entered = context.fresh("entered")
    if item.optional_vars is not None:
        body = [locate(gast.Assign([item.optional_vars], name(entered, at), None), at), *body]
    handler = locate(gast.ExceptHandler(None, None, [locate(gast.Pass(), at)]), at)
    marked = locate(gast.Try(body, [handler], [], []), at)
    manager = context.fresh("manager")
    marked.manager, marked.entered = name(manager, at), entered
    return [assign(manager, at, at), marked]


def convert_with_block(conversion: Closures, statement: Any, state: tuple[str, ...]) -> list[Any]:
    """The closures, and the call of `ag__.with_stmt`."""
    made = [
        conversion.closure("with_body", statement.entered, statement.body, state, statement),
        conversion.closure("swallowed_body", None, statement.handlers[0].body, state, statement),
    ]
    if statement.orelse:
        made.append(conversion.closure("else_body", None, statement.orelse, state, statement))
    names = [name(closure.name, statement) for closure in made]
    if not statement.orelse:
        names.append(constant(None, statement))
    return [*made, conversion.call("with_stmt", [statement.manager, *names], state, statement)]


def as_with(statement: Any) -> Any:
    """The `with` that a marked `try` stands for, where it has to stay one."""
    first, body = statement.body[0], statement.body
    target = None
    if isinstance(first, gast.Assign) and isinstance(first.value, gast.Name):
        if first.value.id == statement.entered:
            target, body = first.targets[0], body[1:]
    return locate(gast.With([gast.withitem(statement.manager, target)], body, None), statement)
