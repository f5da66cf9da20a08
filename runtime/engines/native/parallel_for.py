"""``for i in rt.prange(n)``: several threads take blocks of the iterations, see regions.py.

Which iterations make a block says the number of iterations alone, and what blocks hand on is combined in
their order, so that the results are the same for any number of threads. What the graph cannot know is asked
when the loop is reached: whether other arrays share the memory that is written, or places count from the end.
Then one thread runs the blocks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from runtime.engines.native import looks, regions
from runtime.engines.native.elements import Element, LlvmElements, load, memory_type, store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import TRUE, V, counted_loop, i64
from runtime.engines.native.loops import Body, Control, Nest, Single
from runtime.engines.native.nest_plan import apart
from runtime.engines.native.values import ArrayRef, Register, Rep, element_in, in_register, in_word, product
from runtime.graph import Operation, Value
from runtime.graph.parallel_loops import Place, Plan, plan_of
from runtime.types import NumberType

#: writes the iterations within bounds, from what is carried at first; what is carried at last
Loop = Callable[[tuple[V, V, V], Sequence[Rep]], list[Rep]]
#: iterations are cut into so many blocks at most, of equal size
MOST_BLOCKS = 128
#: what an iteration is taken for of which only the run knows how long it is: worth the other threads
_UNKNOWN = regions.LEAST

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
        self.handed = {k: regions.shared(f, MOST_BLOCKS) for k, kind in self.kinds() if kind != "same"}

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

        regions.emit(self.code, self.count, self.size, work, self.op.location, write, in_blocks=True)
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
