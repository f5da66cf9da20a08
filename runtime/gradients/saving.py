"""Make what the backward part uses of the forward part visible to it.

The sweep writes the backward part as if all values of the forward part could be seen from it. Those of the
outermost block can. Of a nested block, what its backward block needs is computed again there,
where that is cheap and its operands are at hand, or kept: pushed on a stack at the end of the
forward block, popped at
the start of the backward block. Blocks are run backwards in the opposite order, so that one stack
serves all loops,
branches and calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from runtime.gradients.scope import is_smooth
from runtime.graph import Block, Operation, Value
from runtime.graph.effects import effects_of
from runtime.graph.liveness import free_in
from runtime.ops.stacks import is_a_word
from runtime.types import ArrayType

#: cheaper to compute again than to keep: no more than a few instructions
_CHEAP = frozenset(
    "add subtract multiply negative positive square py.add py.sub py.mul py.neg py.pos less less_equal "
    "greater greater_equal equal not_equal py.lt py.le py.gt py.ge py.eq py.ne py.not py.bool py.float "
    "cast logical_not logical_and logical_or dim getitem transpose swapaxes reshape expand_dims maximum "
    "minimum absolute py.mod py.floordiv".split()
)
#: the same on arrays: in machine code part of the loop that uses the result, and a reference less to keep
_CHEAP_ON_ARRAYS = frozenset(
    "add subtract multiply true_divide negative square maximum minimum maximum_or_first "
    "minimum_or_first".split()
)


@dataclass
class Pair:
    """A block of the forward part and the backward block that undoes it.

    ``known``: values of the forward block that the backward block has by other means (the counter of
    a loop), computed by ``head``.
    """

    forward: Block
    backward: Block
    known: dict[Value, Value] = field(default_factory=dict)
    head: list[Operation] = field(default_factory=list)


@dataclass
class Kept:
    """What is appended to a forward block, and put before a backward block."""

    pushes: list[Operation]
    pops: list[Operation]


def make_visible(
    pair: Pair,
    words: Callable[[], Value],
    objects: Callable[[], Value],
    may_read: Callable[[Value, Operation], bool],
) -> Kept:
    """Find what ``pair.backward`` needs, and replace it there by what is popped or computed again.

    words, objects: the stacks. may_read: is what the array held at the operation still there?
    """
    own = owned(pair.forward)
    wanted = [value for value in free_in(pair.backward) if value in own]
    order = {value: k for k, value in enumerate(own)}
    again = Again(own, dict(pair.known), may_read)
    kept: list[Value] = []
    for value in sorted(wanted, key=order.__getitem__):
        if again.made(value) is None:
            kept.append(value)
            popped = Value(value.type, value.hint)
            again.values[value] = popped
    # What was kept may make it cheap to compute again what was kept before: numbers are few, so let it be.
    result = Kept([], [])
    for is_word, stack in ((True, words), (False, objects)):
        group = [v for v in kept if is_a_word(v.type) == is_word]
        if group:
            target = stack()
            result.pushes.append(Operation("stack.push", (target, *group)))
            types = tuple([v.type for v in group])
            pop = Operation("stack.pop", (target,), types, {"types": types})
            result.pops.append(pop)
            for value, output in zip(group, pop.outputs, strict=True):
                output.hint = value.hint
                again.rename(value, output)
    result.pops += [*pair.head, *again.operations]
    substitute(pair.backward, again.values)
    return result


class Again:
    """Values of a forward block that are to be had in the backward block."""

    def __init__(
        self, own: dict[Value, None], known: dict[Value, Value], may_read: Callable[[Value, Operation], bool]
    ) -> None:
        self.own = own
        self.values = known
        self.may_read = may_read
        self.operations: list[Operation] = []

    def made(self, value: Value) -> Value | None:
        """The value in the backward block, computed again if need be; None where that is not cheap."""
        if value not in self.own:
            return value
        found = self.values.get(value)
        if found is not None or value.owner is None:
            return found
        op = value.owner
        if op.name == "constant":
            return self._copy(op, ())
        if op.blocks or len(op.outputs) != 1 or not self._is_cheap(op):
            return None
        if any(isinstance(x.type, ArrayType) and not self._can_read(x, op) for x in op.inputs):
            return None
        operands = [self.made(x) for x in op.inputs]
        if any(x is None for x in operands):
            return None
        return self._copy(op, tuple([x for x in operands if x is not None]))

    def _is_cheap(self, op: Operation) -> bool:
        """A number, a view, or arithmetic on arrays."""
        if isinstance(op.output.type, ArrayType) and op.name in _CHEAP_ON_ARRAYS:
            return True
        effects = effects_of(op)
        is_view = effects.view_of is not None and not effects.reads
        return op.name in _CHEAP and (is_view or not isinstance(op.output.type, ArrayType))

    def _can_read(self, array: Value, op: Operation) -> bool:
        return not effects_of(op).reads or self.may_read(array, op)

    def _copy(self, op: Operation, operands: tuple[Value, ...]) -> Value:
        copy = Operation(op.name, operands, (op.output.type,), op.attributes, location=op.location)
        self.operations.append(copy)
        self.values[op.output] = copy.output
        return copy.output

    def rename(self, value: Value, popped: Value) -> None:
        """The operation that pops a value is known now."""
        before = self.values[value]
        self.values[value] = popped
        for op in self.operations:
            op.inputs = tuple([popped if x is before else x for x in op.inputs])


def owned(block: Block) -> dict[Value, None]:
    """The values that a block itself makes, in order."""
    found = dict.fromkeys(block.params)
    for op in block.operations:
        found.update(dict.fromkeys(op.outputs))
    return found


def substitute(block: Block, values: dict[Value, Value]) -> None:
    for op in block.operations:
        op.inputs = tuple([values.get(x, x) for x in op.inputs])
        for nested in op.blocks:
            substitute(nested, values)
    block.results = tuple([values.get(x, x) for x in block.results])


def remove_unneeded(block: Block, needed: set[Value]) -> None:
    """Leave out operations of a backward block that nothing needs. Adds what the others use to ``needed``."""
    needed.update(block.results)
    kept = []
    for op in reversed(block.operations):
        if has_effect(op) or not needed.isdisjoint(op.outputs):
            for nested in op.blocks:
                remove_unneeded(nested, needed)
            needed.update(op.inputs)
            kept.append(op)
        else:
            for nested in op.blocks:
                _empty(nested)
    block.operations = kept[::-1]


def _empty(block: Block) -> None:
    """Nothing runs the block any more: what it asked for need not be kept, for nobody would pop it."""
    for op in block.operations:
        for nested in op.blocks:
            _empty(nested)
    block.operations, block.results = [], ()


def has_effect(op: Operation) -> bool:
    effects = effects_of(op)
    if effects.writes or effects.ordered:
        return True
    return any(has_effect(inner) for block in op.blocks for inner in block.operations)


def all_used(blocks: Iterable[Block]) -> set[Value]:
    """Every value that is an input or a result anywhere in the blocks."""
    found: set[Value] = set()
    for block in blocks:
        found.update(block.results)
        for op in block.operations:
            found.update(op.inputs)
            found |= all_used(op.blocks)
    return found


__all__ = ["Pair", "is_smooth", "make_visible", "remove_unneeded"]
