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

Cut very long `elif` chains into several, so that their closures do not nest hundreds deep.

Python reads 100 levels of indentation and calls a thousand functions deep; a chain of `elif`s has no limit.

>>> from autograph.template import show
>>> elifs = "".join(f"  elif x == {n}: y = {n}\\n" for n in range(1, 4))
>>> program = f"def f(x):\\n  if x == 0: y = 0\\n{elifs}  else: y = 9"
>>> show(lambda tree: split_long_chains(tree, longest=2), program)
def f(x):
    decided = True
    if x == 0:
        y = 0
    elif x == 1:
        y = 1
    else:
        decided = False
    if not decided:
        decided = True
        if x == 2:
            y = 2
        elif x == 3:
            y = 3
        else:
            y = 9
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.jumps import blocks
from autograph.analysis.static import StaysPython
from autograph.passes.context import LONGEST_CHAIN, Context
from autograph.template import assign, constant, locate, name
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


def split_long_chains(
    tree: gast.Module, context: Context | None = None, longest: int = LONGEST_CHAIN
) -> gast.Module:
    """Cut the chains of every function, but for those that show their variables."""
    context = context or Context(tree)
    for function in context.functions:
        if not isinstance(function, gast.Lambda) and _has_long_chain(function.body, longest):
            if not StaysPython(function).reads_frame:
                function.body = _block(function.body, context, longest)
    return tree


def _has_long_chain(statements: list[Any], longest: int) -> bool:
    pending = [(statement, 1) for statement in statements]
    while pending:
        statement, length = pending.pop()
        if length > longest:
            return True
        inner = _elif(statement)
        for block in blocks(statement):
            pending += [(s, length + 1 if s is inner else 1) for s in block]
    return False


def _elif(statement: Any) -> Any:
    """The `if` that is the whole `else` of this one."""
    if isinstance(statement, gast.If) and len(statement.orelse) == 1:
        return statement.orelse[0] if isinstance(statement.orelse[0], gast.If) else None
    return None


def _block(statements: list[Any], context: Context, longest: int) -> list[Any]:
    made: list[Any] = []
    for statement in statements:
        made += _cut(statement, context, longest)
    return made


def _cut(statement: Any, context: Context, longest: int) -> list[Any]:
    """The statement, in parts where it is a long chain; its blocks too."""
    links = [statement]
    while _elif(links[-1]) is not None:
        links.append(_elif(links[-1]))
    for link in links:
        for block in blocks(link):
            if block and (link is links[-1] or block is not link.orelse):
                block[:] = _block(list(block), context, longest)
    if len(links) <= longest:
        return [statement]
    flag = context.fresh("decided")
    made: list[Any] = [assign(flag, constant(True, statement), statement), statement]
    for first in range(longest, len(links), longest):
        last, following = links[first - 1], links[first]
        last.orelse = [assign(flag, constant(False, following), following)]
        test = locate(gast.UnaryOp(gast.Not(), name(flag, following)), following)
        part = [assign(flag, constant(True, following), following), following]
        made.append(locate(gast.If(test, part, []), following))
    return made
