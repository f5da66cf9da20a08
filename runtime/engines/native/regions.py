"""Loops whose iterations do not depend on each other: several threads take blocks of them.

What is written for the iterations becomes a function of its own, as text: it has the names of the values
that it uses, which it reads from the task, and memory of its own. A long loop calls `run`, where each thread
takes one block after the other (support_threads.ll); a short one calls the function for all iterations.

    define internal i64 @region.0(i64 %first, i64 %last, ptr %task, ptr %saved)

It returns -1, or the site where an exception was raised. The threads are Python's, so each may take the GIL
(by %saved, see `looks.without_gil`) for what is seldom: an index out of bounds, an int beyond 64 bits. The
block of least number that fails decides what is raised, however many threads there are.

``for i in rt.prange(n)``: several threads take blocks of the iterations, see regions.py.

Which iterations make a block says the number of iterations alone, and what blocks hand on is combined in
their order, so that the results are the same for any number of threads. What the graph cannot know is asked
when the loop is reached: whether other arrays share the memory that is written, or places count from the end.
Then one thread runs the blocks.
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

from runtime.engines.native import jit, looks
from runtime.engines.native.elements import INT64, Element, LlvmElements, load, memory_type, store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import TRUE, FunctionWriter, Label, V, counted_loop, i64
from runtime.engines.native.loops import Body, Control, Nest, Single
from runtime.engines.native.nest_plan import apart
from runtime.engines.native.values import ArrayRef, Register, Rep, element_in, in_register, in_word, product
from runtime.graph import Location, Operation, Value
from runtime.graph.parallel_loops import Place, Plan, plan_of
from runtime.ops import threads
from runtime.types import INT, NumberType

#: operations on elements that are worth the other threads, which take some 50 microseconds to come
LEAST = 1 << 20
#: words of a task before the values that its function uses
_HEAD = 8
_FIRST, _LAST, _TASK, _SAVED = V("i64", "%first"), V("i64", "%last"), V("ptr", "%task"), V("ptr", "%saved")
_NAME = re.compile(r"%([\w.]+)")
_MADE = re.compile(r"%([\w.]+) = ")


def emit(
    code: Codegen,
    count: V,
    size: V,
    work: V,
    location: Location | None,
    write: Callable[[V, V], None],
    in_blocks: bool = False,
) -> None:
    """``write(first, last)`` writes iterations of ``count``, which only write to memory.

    ``size`` of them are a block; ``work`` is how many operations all of them are. ``in_blocks``: one thread
    alone takes blocks as well.
    """
    f = code.f
    region = _Region(code, write)
    task = region.task()
    several, alone, done = [f.label(name) for name in ("several", "alone", "done")]
    f.branch(f.compare("icmp sge", work, i64(LEAST)), several, alone)
    f.at(several)
    blocks = f.binary("sdiv", f.binary("add", count, f.binary("sub", size, i64(1))), size)
    each = f.binary("sdiv", work, f.binary("add", blocks, i64(1)))
    _fill(f, task, (i64(0), blocks, size, count, region.address(), code.site(location), i64(0), each))
    with code.catching() as failures:
        address = Element(f.value("i64", f"ptrtoint {task} to i64"), INT64)
        code.call_python(run, [(Register(address), INT)], {}, [], None)
        f.jump(done)
    code.failed(failures)
    code.fail_at(f.load("i64", f.offset(task, i64(6), "i64")))
    f.at(alone)
    _fill(f, task, (i64(0), i64(2**62), i64(1)))

    def run_alone(first: V, last: V) -> None:
        assert f.saved is not None
        ended = f.call("i64", f'"{region.name}"', (first, last, task, f.saved))
        failed, fine = f.label("failed"), f.label("fine")
        f.branch(f.compare("icmp eq", ended, i64(-1)), fine, failed, likely=True)
        with f.aside(failed):
            code.fail_at(ended)
        f.at(fine)

    def run_block(first: V) -> None:
        above = f.binary("add", first, size)
        run_alone(first, f.select(f.compare("icmp slt", above, count), above, count))

    if in_blocks:
        counted_loop(f, i64(0), count, size, run_block)
    else:
        run_alone(i64(0), count)
    f.jump(done)
    f.at(done)


def shared(f: FunctionWriter, words: int) -> V:
    """Memory that is one for all threads; what is written for iterations has a copy of all other."""
    return f.value("ptr", f"getelementptr i8, {f.alloca('i64', words)}, i64 0")


def _fill(f: FunctionWriter, task: V, head: Sequence[V]) -> None:
    for place, word in enumerate(head):
        f.store(word, f.offset(task, i64(place), "i64"))


class _Region:
    """The function that is made of blocks of another one."""

    def __init__(self, code: Codegen, write: Callable[[V, V], None]) -> None:
        self.code, self.f = code, code.f
        self.name = f"region.{len(code.functions)}"
        self._given: list[V] = []
        self._outline(self._written(write))

    def _written(self, write: Callable[[V, V], None]) -> list[Label]:
        code, f = self.code, self.f
        here, before, around, kept = f.block, len(f.blocks), f.saved, code.region
        f.saved, code.region = _SAVED, _FIRST
        f.at(f.label("region"))
        with code.catching() as failures:
            write(_FIRST, _LAST)
            f.ret(i64(-1))
        if failures.sites:
            site = code.failed(failures)
            if code.slot_count:
                f.call("void", "rt_release", (code.frame, i64(code.slot_count)))
            f.ret(site)
        f.saved, code.region = around, kept
        blocks = f.blocks[before:]
        del f.blocks[before:]
        f.block = here
        return blocks

    def _outline(self, blocks: list[Label]) -> None:
        code, f = self.code, self.f
        text = "\n".join([line for block in blocks for line in block.lines])
        made, used = set(_MADE.findall(text)), dict.fromkeys(_NAME.findall(text))
        entry = [(line, *_NAME.findall(line)) for line in f.entry.lines]
        own = {name for line, name, *_ in entry if " = alloca " in line and name in used}
        parameters = [(v.type, v.ref[1:]) for v in (_FIRST, _LAST, _TASK, _SAVED)]
        part = FunctionWriter(f'"{self.name}"', "i64", parameters, "noinline", "internal")
        part.blocks[:], part.block = [], part.entry
        for line, *names in entry:  # memory, and what it holds at first
            if not own.isdisjoint(names) and line.startswith((f"%{names[0]} = alloca", "store ")):
                part.entry.lines.append(line)
        if "frame" in used:
            memory = f"%frame = alloca ptr, i64 {code.slot_count}, align 8"
            part.entry.lines += [memory, f"store [{code.slot_count} x ptr] zeroinitializer, ptr %frame"]
        if "cells" in used:
            part.entry.lines.append(f"%cells = alloca i64, i64 {code.cell_count}, align 8")
        known = made | own | {"frame", "cells"} | {name for _, name in parameters}
        self._given = [V(f.types[name], f"%{name}") for name in used if name in f.types and name not in known]
        for place, value in enumerate(self._given):
            at = f"%given.{place}"
            part.entry.lines.append(f"{at} = getelementptr i64, ptr %task, i64 {_HEAD + 2 * place}")
            part.entry.lines.append(f"{value.ref} = load {value.type}, ptr {at}, align 8")
        part.blocks += [Label("start"), *blocks]
        part.blocks[0].lines.append(f"br label %{blocks[0].name}")
        part.blocks[0].terminated = True
        code.functions.append(part)

    def address(self) -> V:
        return V("ptr", f'@"{self.name}"')

    def task(self) -> V:
        """The task, with the values that the function uses."""
        f = self.f
        task = f.alloca("i64", _HEAD + 2 * len(self._given))
        for place, value in enumerate(self._given):
            f.store(value, f.offset(task, i64(_HEAD + 2 * place), "i64"), align=8)
        return task


@functools.cache
def _blocks() -> tuple[Callable[..., Any], Any]:
    """`rt_blocks`, which begins and ends with the GIL, and the library that it is in."""
    text = resources.files(__package__).joinpath("support_threads.ll").read_text(encoding="utf-8")
    library = jit.jit().compile_quickly(text, {}, ["rt_blocks"])
    made = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(library.address("rt_blocks"))
    return made, library


def run(address: int) -> None:
    """All blocks of the task that is there. Raises what the first of them raises that fails."""
    words = (ctypes.c_int64 * _HEAD).from_address(address)
    failures: list[tuple[int, int, BaseException]] = []
    blocks, _ = _blocks()

    def work(_: object) -> None:
        failed = (ctypes.c_int64 * 2)(-1, words[5])
        try:
            blocks(address, ctypes.addressof(failed))
        except BaseException as error:  # noqa: BLE001  # the first one is raised
            failures.append((failed[0], failed[1], error))

    def stop() -> None:
        words[1] = 0

    words[6] = words[5]  # the site of a signal's handler that raises while others are waited for
    threads.share(work, range(words[1]), stop)
    if failures:
        is_stopped = lambda error: type(error) is SystemError and error.args == (looks.STOPPED,)
        _, words[6], error = min(failures, key=lambda failure: (is_stopped(failure[2]), failure[0]))
        try:
            raise error
        finally:  # its traceback has this frame
            failures.clear()
            del error


#: writes the iterations within bounds, from what is carried at first; what is carried at last
Loop = Callable[[tuple[V, V, V], Sequence[Rep]], list[Rep]]
#: iterations are cut into so many blocks at most, of equal size
MOST_BLOCKS = 128
#: what an iteration is taken for of which only the run knows how long it is: worth the other threads
_UNKNOWN = LEAST

_ALONE = frozenset("constant register length load store view complex".split())


def why_in_one_thread(statement: Control) -> str | None:
    """What stands against several threads, in words; None where they run it."""
    op = statement.operation
    plan = plan_of(op)
    if not isinstance(plan, Plan):
        return plan.message
    step = op.inputs[2].owner
    if step is None or not step.is_constant or step.attributes["value"] < 1:
        return "it does not count up by a known step"
    if not all(in_word(value.type) for value in op.outputs):
        return "it carries objects from one iteration to the next"
    for inner in _inside(statement.bodies):
        if isinstance(inner, Single) and inner.how not in _ALONE:
            return f"`{inner.operation.name}` in line {_line(inner)} needs Python's lock, or memory"
        views = isinstance(inner, Single) and inner.how in ("view", "constant")
        if not views and not all(in_register(value.type) for value in inner.made()):
            return f"an array or object is made in line {_line(inner)}"
        if isinstance(inner, Control) and inner.operation.is_try:
            return f"there is a `try` in line {_line(inner)}"
    return None


def _inside(bodies: Sequence[Body]) -> list[Single | Nest | Control]:
    found: list[Single | Nest | Control] = []
    for body in bodies:
        for statement in body.statements:
            found.append(statement)
            if isinstance(statement, Control):
                found += _inside(statement.bodies)
    return found


def _line(statement: Single | Nest | Control) -> object:
    return statement.location.line if statement.location is not None else "?"


class ParallelFor:
    """Writes one loop. ``loop`` writes its iterations from one to another, and returns what they carry."""

    def __init__(self, code: Codegen, statement: Control, bounds: tuple[V, V, V]) -> None:
        self.code, self.f, self.statement = code, code.f, statement
        self.op = statement.operation
        plan = plan_of(self.op)
        assert isinstance(plan, Plan)
        self.plan = plan
        self.start, self.count, self.step = bounds
        self.initial = [code.reps[value] for value in self.op.inputs[3:]]
        f = self.f
        rounded = f.binary("add", self.count, i64(MOST_BLOCKS - 1))
        size = f.binary("udiv", rounded, i64(MOST_BLOCKS))
        self.size = f.select(f.compare("icmp eq", size, i64(0)), i64(1), size)
        #: what each block hands on, by the position among what the loop carries
        self.handed = {k: shared(f, MOST_BLOCKS) for k, kind in self.kinds() if kind != "same"}

    def emit(self, loop: Loop) -> None:
        f, each = self.f, looks.work_of(self.statement.bodies)
        work = i64(_UNKNOWN) if each is None else f.binary("mul", self.count, i64(each))
        work = f.select(self._is_safe(), work, i64(0))

        def write(first: V, last: V) -> None:
            begin = f.binary("add", self.start, product(f, first, self.step))
            given = [self._neutral(k) if kind in _NEUTRAL else self.initial[k] for k, kind in self.kinds()]
            found = loop((begin, f.binary("sub", last, first), self.step), given)
            block = f.binary("udiv", first, self.size)
            for k, at in self.handed.items():
                store(f, element_in(found[k]), f.offset(at, block, "i64"))

        emit(self.code, self.count, self.size, work, self.op.location, write, in_blocks=True)
        self._combine()

    def kinds(self) -> list[tuple[int, str]]:
        return [*enumerate(self.plan.kinds)]

    # -- what the run has to say -----------------------------------------------------------------------

    def _is_safe(self) -> V:
        """No place counts from the end, and what is written is memory of its own, once each."""
        f = self.f
        safe = TRUE
        arrays = {value: self.code.reps[value] for value in self.plan.touched}
        for value, place in self.plan.written.items():
            target = arrays[value]
            assert isinstance(target, ArrayRef)
            first = f.binary("add", self.start, i64(place.offset))
            conditions = [f.compare("icmp sge", first, i64(0)), self._differ(target, place)]
            for other, array in arrays.items():
                if other is not value and isinstance(array, ArrayRef):
                    conditions.append(apart(f, target, array))
            safe = functools.reduce(lambda a, b: f.binary("and", a, b), conditions, safe)
        return safe

    def _differ(self, target: ArrayRef, place: Place) -> V:
        """Do items at different places along the axis share no memory?"""
        f = self.f

        def size(axis: int) -> V:
            stride = target.strides[axis]
            return f.select(f.compare("icmp slt", stride, i64(0)), f.binary("sub", i64(0), stride), stride)

        step = size(place.axis)
        others = [axis for axis in range(target.type.ndim) if axis != place.axis]
        reach = i64(target.itemsize)
        for axis in others:
            reach = f.binary(
                "add", reach, f.binary("mul", size(axis), f.binary("sub", target.dims[axis], i64(1)))
            )
        outer = f.compare("icmp sge", step, reach)
        within = f.binary("mul", step, target.dims[place.axis])
        inner = f.compare("icmp sge", step, i64(target.itemsize))
        for axis in others:
            inner = f.binary("and", inner, f.compare("icmp sge", size(axis), within))
        return outer if not others else f.binary("or", outer, inner)

    # -- what is carried -------------------------------------------------------------------------------

    def _neutral(self, k: int) -> Register:
        """What changes no sum (a zero's sign stays, too), or no product."""
        dtype = self.op.outputs[k].dtype
        number = _NEUTRAL[self.plan.kinds[k]]
        elements = LlvmElements(self.f, self.code.declare, {}, dtype)
        return Register(elements.constant(number if dtype.kind == "f" else int(number), dtype))

    def _combine(self) -> None:
        f, code = self.f, self.code
        rounded = f.binary("add", self.count, f.binary("sub", self.size, i64(1)))
        blocks = f.binary("udiv", rounded, self.size)
        for k, kind in self.kinds():
            output, initial = self.op.outputs[k], self.initial[k]
            code.reps[output] = initial
            if kind == "same":
                continue
            before = element_in(initial)
            dtype, at, now = before.dtype, self.handed[k], f.alloca(memory_type(before.dtype))
            store(f, before, now)

            def take(block: V) -> None:
                found = load(f, dtype, f.offset(at, block, "i64"))
                if kind == "flag":  # set in this block, or as it was
                    changed = f.compare("icmp ne", self._bits(found), self._bits(before))
                    found = Element(f.select(changed, found.value, load(f, dtype, now).value), dtype)
                elif kind in _NEUTRAL:
                    found = self._together(self.op.outputs[k], kind, load(f, dtype, now), found)
                store(f, found, now)

            first = i64(0) if kind != "last" else f.binary("sub", blocks, i64(1))
            first = f.select(f.compare("icmp slt", first, i64(0)), i64(0), first)
            counted_loop(f, first, blocks, i64(1), take)
            code.reps[output] = Register(load(f, dtype, now))

    def _bits(self, number: Element) -> V:
        kind = number.value.type
        if kind not in ("double", "float"):
            return number.value
        return self.f.convert("bitcast", number.value, "i64" if kind == "double" else "i32")

    def _together(self, value: Value, kind: str, a: Element, b: Element) -> Element:
        """As the operation of the graph does it, so that an int too large is an error."""
        name = "add" if kind == "sum" else "multiply"
        if isinstance(value.type, NumberType):
            name = {"add": "py.add", "multiply": "py.mul"}[name]
        operands = (Value(value.type), Value(value.type))
        op = Operation(name, operands, (value.type,), {}, (), self.op.location)
        self.code.reps |= {operands[0]: Register(a), operands[1]: Register(b)}
        self.code.body(Body([], [Single(op, "register")]))
        return self.code.element_of(op.output)


_NEUTRAL = {"sum": -0.0, "product": 1.0}
