"""``np.histogram`` over equal bins in one pass: NumPy's numbers, whose bins it finds as NumPy does.

The place of a number is first guessed by the distance from the first edge, then corrected by the edges on
either side; those of a block of numbers side by side. What NumPy refuses, and what only its errors could
tell apart (an infinite range, bins that are narrower than a rounding), is left to it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import NoneType
from typing import Any

import numpy as np

from runtime.engines.native import nests, shared
from runtime.engines.native.arrays import new_array, parallel
from runtime.engines.native.elements import Element, convert, load, memory_type, store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.gathers import in_two_forms
from runtime.engines.native.ir import FunctionWriter, V, counted_loop, floating, i32, i64
from runtime.engines.native.loops import Nest
from runtime.engines.native.module import ModuleWriter
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import ArrayRef, contiguous_strides, is_native_array, product
from runtime.graph import Operation
from runtime.types import ArrayType, ScalarType

FLOAT64 = np.dtype("float64")
#: NumPy adds the weights of so many numbers at a time
BLOCK = 65536
#: so many numbers get their places at a time
PLACES = 512
#: more bins are left to NumPy
MOST_BINS = 2**31 - 2


def runs_in_machine_code(op: Operation) -> bool:
    """Numbers whose edges are float64, with such weights or none."""
    operands = op.inputs[: 1 + op.attributes.get("weighted", False)]
    if not all(is_native_array(v.type) and v.ndim for v in operands):
        return False
    bins, edges = op.attributes.get("bins", 10), op.attributes.get("range") or ()
    if type(bins) not in (int, NoneType) or not all(type(edge) in (int, float) for edge in edges):
        return False
    numbers, *weights = [v.dtype for v in operands]
    return (numbers == FLOAT64 or (numbers.kind in "iu" and numbers.itemsize < 8)) and all(
        dtype == FLOAT64 for dtype in weights
    )


def emit(code: Codegen, op: Operation) -> None:
    f, slow, weighted = code.f, SlowPath(code, op), op.attributes.get("weighted", False)
    given = [code.reps[v] for v in op.inputs[: 1 + weighted]]
    arrays = [array for array in given if isinstance(array, ArrayRef)]
    x, length = arrays[0], functools.reduce(functools.partial(product, f), arrays[0].dims)
    for array in arrays:
        dense = contiguous_strides(f, array.itemsize, array.dims)
        for axis in range(array.type.ndim):
            if array.dims[axis] != x.dims[axis]:
                slow.jump_if(f.compare("icmp ne", array.dims[axis], x.dims[axis]))
            if array.type.ndim > 1 and array.strides[axis] != dense[axis]:
                slow.jump_if(f.compare("icmp ne", array.strides[axis], dense[axis]))
    bins = _bins(code, op)
    slow.jump_if(f.compare("icmp eq", length, i64(0)))
    slow.jump_if(f.compare("icmp uge", f.binary("sub", bins, i64(1)), i64(MOST_BINS)))
    first, last = _range(code, op, x, slow)
    _check_widths(code, first, last, bins, slow)
    made = _made(code, op, bins, weighted)
    counts, edges, *scratch = made
    store(f, Element(first, FLOAT64), edges.data)
    store(f, Element(last, FLOAT64), f.offset(edges.data, bins, "double"))
    finding_edges = shared.function(code, "edges", "void", "out bins", _write_edges, has_vectors=False)
    f.call("void", finding_edges, (edges.data, bins))
    steps = [array.strides[-1] if array.type.ndim == 1 else i64(array.itemsize) for array in arrays]
    name = f"histogram.{x.type.dtype.name}" + (".weighted" if weighted else "")
    parameters = "x step.x length x.edges bins out" + (" y step.y out.block" if weighted else "")
    write = functools.partial(_write_counts, x.type.dtype, weighted)
    function = shared.function(code, name, "void", parameters, write, has_vectors=not weighted)
    arguments = [x.data, steps[0], length, edges.data, bins, counts.data]
    if weighted:
        arguments += [arrays[1].data, steps[1], scratch[0].data]
    f.call("void", function, arguments)
    for array in scratch:
        f.call("void", "Py_DecRef", (array.holder,))
    for value, rep in zip(op.outputs, slow.finish([counts, edges]), strict=True):
        code.bind(value, rep)


def _bins(code: Codegen, op: Operation) -> V:
    known = op.attributes.get("bins", 10)
    if known is not None:
        return i64(known)
    return convert(code.f, code.element_of(op.inputs[-1]), np.dtype("int64")).value


def _range(code: Codegen, op: Operation, x: ArrayRef, slow: SlowPath) -> tuple[V, V]:
    """The outer edges: those that are given, or the least and the greatest number."""
    f, given = code.f, op.attributes.get("range")
    if given is None:
        type, where = ScalarType(x.type.dtype), op.location
        ends = [Operation(name, (op.inputs[0],), (type,), location=where) for name in ("min", "max")]
        nests.emit(code, Nest(x.type.shape, ends))
        first, last = [convert(f, code.element_of(end.output), FLOAT64).value for end in ends]
    else:
        first, last = [floating("double", float(edge)) for edge in given]
        slow.jump_if(f.compare("fcmp ogt", first, last))
    same = f.compare("fcmp oeq", first, last)
    half = floating("double", 0.5)
    wider = f.binary("fsub", first, half), f.binary("fadd", last, half)
    return f.select(same, wider[0], first), f.select(same, wider[1], last)


def _check_widths(code: Codegen, first: V, last: V, bins: V, slow: SlowPath) -> None:
    """Is the range finite, and are bins so wide that no two edges are the same number?"""
    f = code.f
    code.declare("declare double @llvm.fabs.f64(double)")
    width = f.binary("fdiv", f.binary("fsub", last, first), f.convert("sitofp", bins, "double"))
    size = f.binary("fadd", *[f.call("double", "llvm.fabs.f64", (edge,)) for edge in (first, last)])
    least = f.binary("fmul", size, floating("double", 8 * np.finfo(float).eps))
    wide = f.compare("fcmp ogt", width, least)
    finite = f.compare("fcmp olt", width, floating("double", math.inf))
    slow.jump_if(f.compare("icmp eq", f.binary("and", wide, finite), V("i1", "false")))


def _made(code: Codegen, op: Operation, bins: V, weighted: bool) -> list[ArrayRef]:
    """The arrays of the results, and one for the sums of a block."""
    one_more = code.f.binary("add", bins, i64(1)) if not bins.ref.isdigit() else i64(int(bins.ref) + 1)
    wanted: list[tuple[Any, V]] = [(op.outputs[0].type, bins), (op.outputs[1].type, one_more)]
    arrays, held = [], []
    for type, length in [*wanted, *([(ArrayType(FLOAT64, (None,)), bins)] if weighted else [])]:
        arrays.append(new_array(code, type, [length], op.location))
        held.append(code.hold(arrays[-1].holder))
    for slot in held:
        code.slot_take(slot)
    return arrays


def _write_edges(code: ModuleWriter, f: FunctionWriter) -> None:
    """As `np.linspace` does: the first and the last one are there."""
    edges, bins = f.params
    first, last = f.load("double", edges), f.load("double", f.offset(edges, bins, "double"))
    width = f.binary("fdiv", f.binary("fsub", last, first), f.convert("sitofp", bins, "double"))

    def edge(k: V) -> None:
        reach = f.binary("fmul", f.convert("sitofp", k, "double"), width)
        f.store(f.binary("fadd", reach, first), f.offset(edges, k, "double"))

    counted_loop(f, i64(0), bins, i64(1), edge)
    f.ret()


def _write_counts(dtype: np.dtype, weighted: bool, code: ModuleWriter, f: FunctionWriter) -> None:
    x, step, length, edges, bins, counts, *weights = f.params
    kind = "double" if weighted else "i64"
    nothing = floating("double", 0.0) if weighted else i64(0)
    places = f.alloca(f"[{PLACES} x i32]")
    name, parameters = f"histogram.places.{dtype.name}", "x step count x.edges bins out"
    finding = shared.function(code, name, "void", parameters, functools.partial(_write_places, dtype))

    def over_bins(what: Any) -> None:
        counted_loop(f, i64(0), bins, i64(1), what)

    def in_blocks(start: V, end: V, size: int, what: Callable[[V, V], None]) -> None:
        def one(first: V) -> None:
            following = f.binary("add", first, i64(size))
            what(first, f.select(f.compare("icmp slt", following, end), following, end))

        counted_loop(f, start, end, i64(size), one)

    def take(start: V, end: V) -> None:
        """Find the places of some numbers, side by side; then count these one by one."""
        first = f.offset(x, f.binary("mul nsw", start, step))
        f.call("void", finding, (first, step, f.binary("sub", end, start), edges, bins, places))
        counted_loop(f, start, end, i64(1), lambda i: count(i, start))

    def count(i: V, start: V) -> None:
        place = f.load("i32", f.offset(places, f.binary("sub", i, start), "i32"))
        inside, next_one = f.label("inside"), f.label("next")
        f.branch(f.compare("icmp sge", place, i32(0)), inside, next_one)
        f.at(inside)
        at = f.offset(weights[2] if weighted else counts, f.convert("zext", place, "i64"), kind)
        if weighted:
            weight = load(f, FLOAT64, f.offset(weights[0], f.binary("mul nsw", i, weights[1]))).value
            f.store(f.binary("fadd", f.load(kind, at), weight), at)
        else:
            f.store(f.binary("add", f.load(kind, at), i64(1)), at)
        f.jump(next_one)
        f.at(next_one)

    def block(start: V, end: V) -> None:
        over_bins(lambda k: f.store(nothing, f.offset(weights[2], k, kind)))
        in_blocks(start, end, PLACES, take)
        over_bins(add)

    def add(k: V) -> None:
        at = f.offset(counts, k, kind)
        f.store(f.binary("fadd", f.load(kind, at), f.load(kind, f.offset(weights[2], k, kind))), at)

    over_bins(lambda k: f.store(nothing, f.offset(counts, k, kind)))
    in_blocks(i64(0), length, *((BLOCK, block) if weighted else (PLACES, take)))
    f.ret()


def _write_places(dtype: np.dtype, code: ModuleWriter, f: FunctionWriter) -> None:
    """The bins of some numbers, -1 for none."""
    x, step, count, edges, bins, places = f.params
    place_of = _place_of(f, edges, bins)

    def find(unit: bool) -> None:
        suffix, metadata = parallel(code, unit)

        def one(i: V) -> None:
            own = f.offset(x, i, memory_type(dtype)) if unit else f.offset(x, f.binary("mul nsw", i, step))
            found = convert(f, load(f, dtype, own, suffix), FLOAT64).value
            f.store(place_of(found), f.offset(places, i, "i32"), suffix)

        counted_loop(f, i64(0), count, i64(1), one, metadata)

    in_two_forms(f, f.compare("icmp eq", step, i64(dtype.itemsize)), find)
    f.ret()


def _place_of(f: FunctionWriter, edges: V, bins: V) -> Callable[[V], V]:
    """The bin of a number, -1 for none. Edges are computed, as `_write_edges` does: that is vector code."""
    first, last = f.load("double", edges), f.load("double", f.offset(edges, bins, "double"))
    reach, number = f.binary("fsub", last, first), f.convert("sitofp", bins, "double")
    width = f.binary("fdiv", reach, number)
    highest = f.convert("trunc", f.binary("sub", bins, i64(1)), "i32")

    def edge(place: V) -> V:
        return f.binary("fadd", f.binary("fmul", f.convert("sitofp", place, "double"), width), first)

    def place_of(found: V) -> V:
        holds = f.binary("and", f.compare("fcmp oge", found, first), f.compare("fcmp ole", found, last))
        part = f.binary("fdiv", f.binary("fsub", f.select(holds, found, first), first), reach)
        place = f.convert("fptosi", f.binary("fmul", part, number), "i32")
        place = f.select(f.compare("icmp sgt", place, highest), highest, place)
        below = f.convert("zext", f.compare("fcmp olt", found, edge(place)), "i32")
        place = f.binary("sub", place, below)
        above = edge(f.binary("add", place, i32(1)))
        more = f.binary("and", f.compare("fcmp oge", found, above), f.compare("icmp ne", place, highest))
        place = f.binary("add", place, f.convert("zext", more, "i32"))
        return f.select(holds, place, i32(-1))

    return place_of
