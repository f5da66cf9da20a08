"""Loops whose steps hang on the one before: running sums, sums from the left, and binary searches.

They give NumPy's bits: it goes the same way, number by number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from runtime.engines.native import looks
from runtime.engines.native.arrays import new_array
from runtime.engines.native.elements import Element, LlvmElements, convert, load, store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import V, counted_loop, i64
from runtime.engines.native.values import ArrayRef, Register, in_register, is_native_array
from runtime.graph import Operation
from runtime.types import ArrayType


def runs_in_machine_code(op: Operation) -> bool:
    x, *others = [value.type for value in op.inputs]
    if not isinstance(x, ArrayType) or x.ndim != 1 or not is_native_array(x):
        return False
    if x.dtype.kind not in "iuf" or not all(map(in_register, others)):
        return False
    if op.name not in _EMIT:
        return False
    if not others:
        return is_native_array(op.output.type) and set(op.attributes) <= {"axis", "dtype"}
    return _EMIT[op.name] is _search and len(others) == 1 and _compares(op) or _begins_with_nothing(op)


def _begins_with_nothing(op: Operation) -> bool:
    start = op.inputs[1].owner if _EMIT[op.name] is _sum else None
    return start is not None and start.is_constant and bool(start.attributes["value"] == 0)


def _compares(op: Operation) -> bool:
    """Are the items and the number converted to one type of numbers that holds both?"""
    dtypes = [one.dtype for one in op.inputs]
    return dtypes[1].kind in "iuf" and np.promote_types(*dtypes) == dtypes[0]


def emit(code: Codegen, op: Operation) -> None:
    _EMIT[op.name](code, op, code.array_of(op.inputs[0]))


def _at(code: Codegen, x: ArrayRef, i: V) -> Element:
    f = code.f
    return load(f, x.type.dtype, f.offset(x.data, f.binary("mul nsw", i, x.strides[0])))


def _accumulate(how: str, code: Codegen, op: Operation, x: ArrayRef) -> None:
    looks.count_and_look(code, x.dims[0], op.location)
    out = new_array(code, ArrayType(op.output.dtype, op.output.shape), [x.dims[0]], op.location)
    f, dtype = code.f, out.type.dtype
    b = LlvmElements(f, code.declare, {}, dtype)
    start = b.constant(int(how == "mul"), dtype)
    total = f.alloca(start.value.type)
    f.store(start.value, total)

    def step(i: V) -> None:
        now = Element(f.load(start.value.type, total), dtype)
        found = getattr(b, how)(now, convert(f, _at(code, x, i), dtype))
        f.store(found.value, total)
        store(f, found, f.offset(out.data, f.binary("mul nsw", i, out.strides[0])))

    counted_loop(f, i64(0), x.dims[0], i64(1), step)
    code.bind(op.output, out)


def _sum(code: Codegen, op: Operation, x: ArrayRef) -> None:
    """Python's ``sum``, from the left. There is an item: `sum` of none is its start."""
    looks.count_and_look(code, x.dims[0], op.location)
    f, dtype = code.f, op.output.dtype
    b = LlvmElements(f, code.declare, {}, dtype)
    first = b.add(b.constant(0, dtype), convert(f, _at(code, x, i64(0)), dtype))
    total = f.alloca(first.value.type)
    f.store(first.value, total)

    def step(i: V) -> None:
        now = Element(f.load(first.value.type, total), dtype)
        f.store(b.add(now, convert(f, _at(code, x, i), dtype)).value, total)

    counted_loop(f, i64(1), x.dims[0], i64(1), step)
    code.reps[op.output] = Register(Element(f.load(first.value.type, total), dtype))


def _search(code: Codegen, op: Operation, x: ArrayRef) -> None:
    """Halves what is left of the items, as NumPy does; so items that are in no order give its answer, too."""
    f, dtype = code.f, x.type.dtype
    value = code.operand(code.reps[op.inputs[1]], op.inputs[1].type, dtype, None)
    b = LlvmElements(f, code.declare, {}, dtype)
    goes_on = _before(b) if op.attributes.get("side", "left") == "left" else _not_after(b)
    low, high = f.alloca("i64"), f.alloca("i64")
    f.store(i64(0), low)
    f.store(x.dims[0], high)
    test, halve, done = f.label("search"), f.label("halve"), f.label("found")
    f.jump(test)
    f.at(test)
    first, last = f.load("i64", low), f.load("i64", high)
    f.branch(f.compare("icmp slt", first, last), halve, done)
    f.at(halve)
    middle = f.binary("add", first, f.binary("lshr", f.binary("sub", last, first), i64(1)))
    above = goes_on(_at(code, x, middle), value).value
    f.store(f.select(above, f.binary("add", middle, i64(1)), first), low)
    f.store(f.select(above, last, middle), high)
    f.jump(test)
    f.at(done)
    code.reps[op.output] = Register(Element(f.load("i64", low), op.output.dtype))


Compare = Callable[[Element, Element], Element]


def _before(b: LlvmElements) -> Compare:
    """Is a number less than another? NaN is the largest."""

    def before(x: Element, y: Element) -> Element:
        if x.dtype.kind != "f":
            return b.lt(x, y)
        return b.or_(b.lt(x, y), b.and_(b.ne(y, y), b.eq(x, x)))

    return before


def _not_after(b: LlvmElements) -> Compare:
    before = _before(b)
    return lambda x, y: b.not_(before(y, x))


_EMIT: dict[str, Callable[[Codegen, Operation, ArrayRef], None]] = {
    "cumsum": partial(_accumulate, "add"), "cumprod": partial(_accumulate, "mul"), "py.sum_items": _sum,
    "searchsorted": _search,
}  # fmt: skip
