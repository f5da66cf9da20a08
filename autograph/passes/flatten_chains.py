"""Run the branches of an `if` in the user's own frame, and those of a chain of `elif`s one after the other.

A branch that ends in an `if` is a link, written as a tuple of one closure: it gives back what is to run next.

>>> from autograph.passes.convert_control_flow import convert_control_flow
>>> show(lambda tree: flatten_chains(convert_control_flow(tree)), '''
... def f(x):
...     if x > 9:
...         g()
...     elif x > 5:
...         h()
... ''')
def f(x):
<BLANKLINE>
    def then_body():
        g()
<BLANKLINE>
    def else_body():
<BLANKLINE>
        def then_body():
            h()
<BLANKLINE>
        def else_body():
            pass
        return ag__.elif_branch(x > 5, then_body, else_body)
    ag__.branch(x > 9, then_body, (else_body,))()

Recursive functions thus go as deep as their statements nest, however many `elif`s they have, and however many
`if c: return x` stand before the call. Text for people says `if_stmt` instead.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.jumps import blocks
from autograph.template import locate
from autograph.template import show as show


def flatten_chains(tree: gast.Module) -> gast.Module:
    """Rewrite every converted `if` of a tree, in place."""
    pending: list[list[Any]] = [tree.body]
    while pending:  # outer blocks first: what ends a branch belongs to the `if` that has the branch
        statements = pending.pop()
        closures: dict[str, Any] = {}
        for statement in statements:
            call = _if_call(statement)
            if call is not None:
                _mark_links(call, closures)
                call.func.attr = "branch"
                statement.value = locate(gast.Call(call, [], []), call)
            elif isinstance(statement, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
                closures[statement.name] = statement
                pending.append(statement.body)
            else:
                pending += blocks(statement)
    return tree


def _mark_links(call: Any, closures: dict[str, Any]) -> None:
    """Write the branches of an `if` that end in one as links."""
    for position in (1, 2):
        branch = call.args[position]
        if _make_link(closures[branch.id].body):
            call.args[position] = locate(gast.Tuple([branch], gast.Load()), branch)


def _make_link(body: list[Any]) -> bool:
    call = _if_call(body[-1])
    if call is None:
        return False
    _mark_links(call, {made.name: made for made in body if isinstance(made, gast.FunctionDef)})
    call.func.attr = "elif_branch"
    body[-1] = locate(gast.Return(call), body[-1])
    return True


def _if_call(statement: Any) -> Any:
    """The call in `ag__.if_stmt(...)`."""
    call = statement.value if isinstance(statement, gast.Expr) else None
    function = call.func if isinstance(call, gast.Call) else None
    if isinstance(function, gast.Attribute) and function.attr == "if_stmt":
        if isinstance(function.value, gast.Name) and function.value.id == "ag__":
            return call
    return None
