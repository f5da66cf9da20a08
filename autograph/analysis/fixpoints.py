"""What flows along the steps of a program: the names that are live, bound, maybe bound, as bit masks.

A step of a fixpoint is a few integer operations.

>>> x, y = 1, 2
>>> steps = [Node(writes=x, next=[1]), Node(reads=x, writes=y, next=[2]), Node(reads=y)]
>>> live_before(steps, 0), Forward(steps, 0, 0, x | y, [x | y] * 3).solve(surely=True)
([0, 1, 2], [0, 1, 3])
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from autograph.records import record


@record(frozen=False)
class Node:
    """A step of the program, with what it does to names (as masks) and where it may go next."""

    reads: int = 0
    writes: int = 0
    maybe_writes: int = 0
    deletes: int = 0
    unbinds: int = 0
    """Deleted without a look: the name of a handler, when the handler is left."""
    captures: int = 0
    """Read by closures made here, perhaps later."""
    next: list[int] = field(default_factory=list)
    raises: list[int] = field(default_factory=list)
    """Where an exception in this step goes, within the function."""
    begins_block: bool = False
    swallows: list[int] = field(default_factory=list)
    """Where an exception goes that a context manager suppresses: counts for liveness only."""


def live_before(nodes: list[Node], always: int) -> list[int]:
    """The names whose values may be read from each node on; `always`: by others, wherever that is."""
    live = [always] * len(nodes)
    changed = True
    while changed:
        changed = False
        for number in range(len(nodes) - 1, -1, -1):
            node = nodes[number]
            after = _any(live, node.next)
            into = node.reads | (after & ~(node.writes | node.unbinds)) | node.deletes
            into |= _any(live, node.raises) | _any(live, node.swallows) | always
            if into != live[number]:
                live[number] = into
                changed = True
    return live


def _any(masks: list[int], numbers: Iterable[int]) -> int:
    found = 0
    for number in numbers:
        found |= masks[number]
    return found


class Forward:
    """Which names have a value before each node."""

    def __init__(self, nodes: list[Node], entry: int, start: int, everything: int, kept: list[int]) -> None:
        """`start`: those that have one at `entry`; `kept`: where a block begins, all others need none."""
        self.nodes, self.entry, self.start, self.everything, self.kept = nodes, entry, start, everything, kept
        self.before: list[list[int]] = [[] for _ in nodes]
        self.raised: list[list[int]] = [[] for _ in nodes]
        self.swallowed: list[list[int]] = [[] for _ in nodes]
        for number, node in enumerate(nodes):
            for sources, successors in (
                (self.before, node.next),
                (self.raised, node.raises),
                (self.swallowed, node.swallows),
            ):
                for successor in successors:
                    sources[successor].append(number)

    def solve(self, surely: bool, swallows: bool = False) -> list[int]:
        """Names that surely have a value, or maybe; `swallows`: context managers may take exceptions."""
        nodes = self.nodes
        into = [self.everything if surely else 0] * len(nodes)
        changed = True
        while changed:
            changed = False
            for number, node in enumerate(nodes):
                value = self.start if number == self.entry else self._reached(number, into, surely, swallows)
                if node.begins_block:
                    # What is dead here need not be bound: in a closure it will be a variable of its own.
                    value &= self.kept[number]
                if value != into[number]:
                    into[number] = value
                    changed = True
        return into

    def _reached(self, number: int, into: list[int], surely: bool, swallows: bool) -> int:
        value = self.everything if surely else 0
        for source in self.before[number]:
            value = _merge(value, _after(self.nodes[source], into[source], surely), surely)
        raised = self.raised[number] + self.swallowed[number] if swallows else self.raised[number]
        for source in raised:
            value = _merge(value, into[source], surely)
            value = _merge(value, _after(self.nodes[source], into[source], surely), surely)
        return value


def _after(node: Node, into: int, surely: bool) -> int:
    after = into | node.writes
    if not surely:
        after |= node.maybe_writes
    return after & ~(node.deletes | node.unbinds)


def _merge(a: int, b: int, surely: bool) -> int:
    return a & b if surely else a | b
