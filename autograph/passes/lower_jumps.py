"""Write `return`, `break`, `continue` and a loop's `else` without jumping, where a closure will stand between
the jump and its target.

What follows `if c: return x` moves into the other branch; a flag is set where that cannot be done: in loops,
and where a branch may or may not jump.

>>> show(lower_jumps, '''
... def f(xs):
...     for x in xs:
...         if x > 3:
...             return x
...     return 0
... ''')
def f(xs):
    do_return = False
    for x in xs:
        if x > 3:
            retval = x
            do_return = True
    if not do_return:
        retval = 0
    return retval

The loop above also carries an attribute `go_on`, the tree of `not do_return`: what must hold after an
iteration for the loop to go on. A `continue` that is left in a converted loop ends its body's closure.

The flags of jumps that were written without jumping: `do_return`, `do_break`, `do_continue`.

A flag is stored where the jump stood, and looked at by what must not run then. What nobody looks at goes.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import Any

import gast

from autograph.analysis.jumps import LOOPS, TRIES, Jumps, blocks
from autograph.analysis.names import Collector
from autograph.analysis.static import StaysPython, own_nodes
from autograph.passes.context import Context
from autograph.records import record
from autograph.template import assign, constant, locate, name
from autograph.template import show as show

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


_DEEPEST = 12  # how many times what follows an `if` moves into it, before flags keep the program flat


def lower_jumps(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Rewrite the jumps of every function."""
    context = context or Context(tree)
    for function in context.functions:
        if not isinstance(function, gast.Lambda):
            _Lowering(function, context).run()
    return tree


class _Region(Enum):
    """Where a block stands, which says what a jump in it may be."""

    FUNCTION = "in the function's own frame: jumps stay"
    LOOP = "in the closure that is a loop's body: jumps set a flag and end the closure"
    BRANCH = "in the closure of a branch: jumps set a flag, and what follows looks at it"


class _Lowering:
    """The jumps of one function."""

    def __init__(self, function: Any, context: Context) -> None:
        self.function = function
        self.context = context
        self.jumps = Jumps()
        self.stays = StaysPython(function, self.jumps)
        self.loops: list[Pending] = []  # of the loops around, the jumps made straight from their bodies
        self.flags = JumpFlags(context, self.loops)
        self.depth = 0
        self.dropped: list[Any] = []
        self.gives_value = _gives_value(function.body)

    def run(self) -> None:
        body = self.function.body
        if self._returns_from_closures(body, False) and self.jumps.completes(body):
            body = [*body, locate(gast.Return(None), body[-1])]
        body, pending = self.block(body, _Region.FUNCTION)
        if pending and self.gives_value:
            value = name(self.context.fresh("retval"), body[-1])
            body.append(locate(gast.Return(value), body[-1]))
        self.function.body = self._keep_scope(self.flags.without_unused(body))

    def _returns_from_closures(self, statements: list[Any], in_closure: bool) -> bool:
        for statement in statements:
            if isinstance(statement, gast.Return):
                if in_closure:
                    return True
            elif "return" in self.jumps.leaving(statement):
                inside = in_closure or not self.stays(statement)
                if any(self._returns_from_closures(block, inside) for block in blocks(statement)):
                    return True
        return False

    def _keep_scope(self, body: list[Any]) -> list[Any]:
        """Dead code went, but what it bound is still local, and its `yield` still makes a generator."""
        if not self.dropped:
            return body
        collector = Collector()
        lost, kept = collector.collect(*self.dropped), collector.collect(*body)
        bound = (lost.writes.keys() | lost.deletes) - (kept.writes.keys() | kept.deletes)
        scope = collector.scope(self.function)
        bound -= {*scope.params, *scope.nonlocals, *scope.globals}
        at = self.dropped[0]
        dead: list[Any] = [assign(variable, constant(None, at), at) for variable in sorted(bound)]
        if any(map(_yields, self.dropped)) and not any(map(_yields, body)):
            dead.append(locate(gast.Expr(locate(gast.Yield(None), at)), at))
        if not dead:
            return body
        start = 1 if is_docstring(body[0]) else 0
        return [*body[:start], locate(gast.If(constant(False, at), dead, []), at), *body[start:]]

    # Blocks

    def block(self, statements: list[Any], region: _Region) -> tuple[list[Any], Pending]:
        """The block without the jumps that must go, and those that its surroundings have to honour."""
        done: list[Any] = []
        for position, statement in enumerate(statements):
            rest = statements[position + 1 :]
            if isinstance(statement, (gast.Return, gast.Break, gast.Continue)):
                self.dropped += rest
                made, pending = self.jump(statement, region)
                return done + made, pending
            jumps = bool(self.jumps.leaving(statement)) and not self.stays(statement)
            if isinstance(statement, gast.If) and jumps:
                made, pending, rest = self.branch(statement, rest)
            elif isinstance(statement, gast.Try) and jumps:
                made, pending, rest = self.attempt(statement, rest)
            else:
                made, pending, orelse = self.other(statement, region)
                if not orelse and not pending:
                    done += made
                    continue
                rest = orelse + rest
            following, later = self.rest_of_block(pending, rest, region)
            if pending and self._sets_return_flag(statement, pending, bool(rest)):
                made = self.flags.begin_return(pending, made)
            pending.add(later)
            return done + made + following, pending
        return done, Pending()

    def rest_of_block(self, pending: Pending, rest: list[Any], region: _Region) -> tuple[list[Any], Pending]:
        """What follows a statement: to be run unless it has set a flag."""
        if not pending or not rest:
            return self.block(rest, region)
        groups = [rest] if self.depth < _DEEPEST else self.flat_groups(rest)
        made: list[Any] = []
        later = Pending()
        self.depth += 1
        for group in groups:
            seen = Pending()
            seen.add(pending)
            seen.add(later)
            test = self.flags.none_of(seen, group[0])
            body, more = self.block(group, _Region.BRANCH)
            made.append(locate(gast.If(test, body, []), group[0]))
            later.add(more)
        self.depth -= 1
        return made, later

    def flat_groups(self, rest: list[Any]) -> list[list[Any]]:
        """Statements up to and including one that jumps, and so on."""
        groups: list[list[Any]] = [[]]
        for statement in rest:
            groups[-1].append(statement)
            if self.jumps.leaving(statement):
                groups.append([])
        return [group for group in groups if group]

    def _sets_return_flag(self, statement: Any, pending: Pending, is_looked_at: bool) -> bool:
        if self.loops or "return" not in pending.stores:
            return False
        return is_looked_at or (isinstance(statement, LOOPS) and not self.stays(statement))

    # Statements

    def jump(self, statement: Any, region: _Region) -> tuple[list[Any], Pending]:
        if region is _Region.FUNCTION:
            return [statement], Pending()
        kind = type(statement).__name__.lower()
        store = self.flags.store(kind, True, statement)
        made: list[Any] = [store]
        if kind == "return" and self.gives_value:
            value = statement.value or constant(None, statement)
            made.insert(0, assign(self.context.fresh("retval"), value, statement))
        pending = Pending({kind: [store]})
        if region is _Region.BRANCH:
            return made, pending
        self.loops[-1].add(pending)
        return [*made, locate(gast.Continue(), statement)], Pending()

    def branch(self, statement: gast.If, rest: list[Any]) -> tuple[list[Any], Pending, list[Any]]:
        """An `if` that jumps. What follows moves into the branch that does not, if there is one."""
        then, orelse = statement.body, statement.orelse
        then_completes, else_completes = self.jumps.completes(then), self.jumps.completes(orelse)
        deeper = 0
        if not then_completes and not else_completes:
            self.dropped += rest
            rest = []
        elif not (then_completes and else_completes) and self.depth < _DEEPEST:
            deeper = 1
            if then_completes:
                then = then + rest
            else:
                orelse = orelse + rest
            rest = []
        self.depth += deeper
        statement.body, pending = self.block(then, _Region.BRANCH)
        statement.orelse, more = self.block(orelse, _Region.BRANCH)
        self.depth -= deeper
        pending.add(more)
        return [statement], pending, rest

    def attempt(self, statement: gast.Try, rest: list[Any]) -> tuple[list[Any], Pending, list[Any]]:
        """A `try` that jumps. What follows moves into `else` when every handler jumps."""
        completes = self.jumps.completes
        handled = any(completes(handler.body) for handler in statement.handlers)
        body = completes(statement.body) and completes(statement.orelse)
        deeper = 0
        if not completes([statement]):
            self.dropped += rest
            rest = []
        elif body and not handled and not statement.finalbody and self.depth < _DEEPEST:
            if not self.jumps.of_block(statement.body):
                deeper = 1
                statement.orelse = statement.orelse + rest
                rest = []
        self.depth += deeper
        pending = self.try_(statement, _Region.BRANCH)
        self.depth -= deeper
        return [statement], pending, rest

    def other(self, statement: Any, region: _Region) -> tuple[list[Any], Pending, list[Any]]:
        """Any other statement; also what must run after it, unless it has set a flag: a loop's `else`."""
        if isinstance(statement, LOOPS) and not self.stays(statement):
            return self.loop(statement)
        if isinstance(statement, LOOPS):
            region = _Region.FUNCTION
        elif isinstance(statement, (gast.If, gast.Try)) and not self.stays(statement):
            region = _Region.BRANCH
            if isinstance(statement, gast.Try):
                return [statement], self.try_(statement, region), []
        elif isinstance(statement, TRIES):
            return [statement], self.try_(statement, region), []
        pending = Pending()
        for block in blocks(statement):
            block[:], more = self.block(list(block), region)
            pending.add(more)
        return [statement], pending, []

    def loop(self, statement: Any) -> tuple[list[Any], Pending, list[Any]]:
        outer_depth, self.depth = self.depth, 0
        self.loops.append(Pending())
        body, pending = self.block(statement.body, _Region.LOOP)
        pending.add(self.loops[-1])
        skips = pending.stores.get("continue", [])
        if self.flags.are_needed(skips):
            begin = self.flags.store("continue", False, body[0])
            self.flags.need(begin)
            body.insert(0, begin)
        if body and isinstance(body[-1], gast.Continue):
            body.pop()
        statement.body = body
        made: list[Any] = [statement]
        ends = pending.only("break", "return")
        orelse, statement.orelse = statement.orelse, []
        if ends:
            self._end_early(statement, self.flags.none_of(ends, statement))
        if "break" in ends.stores:
            begin = self.flags.store("break", False, statement)
            self.flags.need(begin)
            made.insert(0, begin)
            if orelse:
                no_break = self.flags.none_of(ends.only("break"), orelse[0])
                orelse = [locate(gast.If(no_break, orelse, []), orelse[0])]
        self.loops.pop()
        self.depth = outer_depth
        return made, pending.only("return"), orelse

    @staticmethod
    def _end_early(statement: Any, go_on: Any) -> None:
        if isinstance(statement, gast.For):
            statement.go_on = go_on
        elif isinstance(statement.test, gast.Constant) and statement.test.value:
            statement.test = go_on
        else:
            statement.test = locate(gast.BoolOp(gast.And(), [go_on, statement.test]), statement.test)

    def try_(self, statement: Any, region: _Region) -> Pending:
        late = any(blocks(inner) and self.jumps.leaving(inner) for inner in statement.body)
        statement.body, pending = self.block(statement.body, region)
        if pending and statement.orelse:
            test = self.flags.none_of(pending, statement.orelse[0])
            statement.orelse = [locate(gast.If(test, statement.orelse, []), statement.orelse[0])]
            statement.orelse[0].body, more = self.block(statement.orelse[0].body, _Region.BRANCH)
            if self._sets_return_flag(statement, pending, is_looked_at=True):
                statement.body = self.flags.begin_return(pending, statement.body)
        else:
            statement.orelse, more = self.block(statement.orelse, region)
        for handler in statement.handlers:
            resets = []
            if late:  # a flag was set, and then leaving a `with` in the body raised: the jump is off
                for kind, stores in pending.stores.items():
                    resets.append(self.flags.store(kind, False, handler))
                    stores.append(resets[-1])
            handler.body, raised = self.block(handler.body, region)
            handler.body = resets + handler.body
            more.add(raised)
        statement.finalbody, final = self.block(statement.finalbody, region)
        pending.add(more)
        pending.add(final)
        return pending


def _gives_value(statements: list[Any]) -> bool:
    """Is there a `return` of anything but None?"""
    for statement in statements:
        if isinstance(statement, gast.Return):
            if not (
                statement.value is None
                or isinstance(statement.value, gast.Constant)
                and statement.value.value is None
            ):
                return True
        elif any(map(_gives_value, blocks(statement))):
            return True
    return False


def is_docstring(statement: Any) -> bool:
    """Is the statement, the first of a function, its documentation?"""
    return (
        isinstance(statement, gast.Expr)
        and isinstance(statement.value, gast.Constant)
        and isinstance(statement.value.value, str)
    )


def _yields(statement: Any) -> bool:
    return any(isinstance(node, (gast.Yield, gast.YieldFrom)) for node in own_nodes(statement))
