"""``zeros`` in machine code: small arrays of a shape that is known."""

from __future__ import annotations

import math

from runtime.engines.native.arrays import new_array
from runtime.engines.native.calls import Calls
from runtime.engines.native.ir import FALSE, V, i64
from runtime.engines.native.values import is_native_array
from runtime.graph import Operation
from runtime.types import ArrayType

#: of more bytes the system's own zeros cost less
LARGEST = 1 << 12


def runs_in_machine_code(op: Operation) -> bool:
    if op.name != "zeros" or op.inputs or op.attributes.get("order", "C") != "C":
        return False
    type = op.output.type
    return is_native_array(type) and None not in type.shape and _size(type) <= LARGEST  # type: ignore[union-attr, arg-type]


def _size(type: ArrayType) -> int:
    return math.prod(type.shape) * type.dtype.itemsize  # type: ignore[arg-type]


def emit(code: Calls, op: Operation) -> None:
    type = op.output.type
    assert isinstance(type, ArrayType)
    array = new_array(code, type, [i64(n) for n in type.shape if n is not None], op.location)
    code.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    code.f.call("void", "llvm.memset.p0.i64", (array.data, V("i8", "0"), i64(_size(type)), FALSE))
    code.bind(op.output, array)
