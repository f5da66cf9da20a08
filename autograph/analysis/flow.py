"""The control-flow graph of a function, and what flows along it: which names are live, bound, maybe bound.

One node per simple statement or test; sets of names are bit masks. The fixpoints are in `fixpoints.py`.

>>> tree = gast.parse("def f(c):\\n if c: y = 1\\n else: y = 2\\n return y")
>>> flow = Flow(tree.body[0])
>>> statement = tree.body[0].body[0]
>>> flow.live_after(statement), flow.bound_before(tree.body[0].body[1])
({'y'}, {'y'})
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any

import gast

from autograph.analysis.fixpoints import Forward, Node, live_before
from autograph.analysis.names import Collector, Function, Names, Scope
from autograph.records import record


@record(frozen=False)
class Points:
    """The places of a compound statement in the graph."""

    before: int
    blocks: list[int]
    """Where its blocks begin, in program order (for a loop: its test, its body)."""
    after: int = -1


@record(frozen=False)
class _Loop:
    again: int
    leave: int
    tries: int


@record(frozen=False)
class _Try:
    """Where a statement inside a `try` goes when it raises, or jumps through `finally`."""

    handlers: list[int]
    final: int | None
    suppresses: int | None = None
    jumps: set[int] = field(default_factory=set)


class Flow:
    """The graph of one function. Names that closures share count as live everywhere."""

    def __init__(self, function: Function, collector: Collector | None = None) -> None:
        self.collector = collector or Collector()
        self.scope: Scope = self.collector.scope(function)
        scope = self.scope
        known = [*scope.local, *sorted(scope.globals), *sorted(scope.nonlocals)]
        self.index = {name: position for position, name in enumerate(known)}
        self.names = known
        self.always_live = self.mask(scope.captured | scope.globals | scope.nonlocals)
        self.nodes: list[Node] = []
        self.points: dict[int, Points] = {}
        """Of every statement, by the identity of its tree node."""
        self.code: dict[int, tuple[Any, ...]] = {}
        """What a node evaluates: a simple statement, or expressions of a compound one."""
        self._loops: list[_Loop] = []
        self._tries: list[_Try] = []
        self.exit = self._node()
        self.entry = self._node()
        statements = [function.body] if isinstance(function, gast.Lambda) else function.body
        self._connect(self._block(statements, self.entry), self.exit)
        self._solve()

    def _solve(self) -> None:
        scope = self.scope
        start = self.mask(scope.params) | self.mask(scope.globals | scope.nonlocals)
        everything = (1 << len(self.names)) - 1
        self.live = live_before(self.nodes, self.always_live)
        steps = Forward(self.nodes, self.entry, start, everything, self.live)
        self.bound = steps.solve(surely=True)
        """Names that surely have a value, where context managers suppress no exception."""
        self.maybe = steps.solve(surely=False)
        self.strictly_bound = steps.solve(surely=True, swallows=True)
        """Names that surely have a value, whatever context managers and closures do."""
        if scope.closure_deletes:
            sure = ~self.mask(scope.closure_deletes)
            self.strictly_bound = [mask & sure for mask in self.strictly_bound]

    # Answers

    def mask(self, names: Iterable[str]) -> int:
        """A set of names as a bit mask; names of other scopes are left out."""
        result = 0
        for name in names:
            position = self.index.get(name)
            if position is not None:
                result |= 1 << position
        return result

    def names_in(self, mask: int) -> set[str]:
        """The opposite of `mask`."""
        return set(self.in_order(mask))

    def in_order(self, mask: int) -> tuple[str, ...]:
        """The names in a mask, in the order in which the function binds them."""
        found = []
        while mask:  # most masks hold few of many names
            lowest = mask & -mask
            found.append(self.names[lowest.bit_length() - 1])
            mask ^= lowest
        return tuple(found)

    def deleted(self) -> set[str]:
        """Names that some statement deletes, or leaves unbound, as the end of a handler does."""
        mask = 0
        for node in self.nodes:
            mask |= node.deletes | node.unbinds
        return self.names_in(mask)

    def live_after(self, statement: gast.stmt) -> set[str]:
        """Names whose value may be read after the statement."""
        return self.names_in(self.live_after_mask(statement))

    def live_after_mask(self, statement: gast.stmt) -> int:
        """`live_after` as a mask."""
        return self.live[self.points[id(statement)].after]

    def live_into_blocks_mask(self, statement: gast.stmt) -> int:
        """Names whose value from outside may be read in one of the statement's blocks, as a mask."""
        mask = 0
        for block in self.points[id(statement)].blocks:
            mask |= self.live[block]
        return mask

    def changed_mask(self, statement: gast.stmt) -> int:
        """Names that the statement may bind or delete, as a mask."""
        points = self.points[id(statement)]
        mask = 0
        for node in self.nodes[points.before : points.after]:
            mask |= node.writes | node.maybe_writes | node.deletes | node.unbinds
        return mask

    def bound_before(self, statement: gast.stmt) -> set[str]:
        """Names that surely have a value when the statement begins, whatever context managers do."""
        return self.names_in(self.bound_before_mask(statement))

    def bound_before_mask(self, statement: gast.stmt) -> int:
        """`bound_before` as a mask."""
        return self.strictly_bound[self.points[id(statement)].before]

    def maybe_bound_before(self, statement: gast.stmt) -> set[str]:
        """Names that may have a value when the statement begins."""
        return self.names_in(self.maybe_bound_before_mask(statement))

    def maybe_bound_before_mask(self, statement: gast.stmt) -> int:
        """`maybe_bound_before` as a mask."""
        return self.maybe[self.points[id(statement)].before]

    # Building

    def _node(self, names: Names | None = None, follows: Iterable[int] = ()) -> int:
        node = Node()
        if names is not None:
            node.reads = self.mask(names.reads)
            node.maybe_writes = self.mask(names.maybe_writes)
            node.writes = self.mask(names.writes) & ~node.maybe_writes
            node.deletes = self.mask(names.deletes)
            node.captures = self.mask(names.captures)
        number = len(self.nodes)
        self.nodes.append(node)
        if self._tries:
            innermost = self._tries[-1]
            node.raises = list(innermost.handlers)
            if innermost.suppresses is not None:
                node.swallows = [innermost.suppresses]
        for before in follows:
            self.nodes[before].next.append(number)
        return number

    def _connect(self, ends: Iterable[int], to: int) -> None:
        for end in ends:
            self.nodes[end].next.append(to)

    def _block(self, statements: list[Any], begin: int) -> list[int]:
        """Add statements after node `begin`; the nodes at which control leaves at their end."""
        ends = [begin]
        for statement in statements:
            method = _BUILD.get(type(statement))
            before = self._node(None, ends)
            points = self.points[id(statement)] = Points(before, [])
            if method is None:
                ends = [self._expression(before, statement)]
            else:
                ends = method(self, statement, points)
            points.after = self._node(None, ends)
            ends = [points.after]
        return ends

    def _expression(self, follows: int, *nodes: gast.AST | None) -> int:
        number = self._node(self.collector.collect(*nodes), [follows])
        self.code[number] = nodes
        return number

    def _if(self, statement: gast.If, points: Points) -> list[int]:
        test = self._expression(points.before, statement.test)
        ends = []
        for statements in (statement.body, statement.orelse):
            block = self._begin(points, [test])
            ends += self._block(statements, block)
        return ends

    def _begin(self, points: Points, follows: list[int]) -> int:
        """The begin of a block that may become a closure."""
        block = self._node(None, follows)
        self.nodes[block].begins_block = True
        points.blocks.append(block)
        return block

    def _while(self, statement: gast.While, points: Points) -> list[int]:
        head = self._node(None, [points.before])
        test = self._expression(head, statement.test)
        constant = isinstance(statement.test, gast.Constant) and bool(statement.test.value)
        return self._loop(statement, points, head, [test], [] if constant else [test], None)

    def _for(self, statement: gast.For, points: Points) -> list[int]:
        iterable = self._expression(points.before, statement.iter)
        head = self._node(None, [iterable])
        go_on = getattr(statement, "go_on", None)
        again = head
        if go_on is not None:  # "go on?", evaluated after each iteration
            again = self._expression(head, go_on)
            self.nodes[head].next.remove(again)
            self.nodes[again].next.append(head)
            points.blocks.append(again)  # it becomes a closure too, and sees what the body's has set
        ends = self._loop(statement, points, head, [head], [head], again, statement.target)
        if go_on is not None:
            ends.append(again)
        return ends

    def _loop(
        self,
        statement: Any,
        points: Points,
        head: int,
        into: list[int],
        out: list[int],
        again: int | None,
        target: gast.AST | None = None,
    ) -> list[int]:
        body = self._begin(points, into)
        points.blocks.append(head)
        leave = self._node()
        again = head if again is None else again
        begin = body if target is None else self._expression(body, target)
        self._loops.append(_Loop(again, leave, len(self._tries)))
        self._connect(self._block(statement.body, begin), again)
        self._loops.pop()
        ends = self._block(statement.orelse, self._node(None, out))
        return [*ends, leave] if out else [leave]

    def _with(self, statement: gast.With, points: Points) -> list[int]:
        items = self._expression(points.before, *statement.items)
        after = self._node()
        outer = self._tries[-1].handlers if self._tries else []
        suppresses = None if all(map(_lets_exceptions_through, statement.items)) else after
        self._tries.append(_Try(list(outer), None, suppresses))
        ends = self._block(statement.body, items)
        self._tries.pop()
        return [*ends, after]

    def _try(self, statement: gast.Try, points: Points) -> list[int]:
        outer = self._tries[-1].handlers if self._tries else []
        final = self._node() if statement.finalbody else None
        uncaught = outer if final is None else [final]
        dispatch = self._node()
        self.nodes[dispatch].raises = list(uncaught)
        body = self._node(None, [points.before])
        points.blocks.append(body)
        self._tries.append(_Try([dispatch], final))
        self.nodes[body].raises = [dispatch]
        ends = self._block(statement.body, body)
        jumps = self._tries.pop().jumps
        self._tries.append(_Try(list(uncaught), final))
        if statement.orelse:
            begin = self._node(None, ends)
            points.blocks.append(begin)
            ends = self._block(statement.orelse, begin)
        after_type = dispatch
        for handler in statement.handlers:
            after_type = self._expression(after_type, handler.type)
            begin = self._expression(after_type, handler.name)
            points.blocks.append(begin)
            ends += self._handler(handler, begin, uncaught)
        jumps |= self._tries.pop().jumps
        self._connect([after_type], uncaught[0] if uncaught else self.exit)
        if final is None:
            return ends
        self._connect(ends, final)
        points.blocks.append(final)
        final_ends = self._block(statement.finalbody, final)
        for target in [*jumps, *(outer or [self.exit])]:
            self._connect(final_ends, target)
        return final_ends

    def _handler(self, handler: gast.ExceptHandler, begin: int, uncaught: list[int]) -> list[int]:
        """The block of a handler. Its name is unbound afterwards, also when an exception leaves it."""
        if handler.name is None:
            return self._block(handler.body, begin)
        name = self.mask([handler.name.id])
        gone = self._node()
        self.nodes[gone].unbinds = name
        self._connect([gone], uncaught[0] if uncaught else self.exit)
        self._tries.append(_Try([gone], None))
        self.nodes[begin].raises = [gone]
        ends = self._block(handler.body, begin)
        self._tries.pop()
        unbind = self._node(None, ends)
        self.nodes[unbind].unbinds = name
        return [unbind]

    def _match(self, statement: gast.Match, points: Points) -> list[int]:
        here = self._expression(points.before, statement.subject)
        ends = []
        for case in statement.cases:
            names = self.collector.collect(case.pattern)
            names.maybe_writes |= names.writes.keys()
            tried = self._node(names, [here])
            names.maybe_writes = set()
            matched = self._node(names, [tried])
            guard = self._expression(matched, case.guard)
            block = self._node(None, [guard])
            points.blocks.append(block)
            ends += self._block(case.body, block)
            here = self._node(None, [tried, guard])
        return [*ends, here]

    def _return(self, statement: gast.Return, points: Points) -> list[int]:
        value = self._expression(points.before, statement.value)
        self._jump(value, self.exit, 0)
        return []

    def _raise(self, statement: gast.Raise, points: Points) -> list[int]:
        value = self._expression(points.before, statement.exc, statement.cause)
        self.nodes[value].next += self.nodes[value].raises
        return []

    def _break(self, statement: gast.Break, points: Points) -> list[int]:
        loop = self._loops[-1]
        self._jump(points.before, loop.leave, loop.tries)
        return []

    def _continue(self, statement: gast.Continue, points: Points) -> list[int]:
        loop = self._loops[-1]
        self._jump(points.before, loop.again, loop.tries)
        return []

    def _jump(self, node: int, target: int, depth: int) -> None:
        """Go to `target`, by way of the `finally` blocks of the statements that are left."""
        for inner in reversed(self._tries[depth:]):
            if inner.final is not None:
                inner.jumps.add(target)
                self._connect([node], inner.final)
                return
        self._connect([node], target)


# Context managers that never suppress an exception, by the names under which they are called.
_NEVER_SUPPRESS = frozenset(
    {"open", "errstate", "printoptions", "nullcontext", "closing", "redirect_stdout", "redirect_stderr"}
    | {"localcontext", "catch_warnings", "TemporaryDirectory", "TemporaryFile", "NamedTemporaryFile"}
)


def _lets_exceptions_through(item: gast.withitem) -> bool:
    """Is the context manager made by a call whose name is known?

    >>> _lets_exceptions_through(gast.parse("with np.errstate(all='ignore'): pass").body[0].items[0])
    True
    """
    called = getattr(item.context_expr, "func", None)
    return getattr(called, "attr", getattr(called, "id", None)) in _NEVER_SUPPRESS


_BUILD: dict[type, Any] = {
    gast.If: Flow._if,
    gast.While: Flow._while,
    gast.For: Flow._for,
    gast.AsyncFor: Flow._for,
    gast.With: Flow._with,
    gast.AsyncWith: Flow._with,
    gast.Try: Flow._try,
    gast.TryStar: Flow._try,
    gast.Match: Flow._match,
    gast.Return: Flow._return,
    gast.Raise: Flow._raise,
    gast.Break: Flow._break,
    gast.Continue: Flow._continue,
}
