"""Small products of vectors and matrices in machine code.

A call of BLAS by way of NumPy takes about as long as some thousands of multiplications. So products of no
more than these are loops here; for larger ones, and for memory that lies otherwise, the kernel is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runtime.engines.native.arrays import counted_loop, new_array, parallel
from runtime.engines.native.elements import Element, load, store
from runtime.engines.native.ir import FunctionWriter, V, floating, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import ArrayRef, Register, product
from runtime.graph import Operation
from runtime.types import ArrayType, NumericType

if TYPE_CHECKING:
    from runtime.engines.native.codegen import Codegen

#: the largest number of multiplications: where one operand is a vector, and where none is
MOST_OF_VECTOR, MOST_OF_MATRICES = 16384, 2048


def runs_in_machine_code(op: Operation) -> bool:
    if op.name != "matmul":
        return False
    types: list[NumericType] = [v.type for v in (*op.inputs, *op.outputs)]  # type: ignore[misc]
    if any(t.dtype != types[0].dtype or not t.dtype.isnative for t in types):
        return False
    ranks = [t.ndim if isinstance(t, ArrayType) else 0 for t in types[:2]]
    return types[0].dtype.name in ("float64", "float32") and all(rank in (1, 2) for rank in ranks)


@dataclass(frozen=True)
class _Line:
    """Numbers at equal distances, in bytes."""

    data: V
    step: V


def emit(code: Codegen, op: Operation) -> None:
    a, b = [code.reps[x] for x in op.inputs]
    assert isinstance(a, ArrayRef) and isinstance(b, ArrayRef)
    slow = SlowPath(code, op)
    Product(code, op, slow, a, b).emit()


class Product:
    """``a @ b``. A matrix times a vector is the vector times the transposed matrix."""

    def __init__(self, code: Codegen, op: Operation, slow: SlowPath, a: ArrayRef, b: ArrayRef) -> None:
        self.code = code
        self.f: FunctionWriter = code.f
        self.op = op
        self.slow = slow
        self.a, self.b = a, b
        self.dtype = a.type.dtype
        self.size = i64(self.dtype.itemsize)

    def emit(self) -> None:
        length = self.a.dims[-1]
        self._require_same(length, self.b.dims[0])
        if self.a.type.ndim == self.b.type.ndim == 1:
            return self._scalar(length)
        if self.a.type.ndim == 2 and self.b.type.ndim == 1:
            vector, matrix, down, across = self.b, self.a, 1, 0
        else:
            vector, matrix, down, across = self.a, self.b, 0, 1
        width = matrix.dims[across]
        rows = vector.dims[0] if vector.type.ndim == 2 else i64(1)
        total = product(self.f, product(self.f, rows, length), width)
        most = MOST_OF_MATRICES if vector.type.ndim == 2 else MOST_OF_VECTOR
        self.slow.jump_if(self.f.compare("icmp sgt", total, i64(most)))
        along, aside = matrix.strides[across], matrix.strides[down]
        wide = self.f.compare("icmp eq", along, self.size)
        tall = self.f.binary(
            "and",
            self.f.compare("icmp eq", aside, self.size),
            self.f.compare("icmp eq", vector.strides[-1], self.size),
        )
        self.slow.jump_if(self.f.binary("xor", self.f.binary("or", wide, tall), V("i1", "true")))
        type = self.op.output.type
        assert isinstance(type, ArrayType)
        dims = [rows, width] if type.ndim == 2 else [width]
        out = new_array(self.code, type, dims, self.op.location)
        self._both_ways(wide, vector, matrix, out, rows, length, width, aside, along)
        (found,) = self.slow.finish([out])
        self.code.bind(self.op.output, found)
        return None

    def _require_same(self, n: V, m: V) -> None:
        if n != m:
            self.slow.jump_if(self.f.compare("icmp ne", n, m))

    def _both_ways(
        self,
        wide: V,
        vector: ArrayRef,
        matrix: ArrayRef,
        out: ArrayRef,
        rows: V,
        length: V,
        width: V,
        aside: V,
        along: V,
    ) -> None:
        f = self.f
        one, other, done = f.label("wide"), f.label("tall"), f.label("product")
        f.branch(wide, one, other)
        for label, row_by_row in ((one, True), (other, False)):
            f.at(label)

            def one_row(i: V, row_by_row: bool = row_by_row) -> None:
                start = vector.data
                target = out.data
                if vector.type.ndim == 2:
                    start = f.offset(start, product(f, i, vector.strides[0]))
                    target = f.offset(target, product(f, i, out.strides[0]))
                line = _Line(start, vector.strides[-1])
                if row_by_row:
                    self._add_rows(line, _Line(matrix.data, aside), target, length, width)
                else:
                    self._sum_columns(line, _Line(matrix.data, along), target, length, width)

            if vector.type.ndim == 2:
                counted_loop(f, i64(0), rows, i64(1), one_row)
            else:
                one_row(i64(0))
            f.jump(done)
        f.at(done)

    def _add_rows(self, vector: _Line, rows: _Line, target: V, length: V, width: V) -> None:
        """``target = sum(vector[k] * row[k])``; the numbers of a row are side by side."""
        f, memory = self.f, self._memory()
        zero = Element(floating(memory, 0.0), self.dtype)
        suffix, metadata = parallel(self.code)
        counted_loop(
            f, i64(0), width, i64(1), lambda j: store(f, zero, f.offset(target, j, memory), suffix), metadata
        )

        def add_row(k: V) -> None:
            factor = load(f, self.dtype, f.offset(vector.data, product(f, k, vector.step)))
            row = f.offset(rows.data, product(f, k, rows.step))
            suffix, metadata = parallel(self.code)

            def add(j: V) -> None:
                at = f.offset(target, j, memory)
                term = f.binary(
                    "fmul contract",
                    factor.value,
                    load(f, self.dtype, f.offset(row, j, memory), suffix).value,
                )
                known = load(f, self.dtype, at, suffix).value
                store(f, Element(f.binary("fadd contract", known, term), self.dtype), at, suffix)

            counted_loop(f, i64(0), width, i64(1), add, metadata)

        counted_loop(f, i64(0), length, i64(1), add_row)

    def _sum_columns(self, vector: _Line, columns: _Line, target: V, length: V, width: V) -> None:
        """``target[j] = sum(vector * column[j])``; both have their numbers side by side."""
        f, memory = self.f, self._memory()

        def one(j: V) -> None:
            column = f.offset(columns.data, product(f, j, columns.step))
            found = self._dot(_Line(vector.data, self.size), _Line(column, self.size), length)
            store(f, found, f.offset(target, j, memory))

        counted_loop(f, i64(0), width, i64(1), one)

    def _dot(self, x: _Line, y: _Line, length: V) -> Element:
        f, memory = self.f, self._memory()
        total = f.alloca(memory)
        f.store(floating(memory, 0.0), total)

        def add(k: V) -> None:
            factors = []
            for line in (x, y):
                at = f.offset(line.data, k, memory) if line.step == self.size else None
                at = f.offset(line.data, product(f, k, line.step)) if at is None else at
                factors.append(load(f, self.dtype, at).value)
            term = f.binary("fmul reassoc contract", *factors)
            f.store(f.binary("fadd reassoc contract", f.load(memory, total), term), total)

        counted_loop(f, i64(0), length, i64(1), add)
        return Element(f.load(memory, total), self.dtype)

    def _scalar(self, length: V) -> None:
        f = self.f
        self.slow.jump_if(f.compare("icmp sgt", length, i64(MOST_OF_VECTOR)))
        for array in (self.a, self.b):
            if not array.contiguous:
                self.slow.jump_if(f.compare("icmp ne", array.strides[0], self.size))
        found = self._dot(_Line(self.a.data, self.size), _Line(self.b.data, self.size), length)
        (self.code.reps[self.op.output],) = self.slow.finish([Register(found)])

    def _memory(self) -> str:
        return "double" if self.dtype.itemsize == 8 else "float"
