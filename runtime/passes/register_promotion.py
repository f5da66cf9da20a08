"""Places in memory that become values: an `if` and a loop hand them on like any other variable.

A pass says which places change in which operation, and what they hold at the beginning; here it is followed
what they hold in each block. (Compilers call this register promotion, or mem2reg.)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from runtime.graph import Block, Operation, Value, loop_state
from runtime.graph.rewrite import Rebuild
from runtime.types import Type

#: the places that change in an operation, with the name and the types of what they hold
Changed = Mapping[Hashable, tuple[str, list[Type]]]


class Promotion(Rebuild):
    """A rewrite in which some places are values."""

    def __init__(self) -> None:
        super().__init__()
        #: what each place holds at this point of the copy
        self.now: dict[Hashable, tuple[Value, ...]] = {}

    def changed(self, op: Operation) -> Changed:
        """The places known before an `if` or a loop that change in its blocks."""
        raise NotImplementedError

    # A pass may have several values, or none, in the place of one.

    def spread(self, values: Iterable[Value]) -> Iterator[Value]:
        """The values of the copy that stand for these."""
        for value in values:
            yield self.values[value]

    def types(self, values: Iterable[Value]) -> Iterator[Type]:
        """Their types."""
        for value in values:
            yield value.type

    def stand(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        """``new`` values of the copy stand for the old ones."""
        self.replace(old, new)

    def hand_on(self, op: Operation, block: Block) -> Operation:
        """An `if`, a loop or a `try`, with what its blocks change among its results."""
        changed = self.changed(op)
        state = loop_state(op)
        fixed = op.inputs[: len(op.inputs) - len(state)]
        before = [one for place in changed for one in self.now[place]] if op.is_loop else []
        inputs = (*self.of(fixed), *self.spread(state), *before)
        blocks = tuple([self.within(nested, op, changed) for nested in op.blocks])
        added = [kind for _, types in changed.values() for kind in types]
        types = (*self.types(op.outputs), *added)
        made = block.append(Operation(op.name, inputs, types, op.attributes, blocks, op.location))
        kept = len(made.outputs) - len(added)
        self.stand(op.outputs, made.outputs[:kept])
        source = iter(made.outputs[kept:])
        for place, (name, kinds) in changed.items():
            self.now[place] = named(source, name, kinds)
        return made

    def within(self, block: Block, op: Operation, changed: Changed) -> Block:
        now = dict(self.now)
        params = [Value(kind) for kind in self.types(block.params)]
        self.stand(block.params, params)
        copy = Block(params)
        if op.is_loop or (op.is_try and block is op.blocks[-1]):
            for place, (name, kinds) in changed.items():
                self.now[place] = tuple([Value(kind, name) for kind in kinds])
                params += self.now[place]
        self.fill(copy, Block(block.params, block.operations, (), block.ends))
        if copy.ends == "yield":
            hands_on = not op.is_loop or block is op.blocks[-1]
            after = [one for place in changed for one in self.now[place]] if hands_on else []
            copy.results = (*self.spread(block.results), *after)
        self.now = now
        return copy

    # -- values that a pass makes -----------------------------------------------------------------------

    def constant(self, value: object, kind: Type, op: Operation, block: Block) -> Value:
        made = Operation("constant", (), (kind,), {"value": value}, location=op.location)
        return block.append(made).output

    def undefined(self, kind: Type, op: Operation, block: Block) -> Value:
        """A value that nobody reads."""
        return block.append(Operation("undef", (), (kind,), {"type": kind}, location=op.location)).output


def named(source: Iterator[Value], name: str, types: list[Type]) -> tuple[Value, ...]:
    """As many values as a place holds, called after it."""
    found = tuple([next(source) for _ in types])
    for value in found:
        value.hint = value.hint or name
    return found
