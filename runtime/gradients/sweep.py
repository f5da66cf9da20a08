"""One graph, or one function of it, in reverse mode: what its forward part is known to be while it
is undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from runtime.gradients.activity import Activity
from runtime.gradients.calls import Functions
from runtime.gradients.frames import Frame
from runtime.gradients.saving import Pair, owned
from runtime.gradients.scope import BlockScope, copying
from runtime.gradients.shadows import Shadows
from runtime.gradients.tries import split_tries
from runtime.gradients.updates import Updates, blocks_of
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.array_contents import Overwriting
from runtime.graph.effects import Memory, Roots
from runtime.ops.definition import REGISTRY
from runtime.types import STACK, ArrayType


class Sweep:
    """``called``: it is a function of the graph. ``wrt`` are parameters. Of the
    operations ``constant``, the results are constants."""

    def __init__(
        self,
        graph: Graph,
        functions: Functions,
        wrt: Iterable[Value],
        called: bool = False,
        constant: Collection[Operation] = (),
    ) -> None:
        split_tries(graph.body)
        self.graph = graph
        self.functions = functions
        self.called = called
        self.memory = Memory(graph, distinct_params=True)
        arrays = [v for v in (*graph.params, *graph.results) if isinstance(v.type, ArrayType)]
        self.activity = Activity(
            graph, self.memory, wrt, shadowed=arrays if called else (), constant=constant
        )
        blocks = list(blocks_of(graph.body))
        self.updates = Updates(blocks, self.memory, constant)
        #: the values of the program; what the sweep adds to the forward part are adjoints
        self.own_values: set[Value] = set().union(*[owned(block) for block in blocks])
        self._places = {op: (block, k) for block in blocks for k, op in enumerate(block.operations)}
        self._writes = {block: self._writes_in(block) for block in blocks}
        self.overwriting = Overwriting(graph, self.memory, called and functions.write)
        self.shadows = Shadows(self.activity, self.overwriting, functions, self.stack)
        self.pairs: list[Pair] = []
        #: of each `try` what undoes it, its body, and whether only a body that reached its end can be undone
        self.tries: list[tuple[Operation, Block, bool]] = []
        self._snapshots: dict[tuple[Value, int, Block], Value] = {}
        self._originals: dict[Value, Value] = {}
        self.copies: set[Operation] = set()
        self._stacks: dict[str, Value] = {}

    def frame(self, backward: Block, forward: Block) -> Frame:
        scope = SweepScope(backward, self._originals)
        return Frame(self.activity, self.shadows.of, scope, owned(forward))

    # -- stacks ----------------------------------------------------------------------------------------

    def stack(self, kind: str) -> Value:
        """The stack of words, or of objects. A function gets both from its caller."""
        if kind not in self._stacks:
            assert not self.called
            made = Operation("stack.new", (), (STACK,), {"words": kind == "words"})
            made.output.hint = kind
            self._stacks[kind] = made.output
        return self._stacks[kind]

    def take_stacks(self) -> list[Value]:
        """A function gets both from its caller: the parameters for them."""
        self._stacks = {kind: Value(STACK, kind) for kind in ("words", "objects")}
        return list(self._stacks.values())

    def made_stacks(self) -> list[Operation]:
        """The operations that make the stacks that turned out to be needed."""
        return [stack.owner for stack in self._stacks.values() if stack.owner is not None]

    # -- values of the forward part, as they were ------------------------------------------------------

    def before(self, value: Value, op: Operation) -> Value:
        """What the value held when ``op`` ran."""
        if isinstance(value.type, ArrayType) and self.overwriting.after(value, op):
            return self._snapshot(value, op, False)
        return value

    def after(self, value: Value, op: Operation) -> Value:
        """What the value held when ``op`` had run."""
        if isinstance(value.type, ArrayType) and self.overwriting.after(value, op, behind=True):
            return self._snapshot(value, op, True)
        return value

    def _snapshot(self, value: Value, op: Operation, behind: bool) -> Value:
        key = (value, *self._last_write(value, op, behind))
        if key not in self._snapshots:
            copy = Operation(copying(value), (value,), (value.type,), {}, location=op.location)
            (self.shadows.behind if behind else self.shadows.ahead)[op].append(copy)
            self.copies.add(copy)
            self.own_values.add(copy.output)
            self._snapshots[key] = copy.output
            self._originals[copy.output] = value
        return self._snapshots[key]

    def _last_write(self, value: Value, op: Operation, behind: bool) -> tuple[int, Block]:
        """What wrote the memory of the value last, in the block of ``op``; up to the next write a copy is
        as good as another."""
        block, place = self._places[op]
        roots = self.memory.roots(value)
        for k, written in reversed(self._writes[block]):
            if k < place + behind and not written.isdisjoint(roots):
                return k, block
        return -1, block

    def _writes_in(self, block: Block) -> list[tuple[int, Roots]]:
        """Which operations of a block write memory, by their places, and which memory."""
        writes = [self.memory.writes_inside(op) for op in block.operations]
        return [(k, written) for k, written in enumerate(writes) if written]


class SweepScope(BlockScope):
    """What asks for a shape only gets the array itself, not the copy of what it held."""

    def __init__(self, block: Block, originals: dict[Value, Value]) -> None:
        super().__init__(block)
        self.originals = originals

    def emit(self, name: str, inputs: Sequence[Value], attributes: dict[str, Any]) -> tuple[Value, ...]:
        if "like" in REGISTRY[name].traits:
            inputs = (inputs[0], self.originals.get(inputs[1], inputs[1]), *inputs[2:])
        return super().emit(name, inputs, attributes)
