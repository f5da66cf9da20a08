"""Small products of vectors and matrices in machine code.

A call of BLAS by way of NumPy takes about as long as some thousands of multiplications. So products of no
more than these are loops here; for larger ones, and for memory that lies otherwise, the kernel is called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from runtime.engines.native import looks, shared
from runtime.engines.native.arrays import new_array, parallel
from runtime.engines.native.calls import Calls
from runtime.engines.native.complex_elements import pair, parts
from runtime.engines.native.dots import call_matmul
from runtime.engines.native.elements import Element, load, register_type, store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import FALSE, TRUE, FunctionWriter, V, counted_loop, floating, i64
from runtime.engines.native.module import ModuleWriter
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.ufunc_loops import loop_address
from runtime.engines.native.values import ArrayRef, Register, is_literal, product
from runtime.graph import Operation
from runtime.types import ArrayType, ScalarType

#: the largest number of multiplications: where one operand is a vector, and where none is
MOST_OF_VECTOR, MOST_OF_MATRICES = 65536, 4096


#: the largest number of multiplications of complex matrices: BLAS by pointer is as fast from there on
MOST_OF_COMPLEX = 1024

#: so many multiplications, as a power of two, BLAS does between two looks: a tenth of a second; with a
#: vector it waits for memory
AT_ONCE, AT_ONCE_OF_VECTOR = 32, 26


def runs_in_machine_code(op: Operation) -> bool:
    if op.attributes:
        return False
    if not all(isinstance(v.type, ArrayType | ScalarType) for v in (*op.inputs, *op.outputs)):
        return False
    types = [v.numeric for v in (*op.inputs, *op.outputs)]
    if any(t.dtype != types[0].dtype or not t.dtype.isnative for t in types):
        return False
    ranks = [t.ndim if isinstance(t, ArrayType) else 0 for t in types[:2]]
    if types[0].dtype.name not in ("float64", "float32", "complex64", "complex128"):
        return False
    return (
        all(rank in (1, 2) for rank in ranks) and loop_address(np.matmul, (types[0].dtype,) * 3) is not None
    )


def emit(code: Codegen, op: Operation) -> None:
    a, b = [code.array_of(x) for x in op.inputs]
    slow = SlowPath(code, op)
    _require_same(code, slow, a.dims[-1], b.dims[0])
    if a.type.dtype.kind == "c":
        return _complex(code, op, slow, a, b)
    if b.type.ndim == 1:  # a matrix times a vector is the vector times the transposed matrix
        _array(code, op, slow, b, a, (1, 0))
    else:
        _array(code, op, slow, a, b, (0, 1))


def _require_same(code: Calls, slow: SlowPath, n: V, m: V) -> None:
    if n != m:
        slow.jump_if(code.f.compare("icmp ne", n, m))


def _array(
    code: Codegen, op: Operation, slow: SlowPath, vector: ArrayRef, matrix: ArrayRef, axes: tuple[int, int]
) -> None:
    """``vector`` is one, or the rows of a matrix. ``axes`` of the other matrix: the one that is summed over,
    and the one that is left."""
    f, type, size = code.f, op.output.type, i64(matrix.itemsize)
    assert isinstance(type, ArrayType)
    down, across = axes
    length, width = matrix.dims[down], matrix.dims[across]
    aside, along = matrix.strides[down], matrix.strides[across]
    rows = vector.dims[0] if vector.type.ndim == 2 else i64(1)
    total = product(f, product(f, rows, length), width)
    most = MOST_OF_MATRICES if vector.type.ndim == 2 else MOST_OF_VECTOR
    if is_literal(total) and int(total.ref) > most:
        return _large(code, op, type, slow, [rows, width])
    small = f.compare("icmp sle", total, i64(most))
    wide = f.compare("icmp eq", along, size)
    tall = f.binary("and", f.compare("icmp eq", aside, size), f.compare("icmp eq", vector.strides[-1], size))
    narrow = f.binary("and", tall, f.compare("icmp slt", width, i64(4)))
    wide = f.binary("and", wide, f.binary("xor", narrow, TRUE))  # long sums, and few of them
    small = f.binary("and", small, f.binary("or", wide, tall))
    out = new_array(code, type, [rows, width] if type.ndim == 2 else [width], op.location)
    loops, blas, done = f.label("loops"), f.label("blas"), f.label("product")
    f.branch(small, loops, blas)
    with f.aside(blas):
        x, y = [code.array_of(v) for v in op.inputs]
        _by_pointer(code, op, x, y, out, out.data)
        f.jump(done)
    f.at(loops)
    names = [_function(code, name, matrix.type.dtype) for name in ("rows", "columns")]
    function = f.select(wide, *[V("ptr", f"@{name}") for name in names])
    step = f.select(wide, aside, along)

    def one_row(i: V) -> None:
        start, target = vector.data, out.data
        if vector.type.ndim == 2:
            start = f.offset(start, product(f, i, vector.strides[0]))
            target = f.offset(target, product(f, i, out.strides[0]))
        arguments = (start, vector.strides[-1], matrix.data, step, target, length, width)
        f.line(f"call void {function.ref}({', '.join(map(str, arguments))})")

    counted_loop(f, i64(0), rows, i64(1), one_row)
    f.jump(done)
    f.at(done)
    (found,) = slow.finish([out])
    code.bind(op.output, found)


def _large(code: Codegen, op: Operation, type: ArrayType, slow: SlowPath, dims: list[V]) -> None:
    """It is known to be worth a call of BLAS: loops would not run."""
    out = new_array(code, type, dims[-type.ndim :], op.location)
    x, y = [code.array_of(v) for v in op.inputs]
    _by_pointer(code, op, x, y, out, out.data)
    (found,) = slow.finish([out])
    code.bind(op.output, found)


def _sides(a: ArrayRef, b: ArrayRef) -> tuple[V, V, V]:
    """Rows, numbers that are summed, columns."""
    return (
        a.dims[0] if a.type.ndim == 2 else i64(1),
        a.dims[-1],
        b.dims[1] if b.type.ndim == 2 else i64(1),
    )


def _by_pointer(
    code: Codegen, op: Operation, a: ArrayRef, b: ArrayRef, made: ArrayRef | None, out: V
) -> None:
    """Squares of the result, one after another where it is large, so that the run looks outside."""
    rows, length, width = _sides(a, b)
    f, size = code.f, i64(a.itemsize)
    down = a.strides[0] if a.type.ndim == 2 else product(f, length, size)
    across = b.strides[1] if b.type.ndim == 2 else size
    steps = (down, a.strides[-1], b.strides[0], across, product(f, width, size), size)
    total = product(f, product(f, rows, length), width)
    if is_literal(total) and int(total.ref) < looks.WORK:
        call_matmul(code, f, a.type.dtype, (a.data, b.data, out), (rows, length, width), steps)
        return
    code.declare("declare i64 @llvm.ctlz.i64(i64, i1)")
    zeros = f.call("i64", "llvm.ctlz.i64", (length, FALSE))
    power = f.binary("ashr", f.binary("sub", f.binary("add", zeros, i64(AT_ONCE)), i64(64)), i64(1))
    side = f.binary("shl", i64(1), f.select(f.compare("icmp sgt", power, i64(0)), power, i64(0)))
    most = 1 << (AT_ONCE if a.type.ndim == b.type.ndim == 2 else AT_ONCE_OF_VECTOR)
    side = f.select(f.compare("icmp ule", total, i64(most)), i64(1 << 62), side)  # all of it, mostly
    held = None if made is None else code.hold(made.holder)

    def square(i: V, k: V) -> None:
        high, wide = [_least(f, side, f.binary("sub", n, at)) for n, at in ((rows, i), (width, k))]
        looks.count_and_look(code, product(f, product(f, high, length), wide), op.location)
        x, y = f.offset(a.data, product(f, i, down)), f.offset(b.data, product(f, k, across))
        found = f.offset(f.offset(out, product(f, i, steps[4])), product(f, k, size))
        call_matmul(code, f, a.type.dtype, (x, y, found), (high, length, wide), steps)

    def squares(i: V) -> None:
        counted_loop(f, i64(0), width, side, lambda k: square(i, k))

    with looks.without_gil(code):
        counted_loop(f, i64(0), rows, side, squares)
    if held is not None:
        code.slot_take(held)


def _least(f: FunctionWriter, a: V, b: V) -> V:
    return f.select(f.compare("icmp slt", a, b), a, b)


def _complex(code: Codegen, op: Operation, slow: SlowPath, a: ArrayRef, b: ArrayRef) -> None:
    f, type, dtype = code.f, op.output.type, a.type.dtype
    rows, length, width = _sides(a, b)
    made = None
    if isinstance(type, ArrayType):
        dims = [n for n, array in ((rows, a), (width, b)) if array.type.ndim == 2]
        made = new_array(code, type, dims, op.location)
    out = made.data if made is not None else f.alloca("i64", 2)
    total = product(f, product(f, rows, length), width)
    loops, blas, done = f.label("loops"), f.label("blas"), f.label("product")
    f.branch(f.compare("icmp sle", total, i64(MOST_OF_COMPLEX)), loops, blas)
    f.at(loops)
    down = a.strides[0] if a.type.ndim == 2 else i64(0)
    across = b.strides[1] if b.type.ndim == 2 else i64(0)
    arguments = (a.data, down, a.strides[-1], b.data, b.strides[0], across, out, rows, length, width)
    f.line(f"call void @{_function(code, 'pairs', dtype)}({', '.join(map(str, arguments))})")
    f.jump(done)
    f.at(blas)
    _by_pointer(code, op, a, b, made, out)
    f.jump(done)
    f.at(done)
    found = made if made is not None else Register(load(f, dtype, out))
    (rep,) = slow.finish([found])
    code.bind(op.output, rep)


# -- the loops, once a module --------------------------------------------------------------------------


def _function(code: ModuleWriter, name: str, dtype: np.dtype) -> str:
    """The name of one of the functions below."""
    write, params = _FUNCTIONS[name]
    result = register_type(dtype) if name == "dot" else "void"
    full = f"product.{name}.{dtype.name}"
    write_it = functools.partial(write, dtype)
    return shared.function(code, full, result, params, write_it, has_vectors=name != "pairs")


def _dot(dtype: np.dtype, code: ModuleWriter, f: FunctionWriter) -> None:
    """``sum(x * y)`` of numbers side by side."""
    kind = register_type(dtype)
    x, y, length = f.params
    total = f.alloca(kind)
    f.store(floating(kind, 0.0), total)

    def add(k: V) -> None:
        factors = [load(f, dtype, f.offset(p, k, kind)).value for p in (x, y)]
        term = f.binary("fmul reassoc contract", *factors)
        f.store(f.binary("fadd reassoc contract", f.load(kind, total), term), total)

    counted_loop(f, i64(0), length, i64(1), add)
    f.ret(f.load(kind, total))


def _columns(dtype: np.dtype, code: ModuleWriter, f: FunctionWriter) -> None:
    """``out[j] = sum(x * y[j])``; the numbers of ``x``, and those of each ``y[j]``, are side by side."""
    dot = _function(code, "dot", dtype)
    x, _, y, step, out, length, width = f.params

    def one(j: V) -> None:
        found = f.call(register_type(dtype), dot, (x, f.offset(y, f.binary("mul", j, step)), length))
        store(f, Element(found, dtype), f.offset(out, j, register_type(dtype)))

    counted_loop(f, i64(0), width, i64(1), one)
    f.ret()


#: so many rows are added at once, so that the sums are read and written less often
_ROWS_AT_ONCE = 4


def _rows(dtype: np.dtype, code: ModuleWriter, f: FunctionWriter) -> None:
    """``out = sum(x[k] * y[k])``; the numbers of each ``y[k]`` are side by side."""
    kind = register_type(dtype)
    x, step_of_x, y, step_of_y, out, length, width = f.params

    def add_rows(k: V, count: int) -> None:
        places = [k if n == 0 else f.binary("add", k, i64(n)) for n in range(count)]
        factors = [load(f, dtype, f.offset(x, f.binary("mul", p, step_of_x))).value for p in places]
        rows = [f.offset(y, f.binary("mul", p, step_of_y)) for p in places]
        suffix, metadata = parallel(code)

        def add(j: V) -> None:
            at = f.offset(out, j, kind)
            total = load(f, dtype, at, suffix).value
            for factor, row in zip(factors, rows, strict=True):
                number = load(f, dtype, f.offset(row, j, kind), suffix).value
                total = f.binary("fadd contract", total, f.binary("fmul contract", factor, number))
            store(f, Element(total, dtype), at, suffix)

        counted_loop(f, i64(0), width, i64(1), add, metadata)

    code.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    size = f.binary("mul", width, i64(dtype.itemsize))
    f.call("void", "llvm.memset.p0.i64", (out, V("i8", "0"), size, FALSE))
    most = f.binary("and", length, i64(-_ROWS_AT_ONCE))
    counted_loop(f, i64(0), most, i64(_ROWS_AT_ONCE), lambda k: add_rows(k, _ROWS_AT_ONCE))
    counted_loop(f, most, length, i64(1), lambda k: add_rows(k, 1))
    f.ret()


def _pairs(dtype: np.dtype, code: ModuleWriter, f: FunctionWriter) -> None:
    """``out[i, j] = sum(x[i, k] * y[k, j])`` of complex numbers that lie anywhere."""
    x, down_x, along_x, y, down_y, along_y, out, rows, length, width = f.params
    kind = "double" if dtype.itemsize == 16 else "float"
    real, imaginary = f.alloca(kind), f.alloca(kind)

    def one(i: V, j: V) -> None:
        row, column = f.offset(x, f.binary("mul", i, down_x)), f.offset(y, f.binary("mul", j, along_y))
        for part in (real, imaginary):
            f.store(floating(kind, 0.0), part)

        def add(k: V) -> None:
            p = load(f, dtype, f.offset(row, f.binary("mul", k, along_x)))
            q = load(f, dtype, f.offset(column, f.binary("mul", k, down_y)))
            (a, b), (c, d) = parts(f, p.value), parts(f, q.value)
            for place, terms in (
                (real, (("fadd", a, c), ("fsub", b, d))),
                (imaginary, (("fadd", a, d), ("fadd", b, c))),
            ):
                total = f.load(kind, place)
                for operation, u, v in terms:
                    total = f.binary(f"{operation} contract", total, f.binary("fmul contract", u, v))
                f.store(total, place)

        counted_loop(f, i64(0), length, i64(1), add)
        found = pair(f, f.load(kind, real), f.load(kind, imaginary))
        at = f.offset(out, f.binary("add", f.binary("mul", i, width), j), register_type(dtype))
        store(f, Element(found, dtype), at)

    counted_loop(
        f, i64(0), rows, i64(1), lambda i: counted_loop(f, i64(0), width, i64(1), lambda j: one(i, j))
    )
    f.ret()


_OF_ROWS = "x step y step.of.y out length width"
_FUNCTIONS: dict[str, tuple[Callable[..., None], str]] = {
    "dot": (_dot, "x y length"),
    "columns": (_columns, _OF_ROWS),
    "rows": (_rows, _OF_ROWS),
    "pairs": (_pairs, "x down.x along.x y down.y along.y out rows length width"),
}
