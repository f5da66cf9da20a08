"""What a test has told of a choice: where it holds, the choice is one of fewer values.

`if best is not None:` asks `best` for its tag; in the block that runs then, `best` is a number. A test tells
so at second hand, too: as a flag that paths have set, as an operand of `and`, behind `not`. What is known is
used where something is done with the choice (`choices.dispatch`, `certain`); the choice itself stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.operators import Undefined
from runtime.graph import Block, Value
from runtime.tracer.builder import Staged, current
from runtime.tracer.spec import Choice
from runtime.types import BOOL, ScalarType

if TYPE_CHECKING:
    from runtime.tracer.builder import Builder

#: by the tag of a choice: the positions that it may be at
Fact = dict[Value, frozenset[int]]


def both(a: Fact, b: Fact) -> Fact:
    """What is known where either fact holds, and the other too."""
    return {**a, **b} | {tag: a[tag] & b[tag] for tag in a.keys() & b.keys()}


def either(facts: Sequence[Fact]) -> Fact:
    """What is known where one of the facts holds, or another."""
    first, *others = facts or ({},)
    for other in others:
        first = {tag: positions | other[tag] for tag, positions in first.items() if tag in other}
    return first


class Implied:
    """What the tests of one trace imply, and what holds in the blocks that are open."""

    def __init__(self, trace: Builder) -> None:
        self.trace = trace
        self.known: dict[Block, Fact] = {}
        self.asked: set[Value] = set()  # the tags on which there are branches
        self._implied: dict[Value, tuple[Fact, Fact]] = {}  # where the test is true, and where it is false
        self._truths: dict[Value, Value] = {}  # what a test is the truth of

    # -- what is known ----------------------------------------------------------------------------------

    def positions(self, choice: Choice) -> Collection[int]:
        """Those of the values of ``choice`` that it may be, here; where no run comes by, all of them."""
        left: Collection[int] = range(len(choice.values))
        if self.known and isinstance(choice.tag, Staged):
            blocks = self.trace.blocks
            for block in blocks[: blocks.index(blocks[-1]) + 1]:  # an outer one may be filled just now
                fact = self.known.get(block)
                if fact is not None and choice.tag.value in fact:
                    left = [position for position in left if position in fact[choice.tag.value]]
        return left or range(len(choice.values))

    @contextmanager
    def within(self, block: Block, test: Value, holds: bool) -> Iterator[None]:
        """``block`` runs where the test came out so."""
        self.known[block] = self.where(test, holds)
        try:
            yield
        finally:
            del self.known[block]

    def learn(self, test: Value, holds: bool) -> None:
        """The rest of the block that is filled runs only where the test came out so."""
        block = self.trace.block
        self.known[block] = both(self.known.get(block, {}), self.where(test, holds))

    @contextmanager
    def nothing(self) -> Iterator[None]:
        """What is traced is called from elsewhere, too."""
        self.known, before = {}, self.known
        try:
            yield
        finally:
            self.known = before

    def where(self, test: Value, holds: bool) -> Fact:
        return self._implied.get(test, ({}, {}))[not holds]

    # -- what tests say ---------------------------------------------------------------------------------

    def note_position(self, test: Any, choice: Choice, position: int) -> None:
        """The test asks whether the choice is at this position."""
        self.asked.add(choice.tag.value)
        others = frozenset(range(len(choice.values))) - {position}
        self._implied[test.value] = ({choice.tag.value: frozenset({position})}, {choice.tag.value: others})

    def note_truth(self, test: Staged, of: Staged) -> None:
        """The test is the truth of another value."""
        self._truths[test.value] = of.value
        if of.value in self._implied:
            self._implied[test.value] = self._implied[of.value]

    def note_opposite(self, test: Staged, of: Staged) -> None:
        """The test is true where another one is false."""
        if of.value in self._implied:
            self._implied[test.value] = self._implied[of.value][::-1]

    def note_joined(self, test: Value, joined: Staged, ends: Sequence[tuple[Any] | None]) -> None:
        """``joined`` is what the paths left where ``test`` is true, and where not; None: that path ended."""
        if joined.type == BOOL or joined.type == ScalarType(np.dtype(np.bool_)):
            facts = tuple([either(self._ways(test, ends, wanted)) for wanted in (True, False)])
            if any(facts):
                self._implied[joined.value] = (facts[0], facts[1])

    def _ways(self, test: Value, ends: Sequence[tuple[Any] | None], wanted: bool) -> list[Fact]:
        """What is known on each path that may have left this truth."""
        found = []
        for holds, end in zip((True, False), ends, strict=True):
            if end is None:
                continue
            (value,) = end
            if isinstance(value, Staged):
                is_test = value.value in (test, self._truths.get(test))
                if not is_test or holds is wanted:
                    found.append(both(self.where(test, holds), self.where(value.value, wanted)))
            elif not isinstance(value, bool | np.bool_) or bool(value) is wanted:
                found.append(self.where(test, holds))
        return found


def narrowed(choice: Choice, fact: Fact | None = None) -> Any:
    """What the choice holds, where the tests around (and a fact) leave only one value; else itself."""
    builder: Any = current()
    left = list(builder.implied.positions(choice)) if hasattr(builder, "implied") else []
    if fact is not None and isinstance(choice.tag, Staged):
        left = [position for position in left if position in fact.get(choice.tag.value, left)]
    if len(left) == 1 and not isinstance(choice.values[left[0]], Undefined):
        return choice.values[left[0]]
    return choice
