"""Graph -> loop-nest form: how each operation runs, and which elementwise operations share a loop.

Operations are taken in program order. Elementwise operations and reductions gather in *open groups*, one
for each iteration shape in work; a group becomes a ``Nest`` when something needs one of its arrays, or may
write memory that it reads, or observes the order of exceptions. Every other operation goes out at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from runtime.engines.native.elements import Element, LlvmElements, Unsupported, has_registers, register_type
from runtime.engines.native.ir import FunctionWriter, V
from runtime.engines.native.loops import Body, Control, Nest, Program, Single, note_deaths
from runtime.engines.native.values import in_register, is_native_array
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import effects_of
from runtime.ops.definition import REGISTRY
from runtime.ops.lowering import operand_dtypes
from runtime.types import ArrayType, NumberType, ScalarType, Shape, Type

CONTROL = ("if", "while", "for")
#: reductions that can run in a nest, with where they start
IDENTITIES: dict[str, Any] = {"sum": 0, "prod": 1, "any": False, "all": True, "max": None, "min": None}


def lower(graph: Graph) -> Program:
    """The loop-nest form of a graph. The graph is left as it is."""
    body = _Lowering().block(graph.body)
    note_deaths(body)
    return Program(graph, body)


@dataclass(eq=False, slots=True)
class _Group:
    """Operations that will share a loop, as long as nothing comes between."""

    shape: Shape
    members: list[tuple[int, Operation]] = field(default_factory=list)
    outputs: set[Value] = field(default_factory=set)
    leaves: set[Value] = field(default_factory=set)
    may_raise: bool = False


class _Lowering:
    def __init__(self) -> None:
        self.needed: set[Value] = set()  # values that something outside of their own nest uses

    def block(self, block: Block) -> Body:
        body = Body(list(block.params), [], block.results, block.ends)
        groups: list[_Group] = []
        for place, op in enumerate(block.operations):
            shape = nest_shape(op)
            if shape is not None:
                self._join(body, groups, place, op, shape)
                continue
            self._close_for(body, groups, op)
            if op.name in CONTROL:
                body.statements.append(Control(op, tuple([self.block(inner) for inner in op.blocks])))
            else:
                body.statements.append(Single(op, how_it_runs(op)))
        self._close(body, groups, list(groups))
        _keep_stored(body)
        return body

    def _join(self, body: Body, groups: list[_Group], place: int, op: Operation, shape: Shape) -> None:
        """Put an operation into the open groups that it belongs to; merge those."""
        arrays = {v for v in op.inputs if isinstance(v.type, ArrayType) and v.type.ndim}
        makers = [g for g in groups if not g.outputs.isdisjoint(op.inputs)]
        fitting = [g for g in makers if g.shape == shape and not _needs_whole(g, op)]
        self._close(body, groups, [g for g in makers if g not in fitting])
        fitting += [
            g for g in groups if g not in fitting and g.shape == shape and not g.leaves.isdisjoint(arrays)
        ]
        group = _Group(shape)
        for old in fitting:
            groups.remove(old)
            group.members += old.members
            group.outputs |= old.outputs
            group.leaves |= old.leaves
            group.may_raise |= old.may_raise
        group.members.append((place, op))
        group.members.sort(key=lambda member: member[0])
        group.leaves |= arrays - group.outputs
        group.outputs.update(op.outputs)
        group.may_raise |= effects_of(op).may_raise
        groups.append(group)

    def _close_for(self, body: Body, groups: list[_Group], op: Operation) -> None:
        """Close the groups that may not stay open across an operation."""
        if op.name in CONTROL or op.blocks:
            return self._close(body, groups, list(groups))
        effects = effects_of(op)
        if effects.ordered or effects.writes:
            return self._close(body, groups, list(groups))
        used = set(op.inputs)
        stop = [g for g in groups if not g.outputs.isdisjoint(used) or (g.may_raise and effects.may_raise)]
        return self._close(body, groups, stop)

    def _close(self, body: Body, groups: list[_Group], which: list[_Group]) -> None:
        for group in which:
            groups.remove(group)
            members = [op for _, op in group.members]
            body.statements.append(Nest(group.shape, members, may_raise=group.may_raise))


def _keep_stored(body: Body) -> None:
    """Mark the arrays of nests that something else needs."""
    used: set[Value] = set(body.results)
    for statement in body.statements:
        used.update(statement.used())
    for statement in body.statements:
        if isinstance(statement, Nest):
            made = [
                v for op in statement.members for v in op.outputs if REGISTRY[op.name].family != "reduction"
            ]
            statement.stored = tuple([v for v in made if v in used])


def _needs_whole(group: _Group, op: Operation) -> bool:
    """Does the operation need the result of a reduction of the group?"""
    reduced = {
        v
        for _, member in group.members
        for v in member.outputs
        if REGISTRY[member.name].family == "reduction"
    }
    return not reduced.isdisjoint(op.inputs)


# -- how an operation runs -----------------------------------------------------------------------------


def how_it_runs(op: Operation) -> str:
    """See ``loops.Single``."""
    if op.name == "constant":
        return "constant"
    if op.name == "dim":
        return "length" if is_native_array(op.inputs[0].type) else "call"
    if op.name in ("getitem", "setitem"):
        from runtime.engines.native.items import how_item_runs

        return how_item_runs(op)
    if not op.outputs or not all(in_register(v.type) for v in op.outputs):
        return "call"
    if not all(in_register(v.type) or _is_cell(v.type) for v in op.inputs):
        return "call"
    return "register" if REGISTRY[op.name].family != "reduction" and has_native(op) else "call"


def _is_cell(type: Type) -> bool:
    """A 0-d array: one element in memory."""
    return isinstance(type, ArrayType) and type.ndim == 0 and is_native_array(type)


def nest_shape(op: Operation) -> Shape | None:
    """The lengths that a nest for this operation loops over; None where it does not run in a nest."""
    definition = REGISTRY.get(op.name)
    if definition is None or definition.native is None:
        return None
    if definition.family == "elementwise":
        (output,) = op.outputs if len(op.outputs) == 1 else (None,)
        if output is None or not is_native_array(output.type) or not output.type.ndim:  # type: ignore[union-attr]
            return None
        if all(in_register(v.type) or is_native_array(v.type) for v in op.inputs) and has_native(op):
            return output.type.shape  # type: ignore[union-attr]
        return None
    if definition.family == "reduction" and op.name in IDENTITIES:
        return _reduction_shape(op)
    return None


def _reduction_shape(op: Operation) -> Shape | None:
    source = op.inputs[0].type
    attributes = dict(op.attributes)
    axis, keepdims = attributes.pop("axis", None), attributes.pop("keepdims", False)
    if len(op.inputs) != 1 or any(v is not None for v in attributes.values()):
        return None
    if not is_native_array(source) or not source.ndim or keepdims:  # type: ignore[union-attr]
        return None
    if axis is not None or not in_register(op.output.type):
        return None
    return source.shape  # type: ignore[union-attr]


def operand_types_of(op: Operation) -> tuple[np.dtype[Any], ...]:
    return operand_dtypes(REGISTRY[op.name], tuple([v.type for v in op.inputs]))


def has_native(op: Operation) -> bool:
    """Does the operation's rule know machine code for these types? Asked by running it on a scratch page."""
    definition = REGISTRY[op.name]
    if definition.native is None or op.attributes.get("dtype") is not None:
        return False
    types = [v.type for v in op.inputs]
    if not all(isinstance(t, ArrayType | ScalarType | NumberType) and has_registers(t.dtype) for t in types):
        return False
    output = op.outputs[0].type
    if isinstance(output, ArrayType | ScalarType | NumberType) and not has_registers(output.dtype):
        return False
    try:
        dtypes = operand_types_of(op)
        scratch = FunctionWriter("scratch", "void", [])
        b = LlvmElements(scratch, lambda text: None, op.attributes, output.dtype, lambda c, raises: None)  # type: ignore[union-attr]
        operands = [Element(V(register_type(d), "0"), d) for d in dtypes]
        found = definition.native(b, *operands)
    except Unsupported:
        return False
    return found is not NotImplemented
