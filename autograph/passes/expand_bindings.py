"""Write expressions that bind a variable of the function now and then as the statements that they stand for.

>>> show(expand_bindings, '''
... def f(x):
...     return [y for v in x if (y := v * 2) > 3]
... ''')
def f(x):
    result = []
    for v_1 in x:
        if (y := (v_1 * 2)) > 3:
            result.append(y)
    return result

So are `and`, `or` and conditional expressions that bind a variable in an operand that may not be evaluated:

>>> show(expand_bindings, '''
... def f(x):
...     if x > 0 and (y := g(x)) > 3:
...         return y
...     return (z := x) if x else z
... ''')
def f(x):
    holds = False
    if x > 0:
        if (y := g(x)) > 3:
            holds = True
    if holds:
        return y
    if x:
        result_1 = (z := x)
    else:
        result_1 = z
    return result_1

An assignment expression in a lambda binds a variable of the lambda, so that `ag__.list_comp`, `ag__.and_` and
the like have none. Expanded is what a statement evaluates first, and once. Elsewhere, and in generator
expressions, which are lazy, what binds moves into a function (`bind_in_functions`). Where closures keep a
variable of the comprehension, it stays Python's.
"""

from __future__ import annotations

import sys
from collections.abc import Set
from typing import Any

import gast

from autograph.analysis.jumps import SCOPES, Jumps, blocks, suspends
from autograph.analysis.names import COMPREHENSIONS
from autograph.analysis.static import FRAME_READERS, StaysPython, own_nodes
from autograph.passes import bind_in_functions, comprehensions
from autograph.passes.context import Context
from autograph.template import assign, constant, locate, name
from autograph.template import show as show
from autograph.walking import walk

# A comprehension is a function up to Python 3.11, and the variables of the function around are free there.
_IS_FUNCTION = sys.version_info < (3, 12)
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


def expand_bindings(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Rewrite the statements of every function."""
    context = context or Context(tree)
    for function in context.functions:
        if isinstance(function, gast.Lambda) or not any(
            isinstance(node, gast.NamedExpr) for part in function.body for node in walk(part)
        ):
            continue
        if not StaysPython(function).reads_frame:
            bind_in_functions.mark_tests(function)
            expansion = _Expansion(function, context)
            function.body = expansion.elsewhere.with_variables(expansion.block(function.body))
    return tree


class _Expansion:
    """The comprehensions of one function."""

    def __init__(self, function: Any, context: Context) -> None:
        self.context = context
        self.count = 0
        self.elsewhere = bind_in_functions.BindInFunctions(function, context)

    def block(self, statements: list[Any]) -> list[Any]:
        made: list[Any] = []
        for statement in statements:
            for block in blocks(statement):
                block[:] = self.block(list(block))
            made += self.statement(statement)
        return made

    def statement(self, statement: Any) -> list[Any]:
        field = _FIRST_OF_STATEMENTS.get(type(statement))
        if isinstance(statement, gast.If):  # it may be new
            bind_in_functions.mark_test(statement.test)
        if isinstance(statement, gast.While):
            return self.while_(statement)
        found = None if field is None else self.first(statement, field)
        if found is None:
            return [*self.elsewhere.statement(statement, _may_bind), statement]
        holder, place, node = found
        if not isinstance(node, _EXPANDED):
            before = self.choice(holder, place, node)
            locate(before[0], statement)  # the comments above the statement stand above the first
            return [*before, *self.statement(statement)]
        result = self.context.fresh("result", self.count)
        loop = self.loop(node, result)
        _put(holder, place, name(result, node))
        return [assign(result, _empty(node), statement), *self.block([loop]), *self.statement(statement)]

    def while_(self, statement: gast.While) -> list[Any]:
        """`while a and (y := b): ...` as a loop whose body looks first.

        So is `while y := b: ...` that a `break` ends: its test would be `not do_break and (y := b)`.
        """
        test = statement.test
        if not (isinstance(test, gast.BoolOp) and _may_bind(test)) and not _ends_early(statement):
            return [*self.elsewhere.statement(statement, _may_bind), statement]
        go_on = self.context.fresh("go_on", self.count)
        self.count += 1
        look = locate(gast.If(test, statement.body, [assign(go_on, constant(False, test), test)]), test)
        statement.test, statement.body = name(go_on, test), self.statement(look)
        return [assign(go_on, constant(True, test), statement), statement]

    def choice(self, holder: Any, place: Any, node: Any) -> list[Any]:
        """`and`, `or` and conditional expressions: the statements before, and a name in their place."""
        is_test = bind_in_functions.asks_for_truth(node)
        result = self.context.fresh("holds" if is_test else "result", self.count)
        self.count += 1
        _put(holder, place, name(result, node))
        if isinstance(node, gast.IfExp) and is_test:
            holds = [assign(result, constant(True, node), node)]
            ways = [[locate(gast.If(value, list(holds), []), value)] for value in (node.body, node.orelse)]
            choice = self.block([locate(gast.If(node.test, *ways), node)])
            return [assign(result, constant(False, node), node), *choice]
        if isinstance(node, gast.IfExp):
            ways = [[assign(result, value, value)] for value in (node.body, node.orelse)]
            return self.block([locate(gast.If(node.test, *ways), node)])
        is_and = isinstance(node.op, gast.And)
        if is_test:  # the truth of each operand is asked once
            made: list[Any] = [assign(result, constant(is_and, node), node)]
            for value in reversed(node.values):
                test = value if is_and else locate(gast.UnaryOp(gast.Not(), value), value)
                made = [locate(gast.If(test, made, []), value)]
            return [assign(result, constant(not is_and, node), node), *self.block(made)]
        made = []
        for value in reversed(node.values):
            if made:
                held = name(result, value)
                test = held if is_and else locate(gast.UnaryOp(gast.Not(), held), value)
                made = [locate(gast.If(test, made, []), value)]
            made.insert(0, assign(result, value, value))
        return self.block(made)

    def first(self, holder: Any, place: Any) -> tuple[Any, Any, Any] | None:
        """The comprehension that is evaluated before anything else: what holds it, where, and itself."""
        functions: set[str] = set()  # their names are read before
        is_operand = False  # of `and` or `or`, which Python does not ask for its truth once more
        while True:
            node = holder[place] if isinstance(holder, list) else getattr(holder, place)
            if isinstance(node, _EXPANDED):
                return (holder, place, node) if self.is_expanded(node, functions) else None
            if isinstance(node, (gast.BoolOp, gast.IfExp)) and _may_bind(node, functions):
                return (holder, place, node) if not is_operand and _asks_once(node) else None
            is_operand = isinstance(node, gast.BoolOp)
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
        parts = comprehensions.parts_of(node)
        inner = [each for part in parts for each in own_nodes(part)]
        bound = {each.target.id for each in inner if isinstance(each, gast.NamedExpr)}
        if not bound or bound & read_before:
            return False
        if any(isinstance(each, (gast.Await, gast.Yield, gast.YieldFrom)) for each in inner):
            return False
        targets = [each for g in node.generators for each in walk(g.target)]
        is_plain = all(isinstance(n, (gast.Name, gast.Tuple, gast.List, gast.expr_context)) for n in targets)
        if not is_plain or any(g.is_async for g in node.generators) or comprehensions.reads_ahead(node):
            return False
        variables = {each.id for each in targets if isinstance(each, gast.Name)}
        if any(comprehensions.keeps_variables(part, variables, self.context) for part in parts):
            return False
        return not any(_binds_again(each, variables) for each in inner)

    def loop(self, node: Any, result: str) -> Any:
        """The loops of the comprehension, over variables of their own."""
        self.count += 1
        targets = [each for g in node.generators for each in walk(g.target)]
        variables = {each.id for each in targets if isinstance(each, gast.Name)}
        own = {variable: self.context.fresh(variable, self.count) for variable in sorted(variables)}
        for part in (*comprehensions.parts_of(node), *(g.target for g in node.generators)):
            for each in walk(part):
                if isinstance(each, gast.Name):
                    each.id = own.get(each.id, each.id)
                    each.is_free = _IS_FUNCTION
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


def _asks_once(node: Any) -> bool:
    """Is the truth of each operand asked once, as Python asks it, when the expression is expanded?"""
    if isinstance(node, gast.IfExp) or bind_in_functions.asks_for_truth(node):
        return True
    return not any(isinstance(value, gast.BoolOp) for value in node.values[:-1])


def _may_bind(node: Any, read_before: Set[str] = frozenset()) -> bool:
    """Does an operand bind a variable that may not be evaluated? Not where one suspends the function."""
    operands = node.values[1:] if isinstance(node, gast.BoolOp) else [node.body, node.orelse]
    inner = [each for operand in operands for each in own_nodes(operand)]
    bound = {each.target.id for each in inner if isinstance(each, gast.NamedExpr)}
    if not bound or bound & read_before:
        return False
    suspending = (gast.Await, gast.Yield, gast.YieldFrom, gast.comprehension)
    return not any(
        isinstance(each, suspending) and getattr(each, "is_async", True) for each in own_nodes(node)
    )


def _ends_early(loop: gast.While) -> bool:
    """Does the test bind a variable, and a jump of the body end the loop?"""
    if not any(isinstance(node, gast.NamedExpr) for node in own_nodes(loop.test)) or suspends(loop):
        return False
    return bool(Jumps().of_block(loop.body) & {"break", "return"})


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
        inner = [each for g in node.generators for each in walk(g.target)]
        return any(isinstance(each, gast.Name) and each.id in variables for each in inner)
    if isinstance(node, SCOPES):
        return any(isinstance(each, gast.Name) and each.id in variables for each in walk(node))
    return False
