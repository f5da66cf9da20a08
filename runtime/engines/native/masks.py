"""Items that a mask selects, changed where they are: ``x[m] = f(x[m], y[m])``.

NumPy packs the selected items together, computes with the packed ones, and spreads the result. Here they
stay in place: a nest over the mask computes each element, and keeps the new one where the mask holds.
That is so where the packed arrays are nobody else's: they are made by ``x[m]`` and elementwise operations,
end in one ``y[m] = ...`` with the very same mask, and nothing in between could change it or them.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.engines.native.values import in_register, is_native_array
from runtime.graph import Block, Operation, Value
from runtime.graph.effects import effects_of
from runtime.ops.definition import REGISTRY
from runtime.ops.indexing import Dynamic
from runtime.types import ArrayType

#: member of such a nest -> its mask (a prototype: a field of the nest in the end)
_MASKS: dict[Operation, Value] = {}


def mask_of(op: Operation) -> Value | None:
    return _MASKS.get(op)


def find(block: Block, has_native: object) -> None:
    """Note the members of nests under masks of a block."""
    operations = list(block.operations)
    places = {op: k for k, op in enumerate(operations)}
    uses: dict[Value, int] = {}
    for value in _used(block):
        uses[value] = uses.get(value, 0) + 1
    for last in operations:
        mask = _mask(last, 2) if last.name == "setitem" else None
        if mask is None:
            continue
        value = last.inputs[1]
        if in_register(value.type):
            _MASKS[last] = mask
            continue
        chain = _chain(value, mask, places, has_native)
        if chain is None or not _is_apart(chain, last, operations, places, uses):
            continue
        for op in (*chain, last):
            _MASKS[op] = mask


def _mask(op: Operation, at: int) -> Value | None:
    """The mask of ``x[m]``, which has the very shape of x."""
    if op.attributes.get("index") != (Dynamic(0),) or len(op.inputs) != at + 1:
        return None
    array, mask = op.inputs[0].type, op.inputs[at].type
    if not is_native_array(array) or not isinstance(mask, ArrayType) or mask.dtype.name != "bool":
        return None
    return op.inputs[at] if mask.shape == array.shape and mask.ndim else None  # type: ignore[union-attr]


def _chain(
    value: Value, mask: Value, places: dict[Operation, int], has_native: object
) -> list[Operation] | None:
    """The operations that make a packed array of nothing but packed arrays and numbers."""
    chain: dict[Operation, None] = {}
    wanted = [value]
    while wanted:
        op = wanted.pop().owner
        if op is None or op not in places:
            return None
        if op in chain:
            continue
        if op.name == "getitem" and len(op.inputs) == 2 and _mask(op, 1) is mask:
            chain[op] = None
            continue
        if REGISTRY[op.name].family != "elementwise" or len(op.outputs) != 1 or not has_native(op):  # type: ignore[operator]
            return None
        if effects_of(op).ordered or effects_of(op).writes:
            return None
        chain[op] = None
        arrays = [v for v in op.inputs if isinstance(v.type, ArrayType)]
        if any(not v.type.ndim for v in arrays) or not arrays:  # type: ignore[union-attr]
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
    sources = [op.inputs[0] for op in chain if op.name == "getitem"]
    if any(s is not last.inputs[0] and _origin(s) is _origin(last.inputs[0]) for s in sources):
        return False  # what is read may be changed by the write: NumPy reads all of it first
    members = {*chain, last}
    inside: dict[Value, int] = {}
    for op in members:
        for value in op.inputs:
            inside[value] = inside.get(value, 0) + 1
    if any(uses.get(v, 0) != inside.get(v, 0) for op in chain for v in op.outputs):
        return False
    first = min(places[op] for op in chain)
    between = [op for op in operations[first : places[last]] if op not in members]
    return all(op.name == "constant" for op in between)


def _origin(value: Value) -> Value:
    while value.owner is not None and value.owner.name in ("getitem", "flip", "transpose"):
        value = value.owner.inputs[0]
    return value


def _used(block: Block) -> Iterator[Value]:
    yield from block.results
    for op in block.operations:
        yield from op.inputs
        for inner in op.blocks:
            yield from _used(inner)
