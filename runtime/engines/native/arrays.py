"""New arrays in machine code, and their innermost loops.

What an iteration of a loop made and nobody else has is *spare* when it dies: the next array of its type
that the function makes in a loop is made in its place. To make an array costs as much as some hundred
additions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from runtime.engines.native.calls import Calls
from runtime.engines.native.frame import Spares
from runtime.engines.native.ir import FALSE, NULL, TRUE, V, i32, i64
from runtime.engines.native.module import ModuleWriter
from runtime.engines.native.values import DATA, ArrayRef, Rep, contiguous_strides
from runtime.graph import Location, Value
from runtime.types import ArrayType, is_known

#: how many spare arrays of one type a function keeps at most, and how many bytes these may have
MOST_SPARE, LARGEST_SPARE = 32, 1 << 16


def new_array(code: Calls, type: ArrayType, dims: Sequence[V], location: Location | None) -> ArrayRef:
    """An array in C order, with nothing in it yet. Nobody holds the reference so far."""
    f = code.f
    spares = _spares(code, type)
    if spares is None:
        pointer = _made(code, type, dims, location)
    else:
        some, none, join = f.label("spare"), f.label("make"), f.label("made")
        count = f.load("i64", spares.count)
        f.branch(f.compare("icmp sgt", count, i64(0)), some, none)
        f.at(some)
        last = f.binary("sub", count, i64(1))
        f.store(last, spares.count)
        at = f.offset(code.slot_at(spares.slots[0]), last, "ptr")
        spare = f.load("ptr", at)
        f.store(NULL, at)
        f.jump(join)
        f.at(none)
        made = _made(code, type, dims, location)
        made_end = f.block
        f.jump(join)
        f.at(join)
        pointer = f.phi("ptr")
        f.complete(join, pointer, [(spare, some), (made, made_end)])
    data = f.load("ptr", f.offset(pointer, i64(DATA)))
    strides = contiguous_strides(f, type.dtype.itemsize, tuple(dims))
    return ArrayRef(type, pointer, data, tuple(dims), strides, TRUE, TRUE, contiguous=True)


def _made(code: Calls, type: ArrayType, dims: Sequence[V], location: Location | None) -> V:
    f = code.f
    shape = f.alloca("i64", max(len(dims), 1))
    for k, length in enumerate(dims):
        f.store(length, f.offset(shape, i64(k), "i64"))
    arguments = (
        *(code.symbol("type.ndarray"), i32(len(dims)), shape, i32(type.dtype.num)),
        *(NULL, NULL, i32(0), i32(0), NULL),
    )
    pointer = f.call("ptr", "PyArray_New", arguments)
    code.fail_if(f.compare("icmp eq", pointer, NULL), location)
    return pointer


def _spares(code: Calls, type: ArrayType) -> Spares | None:
    """Those of a type of known shape, where a loop is being written."""
    if not code.loops or not is_known(type.shape):
        return None
    if math.prod(type.shape) * type.dtype.itemsize > LARGEST_SPARE:
        return None
    if type not in code.spares:
        slots = range(code.slot_count, code.slot_count + MOST_SPARE)
        code.slot_count += MOST_SPARE
        count = code.f.alloca("i64")
        code.f.entry.lines.append(f"store i64 0, {count}")
        code.spares[type] = Spares(slots, count, code.numbers([*type.shape]))
    return code.spares[type]


def let_die(code: Calls, values: Sequence[Value]) -> None:
    """Give the references of values back, or keep their arrays as spare ones."""
    for value in values:
        if value in code.objects:
            code.end_object(value)
    for value in [value for value in values if value in code.lent]:
        code.end_lent(value)
        values = [other for other in values if other is not value]
    if any(value in code.slots for value in values):
        code.own_lent()  # the end of an object may run any code
    for value in values:
        slot, type = code.slots.get(value), value.type
        if slot is None:
            continue
        spares = code.spares.get(type) if code.loops and isinstance(type, ArrayType) else None
        if spares is None or _is_part(code.reps.get(value)):
            code.release(slot)
            continue
        assert isinstance(type, ArrayType)
        descr = code.object(type.dtype, f"dtype.{type.dtype.name}")
        place = code.slot_at(spares.slots[0])
        arguments = (
            code.slot_take(slot),
            descr,
            i32(type.ndim),
            spares.dims,
            place,
            spares.count,
            i64(MOST_SPARE),
        )
        code.f.call("void", "rt_spare", arguments)


def _is_part(rep: Rep | None) -> bool:
    """Is it known to be no array of its own?"""
    return isinstance(rep, ArrayRef) and rep.exact == FALSE


def release_spares(code: Calls) -> None:
    """At the end of the function."""
    for spares in code.spares.values():
        code.f.call("void", "rt_release", (code.slot_at(spares.slots[0]), code.f.load("i64", spares.count)))


def once(code: ModuleWriter) -> str:
    """Metadata for a loop whose body is written once: another copy of it would gain nothing."""
    fact = code.metadata('!{!"llvm.loop.unroll.disable"}')
    return f", !llvm.loop {code.metadata(f'distinct !{{SELF, {fact}}}')}"


def parallel(
    code: ModuleWriter, vectorized: bool = True, reduces: bool = False, is_long: bool = False
) -> tuple[str, str]:
    """Metadata for an innermost loop: what its accesses bear, and what its branch bears.

    The accesses do not depend on those of other iterations. LLVM need not vectorise strided loops.
    ``is_long``: to repeat the vectors of several iterations, as LLVM does where it knows how many there
    are, gains nothing.
    """
    group = code.metadata("distinct !{}")
    facts = [code.metadata(f'!{{!"llvm.loop.parallel_accesses", {group}}}')]
    if not vectorized and reduces:  # several sums side by side, so that none waits for the one before
        facts.append(code.metadata('!{!"llvm.loop.vectorize.width", i32 1}'))
        facts.append(code.metadata('!{!"llvm.loop.interleave.count", i32 4}'))
    elif not vectorized:
        facts.append(code.metadata('!{!"llvm.loop.vectorize.enable", i1 false}'))
    if is_long or not (vectorized or reduces):
        facts.append(code.metadata('!{!"llvm.loop.unroll.disable"}'))
    loop = code.metadata(f"distinct !{{SELF, {', '.join(facts)}}}")
    return f", !llvm.access.group {group}", f", !llvm.loop {loop}"
