"""Items that a mask selects, where they are: ``x[m] = f(x[m], y[m])``, ``x[m].sum()``.

NumPy packs the selected items together, computes with the packed ones, and spreads the result. Here they
stay in place: a nest over the mask computes each element, and stores (or adds) those where the mask holds.
That is so where the packed arrays are nobody else's: they are made by ``x[m]`` and elementwise operations,
end in one ``y[m] = ...`` or reduction, and nothing in between could change the arrays or the mask.

The members of such a nest are operations of this module's own making, without the packing:
``copyto(y, v, m)`` for ``y[m] = v``, ``sum(v, m) {masked: True}`` for the sum. Where its conditions fail,
the graph's own operations run.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.engines.native.loops import Nest
from runtime.engines.native.members import can_write, has_native, origin, reduction_form
from runtime.engines.native.values import in_register, is_native_array
from runtime.graph import Block, Operation, Value
from runtime.graph.effects import effects_of
from runtime.ops.definition import REGISTRY
from runtime.ops.indexing import Dynamic
from runtime.types import ArrayType


def find(block: Block) -> tuple[dict[Operation, Nest], set[Operation]]:
    """The nests under masks by the operation that ends them, and the operations that these nests replace."""
    operations = list(block.operations)
    places = {op: k for k, op in enumerate(operations)}
    uses: dict[Value, int] = {}
    for value in _used(block):
        uses[value] = uses.get(value, 0) + 1
    nests: dict[Operation, Nest] = {}
    inside: set[Operation] = set()
    for last in operations:
        chain = _chain_of(last, places)
        if chain is None or not _is_apart(chain, last, operations, places, uses):
            continue
        nest = _in_place(sorted(chain, key=places.__getitem__), last, places)
        if nest is not None:
            nests[last] = nest
            inside.update(chain)
    return nests, inside


def _mask(op: Operation, at: int) -> Value | None:
    """The mask of ``x[m]``, which has the very shape of x."""
    if op.attributes.get("index") != (Dynamic(0),) or len(op.inputs) != at + 1:
        return None
    array, mask = op.inputs[0].type, op.inputs[at].type
    if not is_native_array(array) or not isinstance(mask, ArrayType) or mask.dtype.name != "bool":
        return None
    return op.inputs[at] if mask.shape == array.shape and mask.ndim else None


def _can_leave_out(op: Operation) -> bool:
    """Is it a reduction that can leave out what a mask does not select?"""
    definition = REGISTRY[op.name]
    return definition.family == "reduction" and bool(definition.combines)


def _chain_of(last: Operation, places: dict[Operation, int]) -> list[Operation] | None:
    """The operations that make what ``last`` stores or reduces; None where it does neither."""
    if last.is_store:
        mask = _mask(last, 2)
        if mask is None or in_register(last.inputs[1].type):
            return None if mask is None else []
        return _chain(last.inputs[1], mask, places)
    if _can_leave_out(last) and reduction_form(last) == "full":
        first = last.inputs[0].owner
        while first is not None and not first.is_load and first in places:
            first = next((v.owner for v in first.inputs if isinstance(v.type, ArrayType)), None)
        mask = None if first is None or not first.is_load else _mask(first, 1)
        return None if mask is None else _chain(last.inputs[0], mask, places)
    return None


def _chain(value: Value, mask: Value, places: dict[Operation, int]) -> list[Operation] | None:
    """The operations that make a packed array of nothing but packed arrays and numbers."""
    chain: dict[Operation, None] = {}
    wanted = [value]
    while wanted:
        op = wanted.pop().owner
        if op is None or op not in places:
            return None
        if op in chain:
            continue
        if op.is_load and _mask(op, 1) is mask:
            chain[op] = None
            continue
        if REGISTRY[op.name].family != "elementwise" or len(op.outputs) != 1 or not has_native(op):
            return None
        if effects_of(op).ordered or effects_of(op).writes:
            return None
        chain[op] = None
        arrays = [v for v in op.inputs if isinstance(v.type, ArrayType)]
        if any(not v.ndim for v in arrays) or not arrays:
            return None
        wanted += arrays
    return list(chain)


def _is_apart(
    chain: list[Operation],
    last: Operation,
    operations: list[Operation],
    places: dict[Operation, int],
    uses: dict[Value, int],
) -> bool:
    """Are the packed arrays used in the chain alone, and does nothing else happen before it ends?"""
    sources = [op.inputs[0] for op in chain if op.is_load]
    if last.is_store and any(
        s is not last.inputs[0] and origin(s) is origin(last.inputs[0]) for s in sources
    ):
        return False  # what is read may be changed by the write: NumPy reads all of it first
    members = {*chain, last}
    within: dict[Value, int] = {}
    for op in members:
        for value in op.inputs:
            within[value] = within.get(value, 0) + 1
    if any(uses.get(v, 0) != within.get(v, 0) for op in chain for v in op.outputs):
        return False
    first = min(places[op] for op in members)
    between = [op for op in operations[first : places[last]] if op not in members]
    return all(op.is_constant for op in between)


def _in_place(chain: list[Operation], last: Operation, places: dict[Operation, int]) -> Nest | None:
    """The nest that does the same over the shape of the mask."""
    mask = last.inputs[2] if last.is_store else chain[0].inputs[1]
    shape = mask.shape
    instead: dict[Value, Value] = {}
    members: list[Operation] = []
    for op in chain:
        if op.is_load:
            instead[op.output] = op.inputs[0]
            continue
        type = ArrayType(op.output.dtype, shape)
        inputs = tuple([instead.get(v, v) for v in op.inputs])
        made = Operation(op.name, inputs, (type,), op.attributes, location=op.location)
        instead[op.output] = made.output
        members.append(made)
    if last.is_store:
        value = instead.get(last.inputs[1], last.inputs[1])
        end = Operation("copyto", (last.inputs[0], value, mask), location=last.location)
        if not isinstance(target := end.inputs[0].type, ArrayType) or not can_write(end, target):
            return None
    else:
        attributes = {**last.attributes, "masked": True}
        end = Operation(last.name, (instead[last.inputs[0]], mask), (), attributes, location=last.location)
        end.outputs = last.outputs
    return Nest(shape, [*members, end], kernels=[*chain, last])


def _used(block: Block) -> Iterator[Value]:
    yield from block.results
    for op in block.operations:
        yield from op.inputs
        for inner in op.blocks:
            yield from _used(inner)
