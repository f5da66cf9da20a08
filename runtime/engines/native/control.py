"""Control flow: ``if``, ``while`` and ``for`` become branches with phis. (``try``: `tries.py`.)

The references that a loop carries live in slots of the loop's own; an iteration hands its results to the
next one through them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from runtime.engines.native import looks, regions
from runtime.engines.native.elements import BOOL, Element, convert
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import FunctionWriter, Label, V, i32, i64
from runtime.engines.native.loops import Body, Control, used_from_outside
from runtime.engines.native.values import (
    Register,
    Rep,
    component_types,
    components,
    from_components,
    has_reference,
    is_literal,
    reference,
)
from runtime.graph import Location, Operation, Value


def truth(code: Codegen, value: Value, location: Location | None) -> V:
    rep = code.reps[value]
    if isinstance(rep, Register):
        return convert(code.f, rep.element, BOOL).value
    pointer, owned = code.box(rep, value.type, location)
    slot = code.hold(pointer) if owned else None
    found = code.f.call("i32", "PyObject_IsTrue", (pointer,))
    if slot is not None:
        code.release(slot)
    code.fail_if(code.f.compare("icmp slt", found, i32(0)), location)
    return code.f.compare("icmp ne", found, i32(0))


def yielded(code: Codegen, body: Body) -> tuple[list[tuple[V, ...]], list[int | None]]:
    """What a block hands on: registers, and for each reference a slot that holds it."""
    parts: list[tuple[V, ...]] = []
    slots: list[int | None] = []
    own = set(body.params).union(*[s.made() for s in body.statements])
    for position, value in enumerate(body.results):
        parts.append(components(code.reps[value]))
        pointer = reference(code.reps[value])
        if pointer is None:
            slots.append(None)
        elif value in own and value in code.slots and value not in body.results[position + 1 :]:
            slots.append(code.slots[value])
        else:
            code.f.call("void", "Py_IncRef", (pointer,))
            slots.append(code.hold(pointer))
    return parts, slots


def emit_if(code: Codegen, statement: Control) -> None:
    f, op = code.f, statement.operation
    labels = [f.label("then"), f.label("else")]
    join = f.label("join")
    f.branch(truth(code, op.inputs[0], op.location), labels[0], labels[1])
    shared = [code.new_slot() if has_reference(v.type) else None for v in op.outputs]
    incoming: list[tuple[Label, list[tuple[V, ...]]]] = []
    for label, body in zip(labels, statement.bodies, strict=True):
        f.at(label)
        code.body(body)
        hand_on(code, body, shared, join, incoming)
    merge_results(code, op, shared, join, incoming)


def hand_on(
    code: Codegen,
    body: Body,
    shared: list[int | None],
    join: Label,
    incoming: list[tuple[Label, list[tuple[V, ...]]]],
    at_end: Callable[[], None] = lambda: None,
) -> None:
    """A block has come to its end: its results go to where it meets others, references by slots."""
    if body.ends == "never":
        return code.impossible()
    parts, slots = yielded(code, body)
    for slot, target in zip(slots, shared, strict=True):
        if slot is not None:
            assert target is not None
            code.f.store(code.slot_take(slot), code.slot_at(target))
    at_end()
    incoming.append((code.f.block, parts))
    return code.f.jump(join)


def merge_results(
    code: Codegen,
    op: Operation,
    shared: list[int | None],
    join: Label,
    incoming: list[tuple[Label, list[tuple[V, ...]]]],
) -> None:
    """Blocks meet, and go on with what each of them has left."""
    f = code.f
    f.at(join)
    for position, value in enumerate(op.outputs):
        types = component_types(value.type)
        merged = []
        for k, type in enumerate(types):
            choices = [(parts[position][k], label) for label, parts in incoming]
            merged.append(f.merge(join, type, choices))
        code.reps[value] = from_components(value.type, tuple(merged))
        if (slot := shared[position]) is not None:
            code.slots[value] = slot
    if not incoming:
        f.unreachable()


def emit_loop(code: Codegen, statement: Control) -> None:
    """``while`` and ``for``. The carried references live in the loop's own slots."""
    if statement.operation.attributes.get("parallel") and code.region is None:
        why = regions.why_in_one_thread(statement)
        if why is None:
            with looks.without_gil(code):
                regions.ParallelFor(code, statement, _range(code, statement.operation)).emit(
                    functools.partial(_emit_loop, code, statement)
                )
            return
        code.in_one_thread.append((statement.location, why))
    with (
        looks.without_gil(code, looks.touches_no_object(statement)),
        looks.with_turns(code, looks.touches_arrays_alone(statement)),
    ):
        _emit_loop(code, statement)


def _emit_loop(
    code: Codegen,
    statement: Control,
    bounds: tuple[V, V, V] | None = None,
    given: Sequence[Rep] | None = None,
) -> list[Rep]:
    """What is carried in the end. ``bounds``: of a part of the iterations, which begins with ``given``."""
    f, op = code.f, statement.operation
    counted = op.is_counted
    each = looks.work_of(statement.bodies)
    initial = op.inputs[3:] if counted else op.inputs
    if counted and bounds is None:
        bounds = _range(code, op)
    slots = _enter_loop(code, statement, initial)
    started = [code.reps[v] for v in initial] if given is None else given
    entry, header = f.block, f.label("loop")
    test_body = statement.bodies[0] if len(statement.bodies) == 2 else None
    main = statement.bodies[-1]
    f.jump(header)
    f.at(header)
    ticks = f.phi("i64")  # iterations so far: what a counted loop compares with its number of iterations
    simple = bounds is not None and test_body is None and (bounds[0].ref, bounds[2].ref) == ("0", "1")
    index = ticks if simple else f.phi("i64") if counted else None
    types = [component_types(v.type) for v in op.outputs]
    phis = [tuple([f.phi(type) for type in kinds]) for kinds in types]
    state = [from_components(v.type, parts) for v, parts in zip(op.outputs, phis, strict=True)]
    inside, done = f.label("body"), f.label("done")
    if bounds is not None:
        more = f.label("more") if test_body is not None else inside
        # Where a test ends the loop, too, LLVM 22 (IndVarSimplify) may replace each relation by what it is in
        # the first iteration, as if the other one still ended the loop. It leaves `ne` as it is.
        order = "icmp ult" if test_body is None else "icmp ne"
        f.branch(f.compare(order, ticks, bounds[1]), more, done)
        if test_body is not None:
            f.at(more)
    code.loops += 1
    if test_body is not None:
        _enter_block(code, test_body, index, state, None)
        _emit_test(code, test_body, inside, done, op.location)
    f.at(inside)
    if bounds is not None and index is not None and test_body is None:
        _tell_bound(code, op, index, bounds[2])
    _enter_block(code, main, index, state, slots)
    code.body(main)
    code.loops -= 1
    edges: list[tuple[Label, list[tuple[V, ...]]]] = [(entry, [components(rep) for rep in started])]
    counters = {ticks: [(i64(0), entry)]}
    if bounds is not None and index is not None:
        counters[index] = [(bounds[0], entry)]
    if main.ends == "never":
        code.impossible()
    else:
        parts = _carry(code, main, slots)
        advance = "add nuw nsw" if simple else "add nuw" if counted else "add"
        advanced = {ticks: f.binary(advance, ticks, i64(1))}
        if each is None:
            looks.count_and_look(code, i64(1), op.location)
        else:
            looks.look_by(code, advanced[ticks], each, op.location)
        if bounds is not None and not simple:
            assert index is not None
            advanced[index] = f.binary("add nsw" if test_body is None else "add", index, bounds[2])
        for phi, following in advanced.items():
            counters[phi].append((following, f.block))
        edges.append((f.block, parts))
        f.jump(header)
    for phi, incoming in counters.items():
        f.complete(header, phi, incoming)
    for position, kinds in enumerate(phis):
        for k, phi in enumerate(kinds):
            f.complete(header, phi, [(parts[position][k], label) for label, parts in edges])
    f.at(done)
    if each is not None:
        looks.count(code, f.binary("mul", ticks, i64(each)))
    for value, rep, slot in zip(op.outputs, state, slots, strict=True):
        code.reps[value] = rep
        if slot is not None:
            code.slots[value] = slot
    return state


def _tell_bound(code: Codegen, op: Operation, index: V, step: V) -> None:
    """A counter that falls is above its stop. LLVM sees for itself what one that grows is not below."""
    if is_literal(step) and int(step.ref) < 0:
        code.declare("declare void @llvm.assume(i1)")
        stop = code.element_of(op.inputs[1]).value
        code.f.call("void", "llvm.assume", (code.f.compare("icmp sgt", index, stop),))


def _emit_test(code: Codegen, test: Body, inside: Label, done: Label, location: Location | None) -> None:
    """Go on with the body, or be done, as the test says."""
    code.body(test)
    if test.ends == "never":
        code.impossible()
    else:
        # frozen, so that LLVM does not make one condition of it and the bound of the loop, or of two tests
        going_on = truth(code, test.results[0], location)
        code.f.branch(code.f.value("i1", f"freeze {going_on}"), inside, done)


def _enter_loop(code: Codegen, statement: Control, initial: Sequence[Value]) -> list[int | None]:
    """Slots for what the loop carries, filled with the initial references."""
    inside = dict.fromkeys(v for body in statement.bodies for v in used_from_outside(body))
    slots: list[int | None] = []
    for value in initial:
        pointer = reference(code.reps[value])
        if pointer is None:
            slots.append(None)
            continue
        moves = value in statement.dies and value in code.slots and value not in inside
        if moves and list(initial).count(value) == 1:
            slots.append(code.hold(code.slot_take(code.slots[value])))
        else:
            code.f.call("void", "Py_IncRef", (pointer,))
            slots.append(code.hold(pointer))
    return slots


def _enter_block(
    code: Codegen, body: Body, index: V | None, state: list[Rep], slots: list[int | None] | None
) -> None:
    params = list(body.params)
    if index is not None:
        first = params.pop(0)
        code.reps[first] = Register(Element(index, first.dtype))
    for position, (param, rep) in enumerate(zip(params, state, strict=True)):
        code.reps[param] = rep
        if slots is not None and (slot := slots[position]) is not None:
            code.slots[param] = slot


def _carry(code: Codegen, main: Body, slots: list[int | None]) -> list[tuple[V, ...]]:
    """Hand the results of an iteration to the next one."""
    parts, found = yielded(code, main)
    moved = [code.slot_take(slot) if slot is not None else None for slot in found]
    for pointer, slot in zip(moved, slots, strict=True):
        if pointer is not None:
            assert slot is not None
            code.hold(pointer, slot)
    return parts


def _range(code: Codegen, op: Operation) -> tuple[V, V, V]:
    """Start, number of iterations and step of ``range(start, stop, step)``."""
    f = code.f
    start, stop, step = [code.element_of(v).value for v in op.inputs[:3]]
    if is_literal(step) and 0 < abs(int(step.ref)) < 2**63:
        return start, _known_count(f, start, stop, int(step.ref)), step
    zero = i64(0)
    is_zero = f.compare("icmp eq", step, zero)
    failed, fine = f.label("zero"), f.label("range")
    f.branch(is_zero, failed, fine, likely=False)
    with f.aside(failed):
        text = code.string("range() arg 3 must not be zero")
        f.call("void", "PyErr_SetString", (code.symbol("error.ValueError"), text))
        code.fail(op.location)
    f.at(fine)
    up = f.compare("icmp sgt", step, zero)
    distance = f.select(up, f.binary("sub", stop, start), f.binary("sub", start, stop))
    some = f.select(up, f.compare("icmp slt", start, stop), f.compare("icmp sgt", start, stop))
    size = f.select(up, step, f.binary("sub", zero, step))
    count = f.binary("add", f.binary("udiv", f.binary("sub", distance, i64(1)), size), i64(1))
    return start, f.select(some, count, zero), step


def _known_count(f: FunctionWriter, start: V, stop: V, step: int) -> V:
    """The number of iterations where the step is known."""
    first, last = (start, stop) if step > 0 else (stop, start)
    count = last if first.ref == "0" else f.binary("sub", last, first)
    if abs(step) != 1:
        count = f.binary("add", f.binary("udiv", f.binary("sub", count, i64(1)), i64(abs(step))), i64(1))
    return f.select(f.compare("icmp slt", first, last), count, i64(0))
