"""Why a statement stays Python's: the rules of `analysis/static.py`, said in words.

>>> function = gast.parse("def f(x):\\n  while x:\\n    yield x").body[0]
>>> Reasons(function).of(function.body[0]).text
'the function is suspended inside it (`yield` on line 3)'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from autograph.analysis.jumps import TRIES, Jumps, blocks, is_suspension, suspends
from autograph.analysis.static import (
    StaysPython,
    counts_frames,
    is_static,
    only_imports,
    own_nodes,
    reads_frame,
    unbound_by,
)
from autograph.template import unparse


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, and where the cause stands. `code` is that of the finding, None where all is well as it is."""

    text: str
    code: str | None = None
    node: Any = None


class Reasons:
    """Answers for the statements of one function, as the user wrote it."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.jumps = Jumps()
        self.stays = StaysPython(function, self.jumps)

    def of(self, statement: Any) -> Reason | None:
        """Why the statement stays, None where it always does and nothing is lost: a `with`."""
        if isinstance(statement, (gast.With, gast.AsyncWith)):
            return None
        if isinstance(statement, gast.TryStar):
            return Reason("`except*` has no staged form", "AG102", statement)
        if isinstance(statement, gast.If) and is_static(statement.test):
            return Reason("its test is the same for the whole life of the program")
        if isinstance(statement, gast.Try) and only_imports(statement):
            return Reason("there is nothing in it but imports")
        return (
            self._of_frame(statement)
            or self._of_raise(statement)
            or self._of_unbinding(statement)
            or self._of_suspension(statement)
            or self._of_jump(statement)
        )

    def _of_frame(self, statement: Any) -> Reason | None:
        if self.stays.reads_frame:
            call = next(node for node in self._own_nodes() if reads_frame(node))
            return Reason(
                f"the function calls `{call.func.id}()` on line {call.lineno}, which sees its variables, "
                "so they must stay where they are",
                "AG202",
                call,
            )
        call = next((node for node in own_nodes(statement) if counts_frames(node)), None)
        if call is not None and self.stays.counts_frames:
            what = unparse(call.func)
            return Reason(f"`{what}` on line {call.lineno} counts the frames that call it", "AG203", call)
        return None

    def _of_raise(self, statement: Any) -> Reason | None:
        if not self.stays.raises_again(statement):
            return None
        cause = next(node for node in own_nodes(statement) if isinstance(node, gast.Raise))
        text = f"`raise` on line {cause.lineno} stands in an `except*`, and may raise again what it caught"
        return Reason(text, "AG102", cause)

    def _of_unbinding(self, statement: Any) -> Reason | None:
        cause = self.stays.unbinds_outside(statement) if self.stays.unbound_outside else None
        if cause is None:
            return None
        variable = next(n for n in unbound_by(cause) if n in self.stays.unbound_outside)
        return Reason(
            f"`{variable}`, which others see too, has no value any more after line {cause.lineno}",
            "AG208",
            cause,
        )

    def _own_nodes(self) -> list[Any]:
        return [node for part in self.function.body for node in own_nodes(part)]

    def _of_suspension(self, statement: Any) -> Reason | None:
        if not suspends(statement):
            return None
        cause = next(node for node in own_nodes(statement) if is_suspension(node))
        word = _SUSPENSIONS.get(type(cause), "async")
        line = getattr(cause, "lineno", statement.lineno)
        at = cause if hasattr(cause, "lineno") else statement
        text = f"the function is suspended inside it (`{word}` on line {line})"
        return Reason(text, "AG303" if word.startswith("yield") else "AG201", at)

    def _of_jump(self, statement: Any) -> Reason:
        jump = _jump_in([statement])
        word = type(jump).__name__.lower() if jump is not None else "jump"
        line = jump.lineno if jump is not None else statement.lineno
        if self._leaves_finally(statement):
            text = f"`{word}` on line {line} leaves a `finally`, which has no other spelling"
        elif self.stays.suspends and word == "return":
            text = f"`return` on line {line} ends a function that `yield` or `await` suspends"
            is_async = isinstance(self.function, gast.AsyncFunctionDef)
            return Reason(text, "AG201" if is_async else "AG303", jump)
        else:
            text = f"`{word}` on line {line} leads to, or through, a statement that stays Python's"
        return Reason(text, "AG204", jump or statement)

    def _leaves_finally(self, statement: Any) -> bool:
        nodes = [node for part in self.function.body for node in own_nodes(part)]
        tries = [node for node in nodes if isinstance(node, TRIES) and node.finalbody]
        inside = {id(node) for t in tries for s in t.finalbody for node in own_nodes(s)}
        held = [node for node in own_nodes(statement) if isinstance(node, TRIES) and node.finalbody]
        return id(statement) in inside or any(self.jumps.of_block(node.finalbody) for node in held)


_SUSPENSIONS: dict[type, str] = {
    gast.Yield: "yield",
    gast.YieldFrom: "yield from",
    gast.Await: "await",
    gast.AsyncFor: "async for",
    gast.AsyncWith: "async with",
}


def _jump_in(statements: list[Any]) -> Any:
    """The first `return`, `break` or `continue` that stands in the statements."""
    for statement in statements:
        if isinstance(statement, (gast.Return, gast.Break, gast.Continue)):
            return statement
        for block in blocks(statement):
            found = _jump_in(block)
            if found is not None:
                return found
    return None
