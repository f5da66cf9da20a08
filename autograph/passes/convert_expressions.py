"""Turn expressions that a stage may care about into calls of operators, innermost first.

>>> show(convert_expressions, '''
... def f(x, y):
...     assert 0 < x < 10, "out of range"
...     if x == 5:
...         raise ValueError(x) from None
...     return x if not g(y) else y
... ''')
def f(x, y):
    ag__.assert_stmt(ag__.all_true(0 < x, lambda: x < 10), lambda: 'out of range')
    if x == 5:
        ag__.raise_stmt(ag__.converted(ValueError)(x), None)
    return ag__.if_exp(ag__.not_(ag__.converted(g)(y)), lambda: x, lambda: y)

A rule for each kind of node stands in `RULES`. Code outside functions, class bodies and annotations run as
Python and are left alone, but for the calls in the body of a class that a function defines. Decorators of
what it defines are calls, too:

>>> show(convert_expressions, '''
... def f(subject, seen):
...     @subject.listen
...     def note(v):
...         seen.append(v)
... ''')
def f(subject, seen):
<BLANKLINE>
    @ag__.converted(subject.listen)
    def note(v):
        ag__.converted(seen.append)(v)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.analysis.names import COMPREHENSIONS
from autograph.analysis.static import raised_by
from autograph.passes import calls, comprehensions, conditions, fstrings
from autograph.passes.context import TEST, Context, Wanted
from autograph.passes.thunks import can_be_thunks, make_thunk
from autograph.template import is_operator_call, locate, operator_call
from autograph.template import show as show
from autograph.walking import children

#: the modules of those that are written as functions are loaded at their first use
RULES: dict[type, Callable[[Any, Context], Any]] = {
    gast.BoolOp: lambda node, context: conditions.convert_bool_op(node, context),
    gast.UnaryOp: lambda node, context: conditions.convert_not(node, context),
    gast.BinOp: lambda node, context: _convert_operator(node, context),
    gast.Compare: lambda node, context: conditions.convert_comparison(node, context),
    gast.IfExp: lambda node, context: conditions.convert_conditional_expression(node, context),
    gast.Call: calls.convert_call,
    gast.Attribute: calls.convert_attribute,
    gast.JoinedStr: lambda node, context: fstrings.convert_fstring(node, context),
    gast.Assert: lambda node, context: _convert_assert(node, context),
    gast.Raise: lambda node, context: _convert_raise(node, context),
    gast.With: lambda node, context: _convert_with(node),
    gast.ListComp: lambda node, context: comprehensions.convert_comprehension(node, context),
    gast.SetComp: lambda node, context: comprehensions.convert_comprehension(node, context),
    gast.DictComp: lambda node, context: comprehensions.convert_comprehension(node, context),
    gast.GeneratorExp: lambda node, context: comprehensions.convert_comprehension(node, context),
}


def _convert_operator(node: gast.BinOp, context: Context) -> Any:
    return fstrings.convert_percent(node, context) if isinstance(node.op, gast.Mod) else node


def _convert_assert(node: gast.Assert, context: Context) -> Any:
    """`assert c, m` becomes `ag__.assert_stmt(c, lambda: m)`."""
    if not __debug__ or node.msg is not None and not can_be_thunks(node.msg, held=context.held):
        return node
    arguments = [node.test]
    if node.msg is not None:
        arguments.append(make_thunk(node.msg, context))
    return locate(gast.Expr(operator_call("assert_stmt", arguments, node)), node)


def _convert_raise(node: gast.Raise, context: Context) -> Any:
    """`raise e from c` becomes `ag__.raise_stmt(e, c)`."""
    arguments = [part for part in (node.exc, node.cause) if part is not None]
    return locate(gast.Expr(operator_call("raise_stmt", arguments, node)), node)


def _convert_with(node: gast.With) -> gast.With:
    """`with m:` becomes `with ag__.context(m):`, so that a stage sees where the block begins and ends."""
    for item in node.items:
        item.context_expr = operator_call("context", [item.context_expr], item.context_expr)
    return node


def convert_expressions(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Convert the expressions of every function."""
    context = context or Context(tree)
    walk = _Walk(context)
    for function in context.functions:
        if id(function) not in walk.seen:
            walk.function(function)
    return tree


class _Walk:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.seen: set[int] = set()
        self.raised_again: set[int] = set()

    def function(self, node: Any) -> None:
        self.seen.add(id(node))
        outer, self.context.enclosing = self.context.enclosing, node
        if isinstance(node, gast.Lambda):
            node.body = self.visit(node.body)
        else:
            self.list(node.body)
        self.context.enclosing = outer

    def class_(self, node: gast.ClassDef) -> None:
        """A class body has a scope that closures do not see: its functions and calls are converted."""
        for inner in children(node):
            self.in_class(inner)

    def in_class(self, node: Any) -> None:
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)):
            self.function(node)
            outside = [*getattr(node, "decorator_list", ()), *node.args.defaults, *node.args.kw_defaults]
            for part in filter(None, outside):  # a keyword without a default has None
                self.in_class(part)
            return
        for inner in children(node):
            self.in_class(inner)
        if isinstance(node, gast.With) and self.context.enclosing is not None:
            _convert_with(node)
        if isinstance(node, gast.Call) and self.context.enclosing is not None and not is_operator_call(node):
            node.func = calls.convert_call(node, self.context).func

    def decorators(self, node: Any) -> None:
        """Each is called with what it decorates."""
        found = getattr(node, "decorator_list", [])
        self.list(found)
        if self.context.options.convert_calls:
            found[:] = [operator_call("converted", [one], one) for one in found]

    def list(self, values: list[Any]) -> None:
        for position, value in enumerate(values):
            if isinstance(value, gast.AST):
                values[position] = self.visit(value)

    def visit(self, node: Any) -> Any:
        kind = type(node)
        if kind is gast.Name or kind is gast.Constant:
            return node
        if kind in (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda):
            if self.context.is_generated_function(node):
                self.list(node.body)
            else:
                self.decorators(node)
                self.list(node.args.defaults)  # evaluated in the function around, too
                self.list(node.args.kw_defaults)
                self.function(node)
            return node
        if kind is gast.ClassDef:
            self.decorators(node)
            self.class_(node)
            return node
        if kind is gast.Call:
            self.context.called[id(node.func)] = node.func
        if kind is gast.TryStar:
            self.raised_again.update(map(id, raised_by(node)))
        wanted = self.context.wanted_of(node)
        for part, part_wanted in wanted_of_parts(node, wanted):
            self.context.note_wanted(part, part_wanted)
        if kind in COMPREHENSIONS and comprehensions.may_be_call(node, self.context):
            self.context.comprehensions[id(node)] = node
            for generator in node.generators:
                comprehensions.join_tests(generator)
        self.children(node)
        rule = None if id(node) in self.raised_again else RULES.get(kind)
        return node if rule is None or is_operator_call(node) else rule(node, self.context)

    def children(self, node: Any) -> None:
        for field in node._fields:
            if field == "annotation" or field == "pattern":
                continue
            value = getattr(node, field, None)
            if isinstance(value, list):
                self.list(value)
            elif isinstance(value, gast.AST):
                if field == "format_spec" and isinstance(value, gast.JoinedStr):
                    self.children(value)
                elif field == "iter" and isinstance(node, gast.comprehension):
                    # An assignment expression may not stand there, so nothing may need one.
                    self.context.may_assign, before = False, self.context.may_assign
                    setattr(node, field, self.visit(value))
                    self.context.may_assign = before
                else:
                    setattr(node, field, self.visit(value))


def wanted_of_parts(node: Any, wanted: Wanted) -> list[tuple[Any, Wanted]]:
    """The parts of a node of whose values not everything is wanted."""
    match node:
        case gast.If() | gast.While() | gast.Assert():
            return [(node.test, TEST)]
        case gast.IfExp():
            return [(node.test, TEST), (node.body, wanted), (node.orelse, wanted)]
        case gast.UnaryOp(op=gast.Not()) if wanted == TEST:
            return [(node.operand, TEST)]
        case gast.comprehension():
            return [(test, TEST) for test in node.ifs]
        case gast.BoolOp():
            first = _of_first(node, wanted)
            return [*((value, first) for value in node.values[:-1]), (node.values[-1], wanted)]
    return []


def _of_first(node: gast.BoolOp, wanted: Wanted) -> Wanted:
    """What is wanted of the operands of `and` or `or` that another one follows."""
    if isinstance(node.op, gast.And):
        return Wanted(False, wanted.when_false)
    return Wanted(wanted.when_true, False)
