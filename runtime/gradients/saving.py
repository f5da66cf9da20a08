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

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from runtime.gradients.scope import is_smooth
from runtime.graph import Block, Operation, Value
from runtime.graph.effects import effects_of
from runtime.graph.liveness import free_in, free_values
from runtime.ops.stacks import words_of
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
    own_values: Collection[Value],
) -> Kept:
    """Find what ``pair.backward`` needs, and replace it there by what is popped or computed again.

    words, objects: the stacks. may_read: is what the array held at the operation still there?
    own_values: those of the program itself; of its arrays the backward part only reads the items,
    so that a copy will do.
    """
    own = owned(pair.forward)
    wanted = [value for value in free_in(pair.backward) if value in own]
    order = {value: k for k, value in enumerate(own)}
    wanted.sort(key=order.__getitem__)
    shared = _handed_on(pair.forward)
    again = Again(own, pair.known, may_read, own_values, shared)
    kept = again.all_made(wanted)
    while split := {_viewed(value) for value in kept} & again.memory:  # a view, and what it is a view of
        shared |= split
        again = Again(own, pair.known, may_read, own_values, shared)
        kept = again.all_made(wanted)
    # What was kept may make it cheap to compute again what was kept before: numbers are few, so let it be.
    result = Kept([], [])
    for kind, group in _by_kind(kept, own_values).items():
        target, of_words = (words() if kind == "words" else objects()), {"words": kind == "words"}
        result.pushes.append(Operation("stack.push", (target, *group), (), of_words))
        types = tuple([v.type for v in group])
        attributes = {"types": types, **of_words} | ({"writable": True} if kind == "memory" else {})
        pop = Operation("stack.pop", (target,), types, attributes)
        result.pops.insert(0, pop)
        for value, output in zip(group, pop.outputs, strict=True):
            output.hint = value.hint
            again.rename(value, output)
    result.pops += [*pair.head, *again.operations]
    substitute(pair.backward, again.values)
    return result


def _by_kind(values: Iterable[Value], own_values: Collection[Value]) -> dict[str, list[Value]]:
    """What is kept as words, as references to values of the program, and to memory of adjoints."""
    found: dict[str, list[Value]] = defaultdict(list)
    for value in values:
        is_memory = isinstance(value.type, ArrayType) and value not in own_values
        fits = words_of(value.type) is not None
        found["memory" if is_memory else "words" if fits else "values"].append(value)
    return found


class Again:
    """Values of a forward block that are to be had in the backward block.

    ``shared``: what others than the backward block have or use, too. ``memory``: adjoints that are
    made in the backward block, for nobody else has them.
    """

    def __init__(
        self,
        own: dict[Value, None],
        known: dict[Value, Value],
        may_read: Callable[[Value, Operation], bool],
        own_values: Collection[Value],
        shared: Collection[Value],
    ) -> None:
        self.own = own
        self.own_values = own_values
        self.shared = shared
        self.values = dict(known)
        self.may_read = may_read
        self.operations: list[Operation] = []
        self.memory: set[Value] = set()

    def all_made(self, wanted: Iterable[Value]) -> list[Value]:
        """Make what can be made again; the rest, which has to be kept, is the result."""
        kept: list[Value] = []
        for value in wanted:
            if self.made(value) is None:
                kept.append(value)
                self.values[value] = Value(value.type, value.hint)
        return kept

    def made(self, value: Value) -> Value | None:
        """The value in the backward block, computed again if need be; None where that is not cheap."""
        if value not in self.own:
            return value
        found = self.values.get(value)
        if found is not None or value.owner is None:
            return found
        op = value.owner
        if op.is_constant:
            return self._copy(op, ())
        if op.blocks or len(op.outputs) != 1 or not (self._is_cheap(op) or self._is_unused_memory(op)):
            return None
        if op.name == "zero_of" and len(value.shape) == 1 and None not in value.shape:
            attributes = {"shape": value.shape, "dtype": value.dtype, "order": "C"}
            op = Operation("zeros", (), (value.type,), attributes, location=op.location)
            op.outputs = (value,)  # how the operand lies in memory does not matter
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

    def _is_unused_memory(self, op: Operation) -> bool:
        """Zeros, which the forward part makes for the backward block alone."""
        is_adjoint = op.name in ("zeros", "zero_of") and op.output not in self.own_values
        return is_adjoint and op.output not in self.shared

    def _can_read(self, array: Value, op: Operation) -> bool:
        return not effects_of(op).reads or self.may_read(array, op)

    def _copy(self, op: Operation, operands: tuple[Value, ...]) -> Value:
        copy = Operation(op.name, operands, (op.output.type,), op.attributes, location=op.location)
        self.operations.append(copy)
        self.values[op.output] = copy.output
        if self._is_unused_memory(op):
            self.memory.add(op.output)
        return copy.output

    def rename(self, value: Value, popped: Value) -> None:
        """The operation that pops a value is known now."""
        before = self.values[value]
        self.values[value] = popped
        for op in self.operations:
            op.inputs = tuple([popped if x is before else x for x in op.inputs])


def _viewed(value: Value) -> Value:
    """The array that a value is a view of, perhaps through other views."""
    while value.owner is not None and (of := effects_of(value.owner).view_of) is not None:
        value = value.owner.inputs[of]
    return value


def _handed_on(block: Block) -> set[Value]:
    """What a block yields, or uses otherwise than for views that it does not use itself."""
    found = set(block.results)
    for op in reversed(block.operations):
        if op.blocks or effects_of(op).view_of is None or not found.isdisjoint(op.outputs):
            found.update(op.inputs)
            found.update(free_values(op))
    return found


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
    return bool(op.blocks) and any(has_effect(inner) for block in op.blocks for inner in block.operations)


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
