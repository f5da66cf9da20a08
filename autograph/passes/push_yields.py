"""Turn a generator function inside out: it hands what it yields to a consumer, and ends when that says so.

>>> show(push_yields, '''
... def halves(x):
...     while x > 1:
...         yield x
...         x = x / 2
...     yield from [1, 0]
... ''')
def halves(consumer, /, x):
    while x > 1:
        if not ag__.give(consumer, x):
            return
        x = x / 2
    for item in [1, 0]:
        if not ag__.give(consumer, item):
            return

No part of the pipeline: a generator is a generator where Python pulls items out of it. A stage whose loop
consumes one asks for this form (`conversion.inside_out`). Refused is what has no such form: a value that is
sent in and used, what `yield from` gives, and a `yield` inside a `try` or a `with`, which would see what
happens in the consumer.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.jumps import TRIES, blocks, suspends
from autograph.errors import ConversionError, error_at_node
from autograph.passes.context import Context
from autograph.template import constant, locate, name, operator_call
from autograph.template import show as show

_OUTSIDE = "yield outside of it, or put it around the loop that goes over the generator"


def push_yields(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Rewrite the module's function, or the one that `emit.wrap` put into it."""
    context = context or Context(tree)
    function = _function(tree)
    consumer = context.fresh("consumer")
    push = _Push(consumer, context)
    function.body = push.block(function.body)
    function.args.posonlyargs.insert(0, name(consumer, function, gast.Param()))
    return tree


def _function(tree: Any) -> Any:
    node = tree.body[-1]
    if isinstance(node, gast.FunctionDef) and node.name == "around":
        node = node.body[-1]
    if isinstance(node, gast.ClassDef):
        node = node.body[0]
    if not isinstance(node, gast.FunctionDef):
        raise error_at_node(
            ConversionError,
            "it is a lambda that yields, or asynchronous",
            node,
            hint="write the generator with `def`",
        )
    return node


class _Push:
    """The statements of one generator function."""

    def __init__(self, consumer: str, context: Context) -> None:
        self.consumer = consumer
        self.context = context
        self.depth = 0

    def block(self, statements: list[Any]) -> list[Any]:
        return [made for statement in statements for made in self.statement(statement)]

    def statement(self, statement: Any) -> list[Any]:
        if isinstance(statement, gast.Return):
            end = locate(gast.Return(None), statement)
            if statement.value is None or isinstance(statement.value, gast.Constant):
                return [end]
            self.refuse_suspension(statement.value)
            return [locate(gast.Expr(statement.value), statement), end]
        if not suspends(statement):
            return [statement]
        if isinstance(statement, gast.Expr) and isinstance(statement.value, (gast.Yield, gast.YieldFrom)):
            return self.yield_(statement.value, statement)
        if isinstance(statement, (gast.Assign, gast.AnnAssign)) and isinstance(statement.value, gast.Yield):
            nothing_sent = constant(None, statement.value)
            given = self.yield_(statement.value, statement)
            statement.value = nothing_sent  # by a loop
            return [*given, statement]
        self.refuse_catching(statement)
        for part in _expressions(statement):
            self.refuse_suspension(part)
        if not blocks(statement):
            raise _refusal("the value of a `yield` is used", statement, "yield in a statement of its own")
        for block in blocks(statement):
            block[:] = self.block(list(block))
        return [statement]

    def yield_(self, node: Any, at: Any) -> list[Any]:
        value = node.value if node.value is not None else constant(None, node)
        self.refuse_suspension(value)
        if isinstance(node, gast.Yield):
            return [self.give(value, at)]
        self.depth += 1
        item = self.context.fresh("item", self.depth - 1)
        target = name(item, at, gast.Store())
        return [locate(gast.For(target, value, [self.give(name(item, at), at)], [], None), at)]

    def give(self, value: Any, at: Any) -> Any:
        """`if not ag__.give(consumer, value): return`."""
        taken = operator_call("give", [name(self.consumer, at), value], at)
        ended = locate(gast.UnaryOp(gast.Not(), taken), at)
        return locate(gast.If(ended, [locate(gast.Return(None), at)], []), at)

    def refuse_catching(self, statement: Any) -> None:
        """What happens in the consumer must not be seen here, unless this is a context manager."""
        if self.context.options.sees_consumer and isinstance(statement, (gast.With, gast.Try)):
            if not any(map(suspends, getattr(statement, "finalbody", []))):
                return
        if isinstance(statement, (gast.With, gast.AsyncWith, gast.AsyncFor)):
            raise _refusal("it yields inside a `with` or `async` statement", statement, _OUTSIDE)
        if isinstance(statement, TRIES):
            raise _refusal("it yields inside a `try`", statement, _OUTSIDE)

    def refuse_suspension(self, expression: Any) -> None:
        if suspends(expression):
            raise _refusal("the value of a `yield` is used", expression, "yield in a statement of its own")


def _expressions(statement: Any) -> list[Any]:
    """The expressions of a compound statement itself."""
    fields = ("test", "iter", "target", "subject", "items")
    guards = [case.guard for case in getattr(statement, "cases", []) if case.guard is not None]
    return guards + [
        value for field in fields if isinstance(value := getattr(statement, field, None), gast.AST)
    ]


def _refusal(reason: str, node: Any, hint: str) -> ConversionError:
    return error_at_node(ConversionError, reason, node, hint=hint)
