"""What the engine knows of an operation that may run inside a nest, before any code is written.

Three kinds: *elementwise* operations; *reductions*, of all axes ("full"), of the last ones ("rows") or of
others ("columns"); *writes* into memory that was there before: ``x += y``, ``x[1:] = y``, ``copyto``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.engines.native.elements import (
    BOOL,
    Element,
    LlvmElements,
    Unsupported,
    has_registers,
    register_type,
)
from runtime.engines.native.ir import FunctionWriter, V
from runtime.engines.native.ufunc_loops import is_costly, loop_address, numpy_loop
from runtime.engines.native.values import in_register, is_native_array
from runtime.graph import Operation, Value, item_places
from runtime.ops import indexing
from runtime.ops.definition import REGISTRY
from runtime.ops.formulas import operand_dtypes
from runtime.types import ArrayType, NumberType, ScalarType, Shape, Type, is_known

#: which elements of a matrix stay, by the place of the column beside that of the row
TRIANGLES = {"triu": "sge", "tril": "sle"}
#: for so many complex numbers one form of the loops will do
LITTLE = 16


def is_reduction(op: Operation) -> bool:
    return REGISTRY[op.name].family == "reduction" or is_dot(op)


def is_dot(op: Operation) -> bool:
    """A product of two vectors: the sum over a nest of their products, which need not be stored."""
    definition = REGISTRY[op.name]
    if definition.family != "linear algebra" or not definition.combines or op.attributes:
        return False
    if not all(is_native_array(value.type) and value.ndim == 1 for value in op.inputs):
        return False
    if not in_register(op.output.type) or op.output.dtype.kind not in "iuf":
        return False
    n, m = (value.shape[0] for value in op.inputs)
    return n == m or (1 not in (n, m) and (n is None or m is None))  # nothing is repeated, as in a nest


def identity_of(op: Operation) -> Any:
    """What a reduction starts with; None: with the first element."""
    combines = REGISTRY[op.name].combines
    return getattr(np, combines).identity if combines else None


def is_write(op: Operation) -> bool:
    return op.has("store")


def is_triangle(op: Operation) -> bool:
    return op.name in TRIANGLES


def is_assignment(op: Operation) -> bool:
    """``x[1:] = y``, ``copyto``: the elements become those of the value."""
    return is_write(op) and not op.is_inplace


def operand_types_of(op: Operation) -> tuple[np.dtype, ...]:
    return operand_dtypes(REGISTRY[op.name], tuple([v.type for v in op.inputs]), op.attributes)


def operands_of(op: Operation) -> list[tuple[Value, np.dtype]]:
    """What a member reads, each with the dtype to which it is converted first."""
    if is_dot(op):
        return [(value, op.output.dtype) for value in op.inputs]
    if is_gather(op):
        return [(value, value.dtype) for value in index_arrays(op)]
    if is_reduction(op):
        return [(op.inputs[0], op.inputs[0].dtype), *_mask_of(op)]
    if is_assignment(op):
        own = op.inputs[0].dtype
        places = [(value, value.dtype) for value in index_arrays(op)]
        return [(op.inputs[1], own), *places, *_mask_of(op)]
    if op.is_inplace:
        return operands_of(arithmetic_of(op))
    if op.has("repeats") or is_triangle(op):
        return [(op.inputs[0], op.output.dtype)]
    return list(zip(op.inputs, operand_types_of(op), strict=True))


def _mask_of(op: Operation) -> list[tuple[Value, np.dtype]]:
    """What selects elements, in nests that `gathers.py` makes."""
    if is_assignment(op) and not op.is_store and len(op.inputs) == 3:
        return [(op.inputs[2], BOOL)]
    return [(op.inputs[1], BOOL)] if op.attributes.get("masked") else []


# -- items of an array at places that other arrays name ------------------------------------------------


def is_gather(op: Operation) -> bool:
    """``x[i]``, ``x[k, i]``: items of one array at places that others name, or its rows and the like."""
    if not op.is_load or not isinstance(op.output.type, ArrayType) or not op.output.type.ndim:
        return False
    return whole_axes(op) is not None


def whole_axes(op: Operation) -> int | None:
    """How many last axes an index leaves as they are, whose other items are integers and arrays of integers.

    None for any other index.
    """
    operand, dynamic = op.inputs[0].type, [v.type for v in op.indices]
    if not is_native_array(operand) or not all(map(_is_place, dynamic)):
        return None
    if not any(isinstance(t, ArrayType) for t in dynamic):
        return None
    items = indexing.expand_index(op.attributes["index"], operand.ndim, dynamic)
    while items[-1] == slice(None):
        items.pop()
    named = all(isinstance(item, int | indexing.Dynamic) and not isinstance(item, bool) for item in items)
    return operand.ndim - len(items) if named else None


def _is_place(t: Type) -> bool:
    if isinstance(t, ArrayType):
        return bool(t.ndim) and is_native_array(t) and t.dtype.kind in "iu" and t.dtype.name != "uint64"
    return is_index(t)


def is_scatter(op: Operation) -> bool:
    """``x[i] = v``, ``x[k, i] = v``: with arrays of one axis, in whose order the items are written."""
    if not op.is_store or whole_axes(op) is None:
        return False
    return all(v.ndim == 1 for v in index_arrays(op))


def axes_after(op: Operation) -> dict[Value, int]:
    """How many axes of the nest come after those of each array that a member reads."""
    whole = whole_axes(op) or 0 if op.is_item else 0
    places = index_arrays(op)
    return {v: whole if v in places else 0 for v, _ in operands_of(op) if isinstance(v.type, ArrayType)}


def index_arrays(op: Operation) -> list[Value]:
    """The arrays among the items of an index."""
    first = {"getitem": 1, "setitem": 2}.get(op.name)
    return [] if first is None else [v for v in op.inputs[first:] if isinstance(v.type, ArrayType)]


def rounds_otherwise(op: Operation) -> bool:
    """May bits be others than NumPy's? Sums are added in another order, products of complex arrays rounded in
    another, and of zeros of both signs another one is the largest."""
    made = op.inputs[0].type if op.is_inplace else op.outputs[0].type if op.outputs else None
    if not isinstance(made, ArrayType | ScalarType) or made.dtype.kind not in "fc":
        return False
    if REGISTRY[op.name].combines:
        return True
    name = op.attributes["ufunc"] if op.is_inplace else op.name
    return made.dtype.kind == "c" and made.ndim > 0 and name in ("multiply", "square", "power")


# -- what one element is -------------------------------------------------------------------------------


def arithmetic_of(op: Operation) -> Operation:
    """``add(x, y)`` for ``inplace(x, y) {ufunc: add}``; its result is converted to the type of x."""
    return Operation(op.attributes["ufunc"], op.inputs, (op.inputs[0].type,), location=op.location)


def loop_of(op: Operation) -> tuple[int, int] | None:
    """NumPy's own loop for an elementwise operation that machine code does not do itself."""
    if is_reduction(op) or _is_square(op) or not isinstance(REGISTRY[op.name].kernel, np.ufunc):
        return None
    return numpy_loop(op, operand_types_of(op))


def loop_of_pairs(op: Operation) -> tuple[int, int] | None:
    """NumPy's loop for a sum or product of complex numbers, alone in its nest.

    It is as fast as machine code, which takes LLVM 10 ms; but for a call, so that few numbers do without.
    """
    op = arithmetic_of(op) if op.is_inplace else op
    kernel = REGISTRY[op.name].kernel
    if op.name not in ("add", "subtract", "multiply") or not isinstance(kernel, np.ufunc):
        return None
    result, dtypes = op.output.type, operand_types_of(op)
    if not isinstance(result, ArrayType) or result.dtype.kind != "c" or _is_little(result.shape):
        return None
    for value, dtype in zip(op.inputs, dtypes, strict=True):
        if isinstance(value.type, ArrayType) and value.type.ndim and value.type.dtype != dtype:
            return None
    return loop_address(kernel, (*dtypes, result.dtype))


def _is_little(shape: Shape) -> bool:
    return is_known(shape) and math.prod(shape) <= LITTLE


def rule_of(op: Operation) -> Callable[..., Any]:
    """The operation's machine code for one element."""
    if _is_square(op):
        return lambda b, x, y: b.mul(x, x)
    if op.has("repeats"):
        return lambda b, x: x
    native = REGISTRY[op.name].native
    assert native is not None
    return native


def _is_square(op: Operation) -> bool:
    """``x ** 2``, which NumPy computes as ``x * x`` too."""
    if op.name != "power" or op.inputs[1].owner is None or not op.inputs[1].owner.is_constant:
        return False
    exponent = op.inputs[1].owner.attributes["value"]
    if op.inputs[0].dtype.kind == "c" and type(exponent) is not int:
        return False  # NumPy's power has a rounding of its own there
    return isinstance(exponent, int | float) and exponent == 2


def has_native(op: Operation) -> bool:
    """Does the operation's rule know machine code for these types? Asked by running it on a scratch page."""
    definition = REGISTRY[op.name]
    if definition.native is None or op.attributes.get("dtype") is not None:
        return False
    types = [v.type for v in op.inputs]
    if not all(isinstance(t, ArrayType | ScalarType | NumberType) and has_registers(t.dtype) for t in types):
        return False
    output = op.outputs[0].type
    if not isinstance(output, ArrayType | ScalarType | NumberType) or not has_registers(output.dtype):
        return False
    try:
        dtypes = operand_types_of(op)
        if dtypes and dtypes[0].kind == "c" and loop_of(op) is not None:
            return True
        scratch = FunctionWriter("scratch", "void", [])
        b = LlvmElements(scratch, lambda text: None, op.attributes, output.dtype, lambda c, raises: None)
        operands = [Element(V(register_type(d), "%operand"), d) for d in dtypes]
        found = rule_of(op)(b, *operands)
    except Unsupported:
        return False
    return found is not NotImplemented


# -- shapes --------------------------------------------------------------------------------------------


def nest_shape(op: Operation) -> Shape | None:
    """The lengths that a nest for this operation loops over; None where it does not run in a nest."""
    definition = REGISTRY.get(op.name)
    if definition is None:
        return None
    if is_write(op):
        target = target_type(op)
        return None if target is None or not can_write(op, target) else target.shape
    if definition.family == "elementwise" and len(op.outputs) == 1:
        t = op.output.type
        if not isinstance(t, ArrayType) or not t.ndim:
            return None
        if all(in_register(v.type) or is_native_array(v.type) for v in op.inputs) and has_native(op):
            return t.shape
        return None
    if is_dot(op):
        n, m = (value.shape[0] for value in op.inputs)
        return (m if n is None else n,)
    if is_gather(op):
        return op.output.shape
    folds = definition.combines or op.has("place")
    if definition.family == "reduction" and folds and reduction_form(op) is not None:
        return op.inputs[0].shape
    if is_triangle(op):
        matrix = op.inputs[0].type
        if is_native_array(matrix) and matrix == op.output.type and matrix.ndim > 1:
            return matrix.shape if type(op.attributes.get("k", 0)) is int else None
        return None
    if op.has("repeats") and _may_repeat(*[v.type for v in op.inputs]):
        return op.output.shape
    return None


def _may_repeat(value: Type, like: Type) -> bool:
    """Can each element be one of the value, as far as their types tell? Lengths are tested at run time."""
    if not isinstance(like, ArrayType) or not is_native_array(like) or not like.ndim:
        return False
    if in_register(value):
        return True
    if not isinstance(value, ArrayType) or not is_native_array(value) or value.ndim > like.ndim:
        return False
    pairs = zip(reversed(value.shape), reversed(like.shape), strict=False)
    return all(n == 1 or m is None or (n is None and m != 1) or n == m for n, m in pairs)


def reduced_axes(op: Operation) -> frozenset[int]:
    rank = op.inputs[0].ndim
    axis = op.attributes.get("axis")
    if axis is None:
        return frozenset(range(rank))
    return frozenset(a % rank for a in (axis if isinstance(axis, tuple) else (axis,)))


def reduction_form(op: Operation) -> str | None:
    """ "full", "rows" or "columns"; None where the kernel has to do it."""
    if is_dot(op):
        return "full"
    source = op.inputs[0].type
    others = [v for k, v in op.attributes.items() if k not in ("axis", "keepdims")]
    if len(op.inputs) != 1 or any(v is not None for v in others):
        return None
    output = op.output.type
    if not isinstance(source, ArrayType) or not is_native_array(source) or not source.ndim:
        return None
    reduced = reduced_axes(op)
    is_complex = "c" in (source.dtype.kind, op.output.dtype.kind)
    if is_complex and REGISTRY[op.name].combines != "add":
        return None
    if in_register(output) and len(reduced) == source.ndim:
        return "full" if not op.has("place") or source.ndim == 1 else None
    if not is_native_array(output) or len(reduced) == source.ndim or op.has("place") or not reduced:
        return None
    if reduced == frozenset(range(min(reduced), source.ndim)):
        return "rows"
    return "columns" if source.ndim - 1 not in reduced and not op.has("quotient") else None


# -- writes --------------------------------------------------------------------------------------------


def target_type(op: Operation) -> ArrayType | None:
    """The type of the array that is written: for an item, of the part of the array."""
    operand = op.inputs[0].type
    if not isinstance(operand, ArrayType) or not is_native_array(operand):
        return None
    if not op.is_store:
        return operand if operand.ndim else None
    dynamic = [v.type for v in op.inputs[2:]]
    if is_scatter(op):
        lengths = {t.shape[0] for t in dynamic if isinstance(t, ArrayType)}
        known = lengths - {None}
        rest = operand.shape[operand.ndim - (whole_axes(op) or 0) :]
        return ArrayType(operand.dtype, (*(*known, None)[:1], *rest)) if len(known) < 2 else None
    if not all(map(is_index, dynamic)):
        return None
    items = indexing.expand_index(op.attributes["index"], operand.ndim, dynamic)
    if not all(map(is_simple, items)) or all(isinstance(item, int | indexing.Dynamic) for item in items):
        return None
    return ArrayType(operand.dtype, indexing.indexed_shape(operand.shape, op.attributes["index"], dynamic))


def can_write(op: Operation, target: ArrayType) -> bool:
    value = op.inputs[1].type
    if op.is_inplace:
        pseudo = arithmetic_of(op) if len(op.inputs) == 2 else None
        if pseudo is None or pseudo.name not in REGISTRY:
            return False
        if REGISTRY[pseudo.name].family != "elementwise" or not has_native(pseudo):
            return False
        if is_costly(pseudo.name) and not _is_square(pseudo):
            return False
    elif isinstance(value, ArrayType) and is_native_array(value):
        if value.dtype.kind == "c" and target.dtype.kind != "c":
            return False  # a warning
        if value.dtype.kind == "f" and target.dtype.kind in "iu":
            return False  # what does not fit is converted as NumPy's loop happens to
    if in_register(value) and value.dtype.kind == "c" and target.dtype.kind != "c":
        return False
    if op.attributes.get("casting", "same_kind") not in ("same_kind", "unsafe"):
        return False
    if in_register(value):
        return True
    if not isinstance(value, ArrayType) or not is_native_array(value) or value.ndim > target.ndim:
        return False
    pairs = zip(reversed(value.shape), reversed(target.shape), strict=False)
    return all(n is None or n == 1 or m is None or n == m for n, m in pairs)


def writes_itself(op: Operation) -> bool:
    """``x[i] = x[i]``, with the same i."""
    made = op.inputs[1].owner if op.is_store and not is_scatter(op) else None
    return (
        made is not None
        and made.is_load
        and made.inputs[0] is op.inputs[0]
        and made.inputs[1:] == op.inputs[2:]
        and made.attributes["index"] == op.attributes["index"]
    )


def _place(item: Value | int) -> item_places.Sum:
    return item_places.sum_of(item) if isinstance(item, Value) else item_places.Sum(None, item)


def is_index(t: Type) -> bool:
    return isinstance(t, NumberType | ScalarType) and t.dtype.kind in "iu" and t.dtype.name != "uint64"


def is_simple(item: Any) -> bool:
    """An item of an index whose step, if it is a slice, is known."""
    return not isinstance(item, slice) or not isinstance(item.step, indexing.Dynamic)


def overlaps(op: Operation, leaf: Value) -> bool:
    """Is it known while compiling that a write changes what is read elsewhere through ``leaf``?

    ``x[1:] = f(x[:-1])``: all of f comes first, then the copy. Unrelated arrays, and different rows or
    columns of one matrix, are tested at run time.
    """
    written = op.inputs[0]
    if origin(leaf) is not origin(written):
        return False
    if not op.is_store:
        return leaf is not written
    made = leaf.owner
    if made is None or not made.is_load or made.inputs[0] is not written:
        return True
    same = made.inputs[1:] == op.inputs[2:] and made.attributes["index"] == op.attributes["index"]
    return not same and not (leaf.ndim == 1 and _name_different_rows(made, op))


def _name_different_rows(read: Operation, write: Operation) -> bool:
    """``x[:, j - 1]`` and ``x[:, j]``: mostly. Ints that count from the end may still name the same one."""
    pairs = zip(read.attributes["index"], write.attributes["index"], strict=False)
    for items in pairs:
        if not all(isinstance(item, int | indexing.Dynamic) for item in items):
            continue
        places = [
            _place(op.inputs[first + item.index] if isinstance(item, indexing.Dynamic) else item)
            for op, first, item in zip((read, write), (1, 2), items, strict=True)
        ]
        if places[0].base is places[1].base and places[0] != places[1]:
            return True
    return False


def origin(value: Value) -> Value:
    """What it is a part of, or may be a view of (`views.py`)."""
    while (maker := value.owner) is not None:
        if not maker.is_load and "seen" not in REGISTRY[maker.name].lowered:
            break
        value = maker.inputs[0]
    return value
