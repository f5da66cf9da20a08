"""``concatenate`` in machine code: vectors, and matrices in C order, of one dtype."""

from __future__ import annotations

from runtime.engines.native.arrays import new_array, parallel
from runtime.engines.native.calls import Calls
from runtime.engines.native.elements import load, store
from runtime.engines.native.ir import V, counted_loop, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import ArrayRef, contiguous_strides, is_literal, is_native_array, product
from runtime.graph import Operation
from runtime.types import ArrayType


def runs_in_machine_code(op: Operation) -> bool:
    if op.attributes.keys() - {"axis"} or not is_native_array(op.output.type):
        return False
    type = op.output.type
    assert isinstance(type, ArrayType)
    alike = [x.type for x in op.inputs if isinstance(x.type, ArrayType) and x.type.dtype == type.dtype]
    return (
        len(alike) == len(op.inputs)
        and all(each.ndim == type.ndim for each in alike)
        and type.ndim in (1, 2)
        and isinstance(op.attributes.get("axis", 0), int)
    )


def emit(code: Calls, op: Operation) -> None:
    f, slow = code.f, SlowPath(code, op)
    parts = [code.reps[x] for x in op.inputs]
    arrays = [part for part in parts if isinstance(part, ArrayRef)]
    type = op.output.type
    assert isinstance(type, ArrayType)
    axis = op.attributes.get("axis", 0) % type.ndim
    dims = list(arrays[0].dims)
    for array in arrays[1:]:
        for k, length in enumerate(array.dims):
            if k == axis:
                dims[k] = _sum(code, dims[k], length)
            elif length != dims[k]:
                slow.jump_if(f.compare("icmp ne", length, dims[k]))
    if type.ndim == 2:
        for array in arrays:
            for stride, expected in zip(
                array.strides, contiguous_strides(f, array.itemsize, array.dims), strict=True
            ):
                if stride != expected:
                    slow.jump_if(f.compare("icmp ne", stride, expected))
    out = new_array(code, type, dims, op.location)
    start = out.data
    for array in arrays:
        _copy(code, array, start, out)
        start = f.offset(start, product(f, array.dims[axis], out.strides[axis]))
    (found,) = slow.finish([out])
    code.bind(op.output, found)


def _sum(code: Calls, a: V, b: V) -> V:
    return i64(int(a.ref) + int(b.ref)) if is_literal(a) and is_literal(b) else code.f.binary("add", a, b)


def _copy(code: Calls, array: ArrayRef, start: V, out: ArrayRef) -> None:
    """The elements of a part, to where it begins in the result."""
    f, dtype = code.f, array.type.dtype

    def row(i: V) -> None:
        source, target = array.data, start
        if array.type.ndim == 2:
            source = f.offset(source, product(f, i, array.strides[0]))
            target = f.offset(target, product(f, i, out.strides[0]))
        suffix, metadata = parallel(code)

        def element(j: V) -> None:
            found = load(f, dtype, f.offset(source, product(f, j, array.strides[-1])), suffix)
            store(f, found, f.offset(target, product(f, j, out.strides[-1])), suffix)

        counted_loop(f, i64(0), array.dims[-1], i64(1), element, metadata)

    counted_loop(f, i64(0), array.dims[0] if array.type.ndim == 2 else i64(1), i64(1), row)
