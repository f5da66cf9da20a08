"""Between machine code and Python: boxing, and calls of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from runtime.engines.native import convolution
from runtime.engines.native.elements import Element, convert, load, store
from runtime.engines.native.frame import Frame
from runtime.engines.native.ir import FALSE, NULL, TRUE, FunctionWriter, V, floating, i32, i64
from runtime.engines.native.objects import boxes
from runtime.engines.native.values import (
    ArrayRef,
    Boxed,
    Register,
    Rep,
    array_ref,
    element_in,
    in_register,
    in_word,
)
from runtime.graph import Location, Operation, Value
from runtime.ops import buffers, containers, strings
from runtime.ops.definition import REGISTRY
from runtime.ops.template import Hole
from runtime.types import FLOAT, INT, OBJECT, ArrayType, NumberType, ScalarType, Type


class Calls(Frame):
    """Values as Python objects, and Python functions called with them."""

    def __init__(self) -> None:
        super().__init__()
        self.slow_ways: list[Any] = []  # see slow_path.py

    def box(self, rep: Rep, type: Type, location: Location | None) -> tuple[V, bool]:
        """The object for a value, and whether the reference is a new one."""
        f = self.f
        if isinstance(rep, Boxed):
            return rep.pointer, False
        if isinstance(rep, ArrayRef):
            return self.materialise(rep, location)
        pointer = boxes.box_number(self, rep.element, type)
        self.fail_if(f.compare("icmp eq", pointer, NULL), location)
        return pointer, True

    def materialise(self, rep: ArrayRef, location: Location | None) -> tuple[V, bool]:
        """The ndarray object of an array: for a part of another array it is made here."""
        f = self.f
        if rep.exact == TRUE:
            return rep.holder, False
        if rep.exact == FALSE:
            return self._make_view(rep, location), True
        exact, part, join = f.label("exact"), f.label("part"), f.label("array")
        f.branch(rep.exact, exact, part)
        f.at(exact)
        f.call("void", "Py_IncRef", (rep.holder,))
        f.jump(join)
        f.at(part)
        made = self._make_view(rep, location)
        part_end = f.block
        f.jump(join)
        f.at(join)
        pointer = f.phi("ptr")
        f.complete(join, pointer, [(rep.holder, exact), (made, part_end)])
        return pointer, True

    def _make_view(self, rep: ArrayRef, location: Location | None) -> V:
        f, rank = self.f, rep.type.ndim
        shape = f.alloca("i64", max(2 * rank, 1))
        for k, length in enumerate((*rep.dims, *rep.strides)):
            f.store(length, f.offset(shape, i64(k), "i64"))
        descr = self.object(rep.type.dtype, f"dtype.{rep.type.dtype.name}")
        strides = f.offset(shape, i64(rank), "i64")
        made = f.call(
            "ptr", "rt_view", (rep.holder, descr, i32(rank), shape, strides, rep.data, rep.writable)
        )
        self.fail_if(f.compare("icmp eq", made, NULL), location)
        return made

    # -- calls -----------------------------------------------------------------------------------------

    def call_python(
        self,
        function: Callable[..., Any],
        inputs: Sequence[tuple[Rep, Type]],
        keywords: dict[str, Any],
        outputs: Sequence[Type],
        location: Location | None,
        raises: bool = False,
        tally: V | None = None,
    ) -> list[Rep]:
        """Call a Python function with values of the graph. New references are *not* yet held.

        ``tally``: of the slow way that it is, see `slow_path.py`.
        """
        f = self.f
        codes: list[int | V] = []
        temporary: list[int] = []
        contents: list[Element | V] = []
        for rep, type in inputs:
            if isinstance(rep, Register) and in_word(type):
                contents.append(rep.element)
                codes.append(self.code_of(type))
                continue
            pointer, owned = self.box(rep, type, location)
            if owned:
                temporary.append(self.hold(pointer))
            contents.append(pointer)
            codes.append(0)
        contents += [self.object(item, name) for name, item in keywords.items()]
        codes += [0] * len(keywords)
        for position, content in enumerate(contents):
            if isinstance(content, Element):
                store(f, content, self.cell(position))
            else:
                f.store(content, self.cell(position))
        codes += [self.code_of(type) if in_word(type) or not in_register(type) else 0 for type in outputs]
        self.cell(len(codes))
        name = getattr(function, "__name__", "function")
        names = self.object(tuple(keywords), "names") if keywords else NULL
        way = "rt_raise" if raises else "rt_call" if tally is None else "rt_slow"
        status = f.call(
            "i32",
            way,
            (
                *(() if tally is None or raises else (tally,)),
                self.object(function, f"kernel.{name}"),
                names,
                i64(len(keywords)),
                self.numbers(codes),
                i64(len(contents)),
                i64(len(outputs)),
                self.cells,
            ),
        )
        for slot in temporary:
            self.release(slot)
        if raises:
            self.fail(location)
            return []
        self.fail_if(f.compare("icmp ne", status, i32(0)), location)
        return self._results(outputs, len(contents), location)

    def checked(self, pointer: V, type: Type, location: Location | None) -> V:
        """An object that was just made, if it is an instance of what its type says; else an error."""
        code = self.code_of(type)
        if code != i64(0):
            status = self.f.call("i32", "rt_unbox", (code, pointer, self.cell(0)))
            self.fail_if(self.f.compare("icmp ne", status, i32(0)), location)
        return pointer

    def _results(self, outputs: Sequence[Type], first: int, location: Location | None) -> list[Rep]:
        f = self.f
        reps: list[Rep] = []
        for position, type in enumerate(outputs, first):
            if in_register(type) and not in_word(type):
                reps.append(Register(self._complex_result(type, self.cell(position), location)))
                continue
            if in_register(type):
                reps.append(Register(load(f, type.dtype, self.cell(position))))
                continue
            pointer = f.load("ptr", self.cell(position))
            if isinstance(type, ArrayType):
                self.check_array(type, pointer, location)
                reps.append(array_ref(f, type, pointer))
            else:
                reps.append(Boxed(pointer))
        return reps

    def _complex_result(self, type: NumberType | ScalarType, cell: V, location: Location | None) -> Element:
        """The parts of a complex number that a kernel returned. The reference is given back."""
        f, dtype = self.f, type.dtype
        cls = complex if isinstance(type, NumberType) else dtype.type
        pointer = f.load("ptr", cell)
        wrong, right = f.label("wrong"), f.label("right")
        f.branch(
            f.compare("icmp eq", f.load("ptr", f.offset(pointer, i64(8))), self.object(cls, "class")),
            right,
            wrong,
            likely=True,
        )
        with f.aside(wrong):
            text = self.string("a kernel returned another type than its rule promised")
            f.call("void", "PyErr_SetString", (self.symbol("error.InternalError"), text))
            self.fail(location)
        f.at(right)
        found = load(f, dtype, f.offset(pointer, i64(16)))
        f.call("void", "Py_DecRef", (pointer,))
        return found

    def check_array(self, type: ArrayType, pointer: V, location: Location | None) -> None:
        f = self.f
        dims = self.numbers([-1 if n is None else n for n in type.shape])
        order = FALSE if type.dtype.isnative else TRUE
        arguments = (pointer, i32(type.dtype.num), order, i32(type.ndim), dims, self.string(str(type)))
        status = f.call("i32", "rt_check_array", arguments)
        self.fail_if(f.compare("icmp ne", status, i32(0)), location)

    def arguments(self, op: Operation) -> tuple[Callable[..., Any], list[tuple[Rep, Type]], dict[str, Any]]:
        """What is called for an operation, and with what: by position, and by keyword."""
        of_text = strings.FUNCTIONS.get(op.name)
        direct = None if of_text is None else arguments_of(op)
        if of_text is None or direct is None:
            function, keywords = self.kernel_of(op)
            return function, [(self.reps[v], v.type) for v in op.inputs], keywords
        given: list[tuple[Rep, Type]] = []
        for item in direct:
            if isinstance(item, Value):
                given.append((self.reps[item], item.type))
            else:
                given.append((Boxed(self.object(item, "constant")), OBJECT))
        return of_text, given, {}

    def kernel_of(self, op: Operation) -> tuple[Callable[..., Any], dict[str, Any]]:
        """The Python function that does the operation, and its keyword arguments."""
        definition = REGISTRY[op.name]
        if definition.bind is not None:
            return definition.bind(**op.attributes), {}
        if op.name == "zeros" and not op.inputs:
            return partial(np.zeros, *[op.attributes.get(k, "C") for k in ("shape", "dtype", "order")]), {}
        of_memory = _MEMORY.get(op.name)
        if of_memory is not None:
            return of_memory(**op.attributes), {}
        if definition.family == "container":
            return containers.bind(op.name, tuple([value.type for value in op.inputs]), op.attributes), {}
        if definition.family == "convolution":
            return convolution.KERNELS[op.name], op.attributes
        assert definition.kernel is not None, f"{op.name} has no kernel"
        return definition.kernel, op.attributes

    def call_kernel(self, op: Operation, raises: bool = False, tally: V | None = None) -> list[Rep]:
        function, inputs, keywords = self.arguments(op)
        outputs = [v.type for v in op.outputs]
        return self.call_python(function, inputs, keywords, outputs, op.location, raises, tally)

    def call_loop(self, op: Operation, place: tuple[int, int], operands: Sequence[Element]) -> Element:
        """NumPy's own loop over one element, so that a scalar gives what an array would."""
        f, dtype = self.f, op.output.dtype
        cells = [f.alloca("i64", 2) for _ in range(len(operands) + 1)]
        for cell, element in zip(cells, operands, strict=False):
            store(f, element, cell)
        self.emit_loop_call(op, place, [(cell, i64(0)) for cell in cells], i64(1))
        return load(f, dtype, cells[-1])

    def emit_loop_call(
        self, op: Operation, place: tuple[int, int], operands: Sequence[tuple[V, V]], length: V
    ) -> None:
        """Call one of NumPy's loops on (address, step in bytes) of operands and result."""
        f = self.f
        addresses, steps, count = (
            f.alloca("ptr", len(operands)),
            f.alloca("i64", len(operands)),
            f.alloca("i64"),
        )
        for k, (pointer, step) in enumerate(operands):
            f.store(pointer, f.offset(addresses, i64(k), "ptr"))
            f.store(step, f.offset(steps, i64(k), "i64"))
        f.store(length, count)
        address, data = place
        function = self.outside(address, f"loop.{op.name}")
        where = self.memory(data, "data")
        f.line(f"call void {function.ref}({addresses}, {count}, {steps}, {where})")

    def operand(self, rep: Rep, type: Type, dtype: Any, slow_if: Callable[[V, bool], None] | None) -> Element:
        """A number (or the element of a 0-d array), converted to the dtype that an operation computes in."""
        if isinstance(rep, ArrayRef):
            element = load(self.f, rep.type.dtype, rep.data)
        else:
            element = element_in(rep)
        if type in (INT, FLOAT) and dtype.kind in "iu" and element.dtype != dtype and slow_if is not None:
            slow_if(out_of_range(self.f, element, dtype), False)
        return convert(self.f, element, dtype)


def arguments_of(op: Operation) -> tuple[Any, ...] | None:
    """The values and constants that an operation is about; None where a template makes something of them."""
    template = op.attributes.get("template")
    if template is None:
        return op.inputs
    structure = template.structure
    if type(structure) is not tuple:
        return None
    found = [op.inputs[part.index] if isinstance(part, Hole) else part for part in structure]
    return tuple(found) if all(isinstance(part, Value) or type(part) in _ATOMS for part in found) else None


#: what makes memory of this engine's, where its machine code does not
_MEMORY: dict[str, Callable[..., Callable[..., Any]]] = {
    "buffer.new": lambda item: list if isinstance(item, ArrayType) else partial(buffers.Buffer, item),
    "buffer.full": lambda item: partial(buffers.full_buffer, item),
}
_ATOMS = frozenset({str, int, float, bool, bytes, type(None)})


def out_of_range(f: FunctionWriter, x: Element, dtype: Any) -> V:
    """Does an int64 not fit the integer dtype, or a float64 without its fraction? (The slow path decides.)"""
    if x.dtype.kind == "f":
        lowest, highest = np.iinfo(dtype).min, min(np.iinfo(dtype).max, np.iinfo("int64").max)
        above = f.compare("fcmp ogt", x.value, floating("double", lowest - 1.0))
        below = f.compare("fcmp olt", x.value, floating("double", highest + 1.0))
        return f.binary("xor", f.binary("and", above, below), TRUE)
    narrow = convert(f, x, dtype)
    back = convert(f, narrow, x.dtype)
    wrong = f.compare("icmp ne", back.value, x.value)
    if dtype.name == "uint64":
        return f.compare("icmp slt", x.value, i64(0))
    return wrong
