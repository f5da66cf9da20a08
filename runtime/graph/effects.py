"""What operations do to memory and to the world, and what may therefore move, merge or vanish.

Every value that refers to memory has *roots*: the places its memory may have come from. Two values may
share memory exactly when their roots meet. ``OUTSIDE`` is the memory that existed before the call:
parameters and captured arrays, which may alias each other, and Python objects. Of these, what is known to
be read or written alone are *fields*: an attribute of a class, the items or the length of lists.

>>> from runtime.graph import Block, Graph, Value
>>> from runtime.types import parse_type
>>> x = Value(parse_type("f64[3]"), "x")
>>> graph = Graph("f", Block([x], results=(x,)))
>>> memory = Memory(graph)
>>> memory.roots(x)
frozenset({OUTSIDE})
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from autograph.records import record
from runtime.graph.core import Graph
from runtime.graph.liveness import Liveness as Liveness
from runtime.graph.liveness import free_values as free_values
from runtime.graph.liveness import last_uses as last_uses
from runtime.graph.operations import Block, Operation, Value, loop_state
from runtime.ops import REGISTRY
from runtime.ops.definition import Effects, OpDef
from runtime.ops.template import Hole
from runtime.types import STR, ArrayType, BufferType, ContainerType, InstanceType, ObjectType, Type


class Outside(enum.Enum):
    """Memory that is not of this call's making."""

    OUTSIDE = "outside"

    def __repr__(self) -> str:
        return self.name


OUTSIDE = Outside.OUTSIDE


class Field(NamedTuple):
    """What all objects of a class (its id), or all lists, hold under this name."""

    owner: int | str
    name: str


#: where memory came from: the value that first held it, or OUTSIDE; or a field
Root: TypeAlias = "Value | Outside | Field"
Roots: TypeAlias = "frozenset[Root]"
NOTHING: Roots = frozenset()


@record
class Summary:
    """What an operation does, its nested blocks included. Memory made and kept inside is left out."""

    reads: Roots = NOTHING
    writes: Roots = NOTHING
    ordered: bool = False
    may_raise: bool = False
    may_diverge: bool = False  # a ``while`` need not end


def effects_of(operation: Operation) -> Effects:
    """The declared effects of the operation itself, without its blocks."""
    definition = REGISTRY[operation.name]
    if type(definition.effects) is Effects:  # whatever the operands: most operations
        return definition.effects
    inputs, attributes, known = operation.inputs, operation.attributes, operation.effects
    if known is None or known[0] is not definition or known[1] is not inputs or known[2] is not attributes:
        known = operation.effects = (definition, inputs, attributes, _effects_of(operation, definition))
    effects: Effects = known[3]
    return effects


def fields_of(operation: Operation) -> frozenset[Field]:
    """The fields that an operation reads or writes, and nothing else of its first input; else none."""
    names = effects_of(operation).fields
    template = operation.attributes.get("template")
    if not names or (template is not None and template.structure[0] != Hole(0)):
        return frozenset()
    base = operation.inputs[0].type
    owner: int | str | None = None
    if isinstance(base, ContainerType | InstanceType):
        owner = base.name if isinstance(base, ContainerType) else id(base.cls)
    found = [_attribute_named(operation) if name == 1 else name for name in names]
    if owner is None or None in found:
        return frozenset()
    return frozenset([Field(owner, str(name)) for name in found])


def may_write_fields(operation: Operation) -> bool:
    """May the operation itself write fields: those that it names, and where it names none, any?"""
    effects = effects_of(operation)
    if fields_of(operation):
        return bool(effects.writes)
    if not (effects.writes or effects.ordered) or effects.touches != "world":
        return False
    return (effects.ordered and effects.keeps) or any(map(_is_object, operation.inputs))


def changes_length(operation: Operation) -> bool:
    """May it make its first input, a container, longer or shorter?"""
    effects = effects_of(operation)
    return bool(effects.writes) and "length" in effects.fields


def _attribute_named(operation: Operation) -> str | None:
    """The text in the second input, where the graph says it."""
    template = operation.attributes.get("template")
    if template is not None:
        name = template.structure[1]
        return name if isinstance(name, str) else None
    maker = operation.inputs[1].owner
    name = maker.attributes["value"] if maker is not None and maker.is_constant else None
    return name if isinstance(name, str) else None


def _effects_of(operation: Operation, definition: OpDef) -> Effects:
    """Where they depend on the types of the inputs, or on attributes."""
    assert callable(definition.effects)
    types = tuple([value.type for value in operation.inputs])
    effects = definition.effects(types, **operation.attributes)
    if effects.may_raise and definition.family == "elementwise" and _one_length(operation):
        # The lengths agree, whatever they are: what is left are reasons that lie in the dtypes.
        types = tuple([ArrayType(t.dtype, ()) if isinstance(t, ArrayType) else t for t in types])
        return definition.effects_of(types, operation.attributes)
    return effects


def _one_length(operation: Operation) -> bool:
    """Have all array operands one and the same shape, known or not?"""
    return len({_same_shape(v) for v in operation.inputs if isinstance(v.type, ArrayType)}) == 1


def _same_shape(value: Value, depth: int = 5) -> Value:
    """A value from which this one is made element by element, and which has its shape therefore."""
    maker = value.owner
    if depth == 0 or maker is None or REGISTRY[maker.name].family != "elementwise":
        return value
    sources = {_same_shape(v, depth - 1) for v in maker.inputs if isinstance(v.type, ArrayType)}
    return sources.pop() if len(sources) == 1 else value


def refers_to_memory(type: Type) -> bool:
    """Arrays and objects do; numbers, NumPy scalars and strings are immutable."""
    return isinstance(type, ArrayType) or (isinstance(type, ObjectType) and type != STR)


class Memory:
    """The aliases and effects of one graph, as it stands now. Make a new one after a change in place.

    ``distinct_params`` says that the parameters are known not to alias each other.
    """

    def __init__(self, graph: Graph, *, distinct_params: bool = False) -> None:
        self.graph = graph
        self._roots: dict[Value, Roots] = {}
        self._summaries: dict[Operation, Summary] = {}
        operations = list(graph.operations())
        self._effects = {op: effects_of(op) for op in operations}
        self._fields = {op: fields for op in operations if (fields := fields_of(op))}
        #: all fields of which an operation of the graph speaks
        self.fields: Roots = frozenset().union(*self._fields.values())
        self._has_try = any(op.is_try for op in operations)
        has_loops = any(op.is_loop for op in operations)
        #: the roots of memory that is not of this graph's making
        self.outside: Roots = frozenset({OUTSIDE, *(graph.params if distinct_params else ())})
        for param in graph.params:
            self._set(param, frozenset({param}) if distinct_params else self.outside)
        while self._propagate(graph.body) and has_loops:  # around the loops, until nothing new turns up
            pass
        #: roots that code outside the graph may hold while the graph still runs
        self.leaked: Roots = self._find_leaked(operations)
        for value, roots in self._roots.items():
            if not roots.isdisjoint(self.leaked):  # unknown code may hand it back to us
                self._roots[value] = roots | self.outside
        #: roots of what the graph returns
        self.returned: Roots = self._roots_of(graph.results)
        self._handed_on = self._find_handed_on(operations)
        #: every root that somebody else may hold in the end
        self.escaped: Roots = self.returned | self.leaked
        #: roots written by any operation of the graph
        self.written: Roots = frozenset(
            root for op in operations if not op.blocks for root in self._summary(op).writes
        )

    # -- questions about values ------------------------------------------------------------------------

    def roots(self, value: Value) -> Roots:
        """Where the memory that ``value`` refers to came from; empty for immutable values."""
        return self._roots.get(value, NOTHING)

    def may_alias(self, a: Value, b: Value) -> bool:
        return not self.roots(a).isdisjoint(self.roots(b))

    def is_fresh(self, value: Value) -> bool:
        """Was all memory that ``value`` may refer to made by this graph?"""
        return self.roots(value).isdisjoint(self.outside)

    def is_written(self, value: Value) -> bool:
        """May the memory of ``value`` be written by any operation of the graph?"""
        return not self.roots(value).isdisjoint(self.written)

    def escapes(self, value: Value) -> bool:
        """May the memory of ``value`` be seen from outside: returned, stored, given to unknown code?"""
        return not self.roots(value).isdisjoint(self.escaped | self.outside)

    def is_anonymous(self, value: Value) -> bool:
        """Could another value with equal contents stand for this one, with nobody able to tell?

        True for immutable values; for new memory that is never written nor handed out; for views that
        are only read and written through inside the graph.
        """
        if not refers_to_memory(value.type):
            return True
        if isinstance(value.type, ObjectType):
            return False
        maker = value.owner
        if maker is not None and not maker.blocks and self._effects[maker].view_of is not None:
            return value not in self._handed_on
        return self.is_fresh(value) and not self.is_written(value) and not self.escapes(value)

    # -- questions about operations --------------------------------------------------------------------

    def reads(self, operation: Operation) -> Roots:
        return self._summary(operation).reads

    def writes(self, operation: Operation) -> Roots:
        return self._summary(operation).writes

    def writes_inside(self, operation: Operation) -> Roots:
        """All that the operation writes, memory that it made itself included."""
        own = self.writes(operation)
        return own | self._inner_writes(operation) if operation.blocks else own

    def is_ordered(self, operation: Operation) -> bool:
        return self._summary(operation).ordered

    def may_raise(self, operation: Operation) -> bool:
        return self._summary(operation).may_raise

    def is_pure(self, operation: Operation) -> bool:
        """No effect, never raises, always ends: may run any number of times, or not at all."""
        s = self._summary(operation)
        return not (s.writes or s.ordered or s.may_raise or s.may_diverge)

    # -- how it is found out ---------------------------------------------------------------------------

    def _set(self, value: Value, roots: Roots) -> bool:
        """Note roots, as a union with those known; was anything new?"""
        known = self._roots.get(value, NOTHING)
        if roots <= known or not refers_to_memory(value.type):
            return False
        self._roots[value] = known | roots
        return True

    def _roots_of(self, values: Sequence[Value]) -> Roots:
        return frozenset().union(*[self.roots(value) for value in values]) if values else NOTHING

    def _propagate(self, block: Block) -> bool:
        changed = False
        for op in block.operations:
            if op.blocks:
                changed |= self._enter_blocks(op)
                for nested in op.blocks:
                    changed |= self._propagate(nested)
                changed |= self._leave_blocks(op)
            else:
                for output in op.outputs:
                    changed |= self._set(output, self._roots_of_output(op, output))
        return changed

    def _roots_of_output(self, op: Operation, output: Value) -> Roots:
        if not refers_to_memory(output.type):
            return NOTHING
        effects = self._effects[op]
        if effects.makes == "memory":
            return frozenset({output})
        if op.is_call:  # a function may return what it was given
            return self._roots_of(op.inputs) | self.outside | {output}
        if effects.view_of is not None and refers_to_memory(op.inputs[effects.view_of].type):
            return self.roots(op.inputs[effects.view_of])  # an array of a number is memory of its own
        if isinstance(output.type, ObjectType):  # it may hold what it was made from
            return self._roots_of(op.inputs) | self.outside
        from_objects = any(
            isinstance(v.type, ObjectType) and not isinstance(v.type, BufferType) and v.type != STR
            for v in op.inputs
        )
        if op.is_constant or effects.ordered or from_objects:
            return self.outside | (self._roots_of(op.inputs) if effects.ordered else NOTHING)
        return frozenset({output})

    def _enter_blocks(self, op: Operation) -> bool:
        changed = False
        state = loop_state(op)
        for block in op.blocks:
            skipped = len(block.params) - len(state)
            for param in block.params[:skipped]:  # a loop counter, a caught exception
                changed |= self._set(param, self.outside)
            for param, initial in zip(block.params[skipped:], state, strict=True):
                changed |= self._set(param, self.roots(initial))
        return changed

    def _leave_blocks(self, op: Operation) -> bool:
        changed = False
        if op.is_custom_gradient:  # its block is about adjoints; its outputs are copies
            for output in op.outputs:
                changed |= self._set(output, frozenset({output}))
            return changed
        if op.is_loop:
            body = op.blocks[-1]
            skipped = len(body.params) - len(op.outputs)
            for k, output in enumerate(op.outputs):
                around = self.roots(loop_state(op)[k])
                if body.ends != "never":
                    around |= self.roots(body.results[k])
                changed |= self._set(output, around)
                for block in op.blocks:
                    changed |= self._set(block.params[skipped + k], around)
            return changed
        for block in op.blocks:
            if block.ends != "never":
                for output, result in zip(op.outputs, block.results, strict=False):
                    changed |= self._set(output, self.roots(result))
        return changed

    def _find_leaked(self, operations: list[Operation]) -> Roots:
        leaked: set[Root] = set()
        for op in operations:
            if self._is_kept(op) or (_makes_object(op) and not op.blocks):
                leaked |= self._roots_of(op.inputs)
        return frozenset(leaked) - self.outside

    def _is_kept(self, op: Operation) -> bool:
        """May an ordered operation keep what it is given?"""
        return self._effects[op].ordered and self._effects[op].keeps

    def _find_handed_on(self, operations: list[Operation]) -> set[Value]:
        """Values that flow out of a block, or into an operation that may keep them."""
        found = set(self.graph.results)
        for op in operations:
            if op.blocks:
                found.update(value for block in op.blocks for value in block.results)
                found.update(loop_state(op))
            if self._is_kept(op) or op.is_call or _makes_object(op):
                found.update(op.inputs)
        return found

    def _summary(self, op: Operation) -> Summary:
        known = self._summaries.get(op)
        if known is None:
            known = self._summaries[op] = self._summarise(op)
        return known

    def _summarise(self, op: Operation) -> Summary:
        effects = self._effects[op]
        reads = self._roots_of(op.inputs) if effects.reads and not op.blocks else NOTHING
        writes = self._roots_of([op.inputs[k] for k in effects.writes])
        if effects.ordered and effects.touches != "nothing":
            world = self.outside | self.leaked
            reads |= world
            writes |= world if not effects.leaves or self._has_try else NOTHING
        if self.fields and not op.blocks:
            fields = self._fields.get(op, NOTHING)
            if fields and not effects.writes:
                return Summary(fields, NOTHING, effects.ordered, effects.may_raise)
            if fields or effects.ordered or op.is_call or any(map(_is_object, op.inputs)):
                reads |= fields or self.fields
            if may_write_fields(op):
                writes |= fields or self.fields
        if not op.blocks:
            return Summary(reads, writes, effects.ordered, effects.may_raise)
        parts = [self._summary(inner) for block in op.blocks for inner in block.operations]
        return Summary(
            _without_own(reads.union(*[p.reads for p in parts]), op),
            _without_own(writes.union(*[p.writes for p in parts]), op),
            effects.ordered or any(p.ordered for p in parts),
            may_raise_itself(op) or any(p.may_raise for p in parts) or _ends_in_raise(op),
            op.is_while or any(p.may_diverge for p in parts),
        )

    def _inner_writes(self, op: Operation) -> Roots:
        """Writes of nested operations, those to memory that the operation itself made included."""
        inner = [self.writes_inside(nested) for block in op.blocks for nested in block.operations]
        return frozenset().union(*inner)


def memory_of(graph: Graph) -> Memory:
    """The `Memory` of a graph that nobody changes in place any more, made at the first question."""
    memory: Memory | None = graph.found.get("memory")
    if memory is None:
        memory = graph.found["memory"] = Memory(graph)
    return memory


def may_raise_itself(operation: Operation) -> bool:
    """May the operation raise, apart from what stands in its blocks? A ``for`` does for a step of zero."""
    if operation.is_counted:
        maker = operation.inputs[2].owner
        known = maker is not None and maker.is_constant and maker.attributes["value"] != 0
        return not known
    return effects_of(operation).may_raise


def has_own_effect(operation: Operation) -> bool:
    """Must the operation stay, whoever needs its outputs or what stands in its blocks?"""
    effects = effects_of(operation)
    raises = may_raise_itself(operation) and effects.raises != "overflow"
    return bool(effects.writes) or effects.ordered or raises or operation.is_while or operation.is_try


def keeps_order(operation: Operation) -> bool:
    """Does it, or what stands in its blocks, write or have an effect whose order is seen?"""
    return any(effects.ordered or effects.writes for effects in map(effects_of, _with_nested(operation)))


def _makes_object(op: Operation) -> bool:
    return any(map(_is_object, op.outputs))


def _is_object(value: Value) -> bool:
    return isinstance(value.type, ObjectType) and value.type != STR


def _with_nested(op: Operation) -> Iterator[Operation]:
    yield op
    for block in op.blocks:
        for inner in block.operations:
            yield from _with_nested(inner)


def _without_own(roots: Roots, op: Operation) -> Roots:
    """The roots that are not of the making of the operation's blocks."""
    if all(isinstance(root, Outside) for root in roots):
        return roots
    return roots.difference(value for block in op.blocks for value in _made_in(block))


def _made_in(block: Block) -> Iterator[Value]:
    for op in block.operations:
        yield from op.outputs
        for nested in op.blocks:
            yield from _made_in(nested)


def _ends_in_raise(op: Operation) -> bool:
    return any(block.ends == "never" for block in op.blocks)
