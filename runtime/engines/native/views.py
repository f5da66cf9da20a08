"""Arrays seen differently without a Python object: reversed axes, axes in another order."""

from __future__ import annotations

from dataclasses import replace

from runtime.engines.native.calls import Calls
from runtime.engines.native.ir import FALSE, i64
from runtime.engines.native.values import ArrayRef, is_native_array, product
from runtime.graph import Operation
from runtime.types import ArrayType

_ATLEAST = frozenset({"atleast_1d", "atleast_2d", "atleast_3d"})


def runs_in_machine_code(op: Operation) -> bool:
    if len(op.inputs) != 1 or not is_native_array(op.inputs[0].type) or not is_native_array(op.output.type):
        return False
    if op.name in _ATLEAST:  # the array itself
        return op.inputs[0].type == op.output.type
    if op.name == "flip":
        return set(op.attributes) <= {"axis"}
    return op.name == "transpose" and set(op.attributes) <= {"axes"}


def emit(code: Calls, op: Operation) -> None:
    f, array, type = code.f, code.reps[op.inputs[0]], op.output.type
    assert isinstance(array, ArrayRef) and isinstance(type, ArrayType)
    rank = array.type.ndim
    if op.name in _ATLEAST:
        f.call("void", "Py_IncRef", (array.holder,))
        return code.bind(op.output, array)
    data, dims, strides = array.data, list(array.dims), list(array.strides)
    if op.name == "transpose":
        axes = op.attributes.get("axes")
        order = list(reversed(range(rank))) if axes is None else [a % rank for a in axes]
        dims, strides = [dims[k] for k in order], [strides[k] for k in order]
    else:
        axis = op.attributes.get("axis")
        which = (
            range(rank)
            if axis is None
            else [a % rank for a in (axis if isinstance(axis, tuple) else (axis,))]
        )
        for k in which:
            last = f.binary("sub", dims[k], i64(1))
            some = f.select(f.compare("icmp sgt", dims[k], i64(0)), last, i64(0))
            data = f.offset(data, product(f, some, strides[k]))
            strides[k] = f.binary("sub", i64(0), strides[k])
    known = [i64(n) if n is not None else v for n, v in zip(type.shape, dims, strict=True)]
    f.call("void", "Py_IncRef", (array.holder,))
    found = ArrayRef(type, array.holder, data, tuple(known), tuple(strides), array.writable, FALSE)
    if op.name == "flip" and rank - 1 in which:
        found = replace(found, turned=not array.turned)
    code.bind(op.output, found)
