"""The flags of jumps that were written without jumping: `do_return`, `do_break`, `do_continue`.

A flag is stored where the jump stood, and looked at by what must not run then. What nobody looks at goes.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import gast

from autograph.analysis.jumps import blocks
from autograph.passes.context import Context
from autograph.records import record
from autograph.template import assign, constant, locate, name

_KINDS = ("break", "continue", "return")


@record(frozen=False)
class Pending:
    """Lowered jumps that still have to be honoured by what follows: by kind, the stores to its flag."""

    stores: dict[str, list[gast.Assign]] = field(default_factory=dict)
    begins: list[gast.Assign] = field(default_factory=list)
    """Stores of `do_return = False`, superfluous when one more comes further out."""

    def add(self, other: Pending) -> None:
        for kind, stores in other.stores.items():
            self.stores.setdefault(kind, []).extend(stores)
        self.begins += other.begins

    def only(self, *kinds: str) -> Pending:
        return Pending({kind: stores for kind, stores in self.stores.items() if kind in kinds}, self.begins)

    def __bool__(self) -> bool:
        return bool(self.stores)


class JumpFlags:
    """The flags of one function."""

    def __init__(self, context: Context, loops: list[Pending]) -> None:
        self.context = context
        self.loops = loops  # around the statement that is being lowered
        self.stores: dict[int, gast.Assign] = {}  # the nodes too, so that no other gets such an identity
        self.needed: set[int] = set()

    def flag(self, kind: str) -> str:
        """The variable that says that this jump is under way."""
        return self.context.fresh(f"do_{kind}", 0 if kind == "return" else len(self.loops) - 1)

    def store(self, kind: str, value: bool, at: gast.AST) -> gast.Assign:
        """A store to it, which goes again unless somebody says that it is needed."""
        made = assign(self.flag(kind), constant(value, at), at)
        self.stores[id(made)] = made
        return made

    def need(self, *stores: gast.Assign) -> None:
        self.needed.update(map(id, stores))

    def are_needed(self, stores: list[gast.Assign]) -> bool:
        return any(id(store) in self.needed for store in stores)

    def none_of(self, pending: Pending, at: gast.AST) -> Any:
        """`not do_break`, or `not (do_break or do_return)`: none of the jumps is under way."""
        kinds = [kind for kind in _KINDS if kind in pending.stores]
        for kind in kinds:
            self.need(*pending.stores[kind])
        flags = [name(self.flag(kind), at) for kind in kinds]
        test = flags[0] if len(flags) == 1 else locate(gast.BoolOp(gast.Or(), flags), at)
        return locate(gast.UnaryOp(gast.Not(), test), at)

    def without_unused(self, statements: list[Any]) -> list[Any]:
        """The statements without the stores that nobody needs."""
        kept = []
        for statement in statements:
            if id(statement) in self.stores and id(statement) not in self.needed:
                continue
            emptied = []
            for block in blocks(statement):
                jump = block[:1]
                block[:] = self.without_unused(block)
                if jump and not block:
                    # It does nothing, at the place of the jump: whoever watches the lines sees it.
                    block.append(locate(gast.Pass(), jump[0]))
                    emptied.append(block)
            if isinstance(statement, gast.If) and statement.orelse and emptied == [statement.body]:
                _swap_branches(statement)
            kept.append(statement)
        return kept

    def begin_return(self, pending: Pending, made: list[Any]) -> list[Any]:
        """`do_return = False` before a statement that may set it; only the outermost one is needed."""
        for begin in pending.begins:
            self.needed.discard(id(begin))
        begin = self.store("return", False, made[0])
        self.need(begin)
        pending.begins = [begin]
        return [begin, *made]


def _swap_branches(statement: gast.If) -> None:
    test = statement.test
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        statement.test = test.operand
    else:
        statement.test = locate(gast.UnaryOp(gast.Not(), test), test)
    statement.body, statement.orelse = statement.orelse, statement.body
