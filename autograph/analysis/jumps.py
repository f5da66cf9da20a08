"""Where control may leave a statement: `return`, `break`, `continue`, `yield`; whether it reaches the end.

>>> loop = gast.parse("while True:\\n  if c: break\\n  return 1").body[0]
>>> jumps = Jumps()
>>> sorted(jumps.leaving(loop)), jumps.completes([loop])
(['return'], True)
"""

from __future__ import annotations

from typing import Any

import gast

LOOPS = (gast.For, gast.AsyncFor, gast.While)
TRIES = (gast.Try, gast.TryStar)
SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)
_SUSPENDING = (gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith)
_NONE: frozenset[str] = frozenset()


def blocks(statement: Any) -> list[list[gast.stmt]]:
    """The blocks of a compound statement; empty for a simple one, and for a function or class definition.

    >>> len(blocks(gast.parse("try: f()\\nfinally: g()").body[0]))
    3
    """
    if isinstance(statement, (gast.If, *LOOPS)):
        return [statement.body, statement.orelse]
    if isinstance(statement, (gast.With, gast.AsyncWith)):
        return [statement.body]
    if isinstance(statement, TRIES):
        handlers = [handler.body for handler in statement.handlers]
        return [statement.body, *handlers, statement.orelse, statement.finalbody]
    if isinstance(statement, gast.Match):
        return [case.body for case in statement.cases]
    return []


class Jumps:
    """Answers about statements; each statement is looked at once."""

    def __init__(self) -> None:
        self._leaving: dict[int, frozenset[str]] = {}

    def leaving(self, statement: Any) -> frozenset[str]:
        """The kinds of jumps in a statement that go out of it."""
        if isinstance(statement, gast.Return):
            return frozenset({"return"})
        if isinstance(statement, gast.Break):
            return frozenset({"break"})
        if isinstance(statement, gast.Continue):
            return frozenset({"continue"})
        parts = blocks(statement)
        if not parts:
            return _NONE
        known = self._leaving.get(id(statement))
        if known is None:
            if isinstance(statement, LOOPS):
                known = (self.of_block(statement.body) & {"return"}) | self.of_block(statement.orelse)
            else:
                known = _NONE.union(*map(self.of_block, parts))
            self._leaving[id(statement)] = known
        return known

    def of_block(self, statements: list[gast.stmt]) -> frozenset[str]:
        """The kinds of jumps that go out of a block."""
        found = _NONE
        for statement in statements:
            found |= self.leaving(statement)
        return found

    def completes(self, statements: list[gast.stmt]) -> bool:
        """May control come out at the end of the block?"""
        return all(map(self._statement_completes, statements))

    def _statement_completes(self, statement: Any) -> bool:
        if isinstance(statement, (gast.Return, gast.Break, gast.Continue, gast.Raise)):
            return False
        if isinstance(statement, gast.If):
            return self.completes(statement.body) or self.completes(statement.orelse)
        if isinstance(statement, gast.While):
            endless = isinstance(statement.test, gast.Constant) and bool(statement.test.value)
            return not endless or "break" in self.of_block(statement.body)
        if isinstance(statement, TRIES):
            body = self.completes(statement.body) and self.completes(statement.orelse)
            handled = any(self.completes(handler.body) for handler in statement.handlers)
            return (body or handled) and self.completes(statement.finalbody)
        return True  # a `with` too: its context manager may suppress the exception that left the block


def is_suspension(node: Any) -> bool:
    """Is the node itself a `yield`, an `await`, or one of the `async` constructs?"""
    return isinstance(node, _SUSPENDING) or bool(getattr(node, "is_async", 0))


def suspends(node: Any) -> bool:
    """Does this code, in its own scope, hold a `yield` or an `await`?

    >>> suspends(gast.parse("x = yield").body[0]), suspends(gast.parse("def g(): yield").body[0])
    (True, False)
    """
    pending = [node]
    while pending:
        node = pending.pop()
        if is_suspension(node):
            return True
        if isinstance(node, SCOPES):
            pending += outside_of(node)
            continue
        for field in node._fields:
            value = getattr(node, field, None)
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, gast.AST):
                    pending.append(item)
    return False


def outside_of(definition: Any) -> list[Any]:
    """What a definition evaluates in the scope around it: decorators, defaults, bases."""
    if isinstance(definition, gast.ClassDef):
        return [*definition.decorator_list, *definition.bases, *definition.keywords]
    arguments = definition.args
    defaults = [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]
    return [*defaults, *getattr(definition, "decorator_list", ())]
