"""Leaving out results of an `if` or a loop: what its blocks yield, and what a loop carries, for them."""

from __future__ import annotations

from runtime.graph import Block, Operation, Value, loop_state
from runtime.graph.rewrite import Rebuild


class KeepResults(Rebuild):
    """A rewrite that keeps some of the results of control flow."""

    def keep(self, op: Operation, kept: list[int]) -> Operation:
        """A copy with these results only, and the state that they are of."""
        fixed = len(op.inputs) - len(loop_state(op))
        if op.is_branch or op.is_try:
            inputs = op.inputs
            blocks = [self._branch(block, kept) for block in op.blocks]
        else:
            inputs = op.inputs[:fixed] + tuple([op.inputs[fixed + k] for k in kept])
            blocks = [self._loop_block(block, op, kept) for block in op.blocks]
        types = tuple([op.outputs[k].type for k in kept])
        copy = Operation(op.name, self.of(inputs), types, op.attributes, tuple(blocks), op.location)
        self.replace([op.outputs[k] for k in kept], copy.outputs)
        return copy

    def _branch(self, block: Block, kept: list[int]) -> Block:
        results = tuple([block.results[k] for k in kept]) if block.ends == "yield" else ()
        return self.block(Block(self.params_of(block), block.operations, results, block.ends))

    def params_of(self, block: Block) -> list[Value]:
        """Of a branch, or of the body or the handler of a `try`."""
        return block.params

    def _loop_block(self, block: Block, op: Operation, kept: list[int]) -> Block:
        skipped = len(block.params) - len(op.outputs)
        params = block.params[:skipped] + [block.params[skipped + k] for k in kept]
        results = block.results
        if block is op.blocks[-1] and block.ends == "yield":
            results = tuple([results[k] for k in kept])
        return self.block(Block(params, block.operations, results, block.ends))
