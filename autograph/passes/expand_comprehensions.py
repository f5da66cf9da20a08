"""Write comprehensions that bind a variable of the function as the loops that they stand for.

>>> show(expand_comprehensions, '''
... def f(x):
...     return [y for v in x if (y := v * 2) > 3]
... ''')
def f(x):
    result = []
    for v_1 in x:
        if (y := (v_1 * 2)) > 3:
            result.append(y)
    return result

An assignment expression in a lambda binds a variable of the lambda, so that `ag__.list_comp` cannot have one.
Expanded is what a statement evaluates first, and once; elsewhere, and where a closure keeps a variable of the
comprehension, it stays Python's, and so do generator expressions, which are lazy.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.jumps import SCOPES, blocks
from autograph.analysis.names import COMPREHENSIONS
from autograph.analysis.static import FRAME_READERS, StaysPython, own_nodes
from autograph.passes.comprehensions import keeps_variables, parts_of, reads_ahead
from autograph.passes.context import Context
from autograph.template import assign, locate, name
from autograph.template import show as show

_EXPANDED = (gast.ListComp, gast.SetComp, gast.DictComp)
_FIRST_PARTS = {  # what is evaluated first in an expression, where it is one part and always evaluated
    gast.BinOp: "left",
    gast.Compare: "left",
    gast.IfExp: "test",
    gast.UnaryOp: "operand",
    gast.Attribute: "value",
    gast.Subscript: "value",
    gast.Starred: "value",
    gast.NamedExpr: "value",
}
_FIRST_OF_STATEMENTS = {
    gast.Return: "value",
    gast.Expr: "value",
    gast.Assign: "value",
    gast.If: "test",
    gast.For: "iter",
    gast.Assert: "test",
}


def expand_comprehensions(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Rewrite the statements of every function."""
    context = context or Context(tree)
    for function in context.functions:
        if isinstance(function, gast.Lambda) or not any(
            isinstance(node, gast.NamedExpr) for part in function.body for node in gast.walk(part)
        ):
            continue
        if not StaysPython(function).reads_frame:
            function.body = _Expansion(context).block(function.body)
    return tree


class _Expansion:
    """The comprehensions of one function."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.count = 0

    def block(self, statements: list[Any]) -> list[Any]:
        made: list[Any] = []
        for statement in statements:
            for block in blocks(statement):
                block[:] = self.block(list(block))
            made += self.statement(statement)
        return made

    def statement(self, statement: Any) -> list[Any]:
        field = _FIRST_OF_STATEMENTS.get(type(statement))
        found = None if field is None else self.first(statement, field)
        if found is None:
            return [statement]
        holder, place, node = found
        result = self.context.fresh("result", self.count)
        loop = self.loop(node, result)
        _put(holder, place, name(result, node))
        return [assign(result, _empty(node), node), *self.block([loop]), statement]

    def first(self, holder: Any, place: Any) -> tuple[Any, Any, Any] | None:
        """The comprehension that is evaluated before anything else: what holds it, where, and itself."""
        functions: set[str] = set()  # their names are read before
        while True:
            node = holder[place] if isinstance(holder, list) else getattr(holder, place)
            if isinstance(node, _EXPANDED):
                return (holder, place, node) if self.is_expanded(node, functions) else None
            field = _FIRST_PARTS.get(type(node))
            if field is not None:
                holder, place = node, field
            elif isinstance(node, (gast.Tuple, gast.List)) and node.elts:
                holder, place = node.elts, 0
            elif isinstance(node, gast.BoolOp):
                holder, place = node.values, 0
            elif isinstance(node, gast.Call) and node.args and self.is_read_only(node.func):
                functions.add(node.func.id if isinstance(node.func, gast.Name) else node.func.value.id)
                holder, place = node.args, 0
            elif isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
                holder, place = node.func, "value"
            else:
                return None

    def is_read_only(self, function: Any) -> bool:
        """Does it not matter whether this is evaluated before or after: a name, `result.append` of ours?"""
        if isinstance(function, gast.Name):
            return function.id not in ("super", *FRAME_READERS)
        owner = function.value if isinstance(function, gast.Attribute) else None
        return isinstance(owner, gast.Name) and self.context.is_generated(owner.id)

    def is_expanded(self, node: Any, read_before: set[str]) -> bool:
        parts = parts_of(node)
        inner = [each for part in parts for each in own_nodes(part)]
        bound = {each.target.id for each in inner if isinstance(each, gast.NamedExpr)}
        if not bound or bound & read_before:
            return False
        if any(isinstance(each, (gast.Await, gast.Yield, gast.YieldFrom)) for each in inner):
            return False
        targets = [each for g in node.generators for each in gast.walk(g.target)]
        is_plain = all(isinstance(n, (gast.Name, gast.Tuple, gast.List, gast.expr_context)) for n in targets)
        if not is_plain or any(g.is_async for g in node.generators) or reads_ahead(node):
            return False
        variables = {each.id for each in targets if isinstance(each, gast.Name)}
        if any(keeps_variables(part, variables, self.context) for part in parts):
            return False
        return not any(_binds_again(each, variables) for each in inner)

    def loop(self, node: Any, result: str) -> Any:
        """The loops of the comprehension, over variables of their own."""
        self.count += 1
        targets = [each for g in node.generators for each in gast.walk(g.target)]
        variables = {each.id for each in targets if isinstance(each, gast.Name)}
        own = {variable: self.context.fresh(variable, self.count) for variable in sorted(variables)}
        for part in (*parts_of(node), *(g.target for g in node.generators)):
            for each in gast.walk(part):
                if isinstance(each, gast.Name) and each.id in own:
                    each.id = own[each.id]
        body = self.take(node, result)
        for generator in reversed(node.generators):
            for test in reversed([each for joined in generator.ifs for each in _conjuncts(joined)]):
                body = [locate(gast.If(test, body, []), test)]
            body = [locate(gast.For(generator.target, generator.iter, body, [], None), generator.target)]
        return body[0]

    def take(self, node: Any, result: str) -> list[Any]:
        """The statements that put one element into the result."""
        if isinstance(node, gast.DictComp):
            key = self.context.fresh("key", self.count)
            place = locate(gast.Subscript(name(result, node), name(key, node), gast.Store()), node.key)
            store = locate(gast.Assign([place], node.value, None), node.value)
            return [assign(key, node.key, node.key), store]
        method = "append" if isinstance(node, gast.ListComp) else "add"
        function = locate(gast.Attribute(name(result, node.elt), method, gast.Load()), node.elt)
        return [locate(gast.Expr(locate(gast.Call(function, [node.elt], []), node.elt)), node.elt)]


def _conjuncts(test: Any) -> list[Any]:
    """`a and b` as an `if` around an `if`: a variable that `b` binds is the function's."""
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And):
        return [each for value in test.values for each in _conjuncts(value)]
    return [test]


def _put(holder: Any, place: Any, node: Any) -> None:
    if isinstance(holder, list):
        holder[place] = node
    else:
        setattr(holder, place, node)


def _empty(node: Any) -> Any:
    if isinstance(node, gast.ListComp):
        return locate(gast.List([], gast.Load()), node)
    if isinstance(node, gast.DictComp):
        return locate(gast.Dict([], []), node)
    nothing = locate(gast.Tuple([], gast.Load()), node)  # `{*()}`: the program may have a `set` of its own
    return locate(gast.Set([locate(gast.Starred(nothing, gast.Load()), node)]), node)


def _binds_again(node: Any, variables: set[str]) -> bool:
    """Does a comprehension or lambda in this one have a variable of the same name?"""
    if isinstance(node, COMPREHENSIONS):
        inner = [each for g in node.generators for each in gast.walk(g.target)]
        return any(isinstance(each, gast.Name) and each.id in variables for each in inner)
    if isinstance(node, SCOPES):
        return any(isinstance(each, gast.Name) and each.id in variables for each in gast.walk(node))
    return False
