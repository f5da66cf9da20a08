"""Graph -> loop-nest form: how each operation runs, and which elementwise operations share a loop.

Operations are taken in program order. Elementwise operations and reductions gather in *open groups*, one
for each iteration shape in work; a group becomes a ``Nest`` when something needs one of its arrays, or may
write memory that it reads, or observes the order of exceptions. Every other operation goes out at once.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from autograph.records import record
from runtime.engines.native import (
    buffers,
    complexes,
    creation,
    draws,
    gathers,
    histograms,
    items,
    joining,
    products,
    scans,
    stacks,
    tries,
    ufunc_calls,
    views,
)
from runtime.engines.native.loops import Body, Control, Nest, Program, Single, note_deaths, note_last_uses
from runtime.engines.native.members import (
    axes_after,
    has_native,
    is_gather,
    is_reduction,
    is_write,
    nest_shape,
    origin,
    overlaps,
    rounds_otherwise,
)
from runtime.engines.native.objects import (
    builtins_called,
    dicts,
    folds,
    formatting,
    heaps,
    instances,
    lists,
    sorting,
    texts,
)
from runtime.engines.native.objects.building import structures_of
from runtime.engines.native.values import in_register, is_native_array
from runtime.graph import Block, Graph, Operation, Value, walk
from runtime.graph.effects import effects_of
from runtime.ops import containers
from runtime.ops.definition import REGISTRY
from runtime.types import ArrayType, Shape, Type

#: so many operations share a loop at most, and so many groups are open; what LLVM takes for a loop, and the
#: look for the groups of an operation, grow with these
MOST_MEMBERS, MOST_OPEN = 128, 32
#: so many groups that may raise wait for a view, or an item, that may: its error calls each of them
MOST_WAITING = 2


def lower(graph: Graph, exact: bool = False) -> Program:
    """The loop-nest form of a graph, which is left as it is. ``exact``: see `members.rounds_otherwise`."""
    bodies = [_Lowering(exact).block(part.body) for part in graph.whole()]
    for body in bodies:
        note_deaths(body)
        note_last_uses(body)
    return Program(graph, bodies[0], dict(zip(graph.functions, bodies[1:], strict=True)))


@record(frozen=False, eq=False)
class _Group:
    """Operations that will share a loop, as long as nothing comes between."""

    shape: Shape
    members: list[tuple[int, Operation]] = field(default_factory=list)
    outputs: set[Value] = field(default_factory=set)
    leaves: set[Value] = field(default_factory=set)
    sources: set[Value] = field(default_factory=set)  # what gathers read, anywhere
    after: dict[Value, int] = field(default_factory=dict)  # see `axes_after`
    may_raise: bool = False


class _Lowering:
    def __init__(self, exact: bool) -> None:
        self.exact = exact

    def block(self, block: Block) -> Body:
        body = Body(list(block.params), [], block.results, block.ends)
        groups: list[_Group] = []
        wanted = not self.exact and any(map(_has_mask, block.operations))
        under_masks, packed = gathers.find(block) if wanted else ({}, ())
        for place, op in enumerate(block.operations):
            if op in packed:
                continue
            if op in under_masks:
                self._close(body, groups, list(groups))
                body.statements.append(under_masks[op])
                continue
            by_numpy = self.exact and rounds_otherwise(op)
            shape = None if by_numpy else nest_shape(op)
            if shape is not None:
                self._join(body, groups, place, op, shape)
                continue
            how = "" if op.is_control else "call" if by_numpy else how_it_runs(op)
            before = self._close_for(body, groups, op, how)
            if op.is_control:
                body.statements.append(Control(op, tuple([self.block(inner) for inner in op.blocks])))
            else:
                body.statements.append(Single(op, how, before=before))
        self._close(body, groups, list(groups))
        _keep_stored(body)
        return body

    def _join(self, body: Body, groups: list[_Group], place: int, op: Operation, shape: Shape) -> None:
        """Put an operation into the open groups that it belongs to; merge those."""
        if is_write(op):
            return self._join_write(body, groups, place, op, shape)
        arrays = {v for v in op.inputs if isinstance(v.type, ArrayType) and v.type.ndim}
        makers = [g for g in groups if not g.outputs.isdisjoint(op.inputs)]
        fitting = [g for g in makers if g.shape == shape and not _needs_whole(g, op)]
        self._close(body, groups, [g for g in makers if g not in fitting])
        fitting += [
            g for g in groups if g not in fitting and g.shape == shape and not g.leaves.isdisjoint(arrays)
        ]
        self._merge(body, groups, fitting, place, op, shape)
        return None

    def _join_write(self, body: Body, groups: list[_Group], place: int, op: Operation, shape: Shape) -> None:
        """A write comes after all reads before it; it may end the nest that computes the value."""
        value = op.inputs[1]
        fitting = [
            g
            for g in groups
            if value in g.outputs
            and op.inputs[0] not in g.outputs
            and g.shape == shape
            and not _needs_whole(g, op)
            and g.outputs.isdisjoint(op.inputs[2:])
            and not any(overlaps(op, leaf) for leaf in g.leaves)
            and not any(origin(source) is origin(op.inputs[0]) for source in g.sources)
        ]
        self._close(body, groups, [g for g in groups if g not in fitting])
        self._merge(body, groups, fitting, place, op, shape)
        self._close(body, groups, list(groups))

    def _merge(
        self,
        body: Body,
        groups: list[_Group],
        fitting: list[_Group],
        place: int,
        op: Operation,
        shape: Shape,
    ) -> None:
        if sum(len(group.members) for group in fitting) >= MOST_MEMBERS:
            self._close(body, groups, fitting)
            fitting = []
        self._close(body, groups, groups[:-MOST_OPEN])
        fitting = [group for group in fitting if group in groups]
        arrays = {v for v in op.inputs if isinstance(v.type, ArrayType) and v.type.ndim}
        group = _Group(shape, after=axes_after(op))
        for old in fitting:
            if _differ(group.after, old.after):
                self._close(body, groups, [old])
                continue
            group.after |= old.after
            groups.remove(old)
            group.members += old.members
            group.outputs |= old.outputs
            group.leaves |= old.leaves
            group.sources |= old.sources
            group.may_raise |= old.may_raise
        group.members.append((place, op))
        group.members.sort(key=lambda member: member[0])
        group.leaves |= arrays - group.outputs
        group.outputs.update(op.outputs)
        if is_gather(op):
            group.sources.add(op.inputs[0])
        group.may_raise |= effects_of(op).may_raise
        groups.append(group)

    def _close_for(self, body: Body, groups: list[_Group], op: Operation, how: str) -> tuple[Nest, ...]:
        """Close the groups that may not stay open across an operation; those that stay, and may raise."""
        effects = effects_of(op)
        if op.blocks or op.is_landing or effects.ordered or effects.writes:
            self._close(body, groups, list(groups))
            return ()
        used = set(op.inputs)
        self._close(body, groups, [g for g in groups if not g.outputs.isdisjoint(used)])
        raising = [g for g in groups if g.may_raise and effects.may_raise]
        if how in ("load", "view") and len(raising) <= MOST_WAITING:
            return tuple([Nest(g.shape, [member for _, member in g.members]) for g in raising])
        self._close(body, groups, raising)
        return ()

    def _close(self, body: Body, groups: list[_Group], which: list[_Group]) -> None:
        for group in which:
            groups.remove(group)
            members = [op for _, op in group.members]
            body.statements.append(Nest(group.shape, members, may_raise=group.may_raise))


def _has_mask(op: Operation) -> bool:
    """``x[m]``, or ``x[m] = v``"""
    kind = op.inputs[-1].type if op.is_item else None
    return isinstance(kind, ArrayType) and kind.dtype.kind == "b"


def _keep_stored(body: Body) -> None:
    """Mark the arrays of nests that something else needs."""
    used: set[Value] = set(body.results)
    for statement in body.statements:
        used.update(statement.used())
    for statement in body.statements:
        if isinstance(statement, Nest):
            made = [v for op in statement.members for v in op.outputs if not is_reduction(op)]
            statement.stored = tuple([v for v in made if v in used])


def _differ(a: dict[Value, int], b: dict[Value, int]) -> bool:
    """Does an array name places of rows in one of two, and lie beside these in the other?"""
    return any(a.get(value, axes) != axes for value, axes in b.items())


def _needs_whole(group: _Group, op: Operation) -> bool:
    """Does the operation need the result of a reduction of the group, or more than one element of another?"""
    if is_gather(op) and not group.outputs.isdisjoint(op.inputs):
        return True
    if _differ(group.after, axes_after(op)):
        return True
    reduced = {v for _, member in group.members for v in member.outputs if is_reduction(member)}
    return not reduced.isdisjoint(op.inputs)


# -- how an operation runs -----------------------------------------------------------------------------


#: who writes the machine code of operations (`OpDef.lowered`); a module is loaded when it is first asked
WRITERS: dict[str, Any] = {
    "buffer": buffers, "builtin": builtins_called, "complex": complexes, "creation": creation,
    "dict": dicts, "draw": draws, "exception": tries, "fold": folds, "format": formatting, "heap": heaps,
    "histogram": histograms,
    "instance": instances, "join": joining, "list": lists, "product": products, "scan": scans, "seen": views,
    "sorting": sorting, "stack": stacks, "text": texts, "ufunc": ufunc_calls,
}  # fmt: skip


def calls_in_loops(graph: Graph) -> bool:
    loops = [op for part in graph.whole() for op in part.operations() if op.is_loop]
    return any(is_called(op) for loop in loops for block in loop.blocks for op in walk(block))


def is_called(op: Operation) -> bool:
    """Does Python call its kernel?"""
    return not op.is_control and nest_shape(op) is None and how_it_runs(op) == "call"


def how_it_runs(op: Operation) -> str:
    """See ``loops.Single``."""
    definition = REGISTRY[op.name]
    if op.is_constant or op.is_undef and not isinstance(op.output.type, ArrayType):
        return "constant"
    if op.is_call or op.is_landing:
        return "function" if op.is_call else "landing"
    if op.is_length_of_axis:
        return "length" if is_native_array(op.inputs[0].type) else "call"
    if op.is_item:
        return items.how_item_runs(op)
    if definition.family not in ("container", "companion") or _has_arguments(op):
        for how in definition.lowered:
            if WRITERS[how].runs_in_machine_code(op):
                return how
    if definition.lowered and definition.formula is None or definition.family == "reduction":
        return "call"
    if not op.outputs or not all(in_register(v.type) for v in op.outputs):
        return "call"
    if not all(in_register(v.type) or _is_cell(v.type) for v in op.inputs):
        return "call"
    return "register" if has_native(op) else "call"


def _has_arguments(op: Operation) -> bool:
    """Is it about a container, with as many arguments as its function takes? Else that raises."""
    given = structures_of(op)
    if op.makes_container or type(given) is not tuple or not op.inputs:
        return op.makes_container
    return containers.takes(op.name, op.inputs[0].type, len(given))


def _is_cell(type: Type) -> bool:
    """A 0-d array: one element in memory."""
    return isinstance(type, ArrayType) and type.ndim == 0 and is_native_array(type)
