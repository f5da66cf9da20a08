"""Loop-nest form -> LLVM: control flow, ownership, calls of kernels and the way out on errors.

One LLVM function per graph, in the shape of a C function of Python's "fastcall" convention:

    PyObject *f(PyObject *state, PyObject *const *args, Py_ssize_t nargs)    returns a list, or NULL

*Ownership.* A value of reference type (an array, an object) that the function makes has a slot in the
*frame*, an array of pointers; it is set to NULL when the reference is given back or handed on. On an error
everything that the frame still holds is released, so that no path has to know what is alive. Parameters
and constants are borrowed.

*Errors.* Each operation that can fail jumps to one error block with its *site*, an index into the list of
user lines. Where machine code meets operands that it refuses (an int that overflows, an index out of
bounds), it calls the operation's own kernel: that raises, with the same words as on any engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.engines.native import items, nests
from runtime.engines.native.elements import (
    BOOL,
    Element,
    LlvmElements,
    convert,
    load,
    register_type,
    store,
)
from runtime.engines.native.ir import BRANCH_WEIGHTS, FALSE, NULL, TRUE, FunctionWriter, Label, V, i32, i64
from runtime.engines.native.loops import Body, Control, Nest, Program, Single, Statement, used_from_outside
from runtime.engines.native.lower import operand_types_of
from runtime.engines.native.ufunc_loops import numpy_loop
from runtime.engines.native.values import (
    ArrayRef,
    Boxed,
    Register,
    Rep,
    array_ref,
    component_types,
    components,
    from_components,
    has_reference,
    in_register,
    is_native_array,
    reference,
)
from runtime.graph import Location, Operation, Value
from runtime.ops.definition import REGISTRY
from runtime.ops.indexing import specialise_getitem, specialise_setitem
from runtime.types import ArrayType, NumberType, ScalarType, Type

#: how many iterations of a loop pass between two looks at pending signals (Ctrl-C)
SIGNAL_INTERVAL = 1 << 20

_DECLARATIONS = """\
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyBool_FromLong(i64)
declare i32 @PyObject_IsTrue(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare void @PyErr_SetString(ptr, ptr)
declare i32 @PyErr_CheckSignals()
declare ptr @PyList_New(i64)
declare i32 @PyList_SetItem(ptr, i64, ptr)
declare ptr @PyArray_New(ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)
declare ptr @rt_box(i64, ptr)
declare i32 @rt_call(ptr, ptr, i64, ptr, i64, i64, ptr)
declare i32 @rt_raise(ptr, ptr, i64, ptr, i64, i64, ptr)
declare i32 @rt_check_array(ptr, i32, i32, ptr, ptr)
declare ptr @rt_view(ptr, ptr, i32, ptr, ptr, ptr, i1)
declare void @rt_release(ptr, i64)
declare void @rt_fail(ptr, i64) cold
@type.ndarray = external global i8
@error.ValueError = external global i8
@error.SystemError = external global i8
"""


class Codegen:
    """Writes the LLVM module of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.f = FunctionWriter("entry_function", "ptr", [("ptr", "state"), ("ptr", "args"), ("i64", "nargs")])
        self.symbols: dict[str, int] = {}
        self.kept: list[object] = []  # what machine code refers to by address
        self.sites: list[Location | None] = []
        self.reps: dict[Value, Rep] = {}
        self.slots: dict[Value, int] = {}
        self._globals: list[str] = []
        self._metadata: list[str] = []
        self._declared: dict[str, None] = {}
        self._strings: dict[str, V] = {}
        self._object_names: dict[int, V] = {}
        self._slot_count = 0
        self._cell_count = 1
        self._errors: list[tuple[V, Label]] = []
        self.error = self.f.label("error")
        self.frame = V("ptr", "%frame")
        self.cells = V("ptr", "%cells")

    # -- the module ------------------------------------------------------------------------------------

    def module(self) -> str:
        """LLVM's text form. Call once."""
        for position, param in enumerate(self.program.body.params):
            pointer = self.f.load("ptr", self.f.offset(self.f.params[1], i64(position), "ptr"))
            self.reps[param] = self.unbox_param(param.type, pointer)
        self.body(self.program.body)
        if self.program.body.ends == "yield":
            self._return(self.program.body.results)
        elif not self.f.block.terminated:
            self.impossible()
        self._error_block()
        self.f.entry.lines.append(f"%cells = alloca i64, i64 {self._cell_count}, align 8")
        if self._slot_count:
            self.f.entry.lines.append(f"%frame = alloca ptr, i64 {self._slot_count}, align 8")
            size = 8 * self._slot_count
            self._declared["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"] = None
            self.f.entry.lines.append(f"call void @llvm.memset.p0.i64(ptr %frame, i8 0, i64 {size}, i1 false)")
        parts = [_DECLARATIONS, *self._declared, *self._globals, self.f.text(), BRANCH_WEIGHTS, *self._metadata]
        return "\n".join(parts) + "\n"

    def unbox_param(self, type: Type, pointer: V) -> Rep:
        """A parameter, which the caller has checked to be exactly of this type."""
        if isinstance(type, ArrayType):
            return array_ref(self.f, type, pointer)
        if not in_register(type):
            return Boxed(pointer)
        if type == NumberType("bool"):
            true = self.symbol("object.True")
            return Register(Element(self.f.compare("icmp eq", pointer, true), BOOL))
        if type == NumberType("int"):
            return Register(Element(self._small_int(pointer), type.dtype))
        return Register(load(self.f, type.dtype, self.f.offset(pointer, i64(16))))  # type: ignore[union-attr]

    def _small_int(self, pointer: V) -> V:
        """The value of a Python int; one beyond 64 bits is an error."""
        self.declare("declare i64 @PyLong_AsLongLong(ptr)")
        self.declare("declare ptr @PyErr_Occurred()")
        found = self.f.call("i64", "PyLong_AsLongLong", (pointer,))
        suspicious = self.f.compare("icmp eq", found, i64(-1))
        check, fine = self.f.label("check"), self.f.label("fine")
        self.f.branch(suspicious, check, fine, likely=False)
        self.f.at(check)
        self.fail_if(self.f.compare("icmp ne", self.f.call("ptr", "PyErr_Occurred", ()), NULL), None)
        self.f.jump(fine)
        self.f.at(fine)
        return found

    def _return(self, results: tuple[Value, ...]) -> None:
        f = self.f
        places: list[int] = []
        for position, value in enumerate(results):
            rep = self.reps[value]
            whole = isinstance(rep, Boxed) or (isinstance(rep, ArrayRef) and rep.exact == TRUE)
            if whole and value in self.slots and value not in results[position + 1 :]:
                places.append(self.slots[value])  # handed on
                continue
            pointer, owned = self.box(rep, value.type, None)
            if not owned:
                f.call("void", "Py_IncRef", (pointer,))
            places.append(self.hold(pointer))
        result = f.call("ptr", "PyList_New", (i64(len(results)),))
        self.fail_if(f.compare("icmp eq", result, NULL), None)
        for position, slot in enumerate(places):
            f.call("i32", "PyList_SetItem", (result, i64(position), self.slot_take(slot)))
        for value in dict.fromkeys(results):
            if value in self.slots and self.slots[value] not in places:
                self.release(self.slots[value])
        f.ret(result)

    def _error_block(self) -> None:
        f = self.f
        f.at(self.error)
        if not self._errors:
            return f.unreachable()
        site = f.phi("i64")
        f.complete(self.error, site, self._errors)
        f.call("void", "rt_fail", (f.params[0], site))
        if self._slot_count:
            f.call("void", "rt_release", (self.frame, i64(self._slot_count)))
        return f.ret(NULL)

    # -- names of things outside -----------------------------------------------------------------------

    def declare(self, text: str) -> None:
        self._declared[text] = None

    def symbol(self, name: str) -> V:
        if not any(f"@{name} =" in line for line in (_DECLARATIONS, *self._declared)):
            self.declare(f"@{name} = external global i8")
        return V("ptr", f"@{name}")

    def object(self, item: object, name: str = "object") -> V:
        """The address of a Python object, which is kept alive with the code."""
        known = self._object_names.get(id(item))
        if known is None:
            label = f"{''.join(c if c.isalnum() else '_' for c in name)}.{len(self.kept)}"
            self.kept.append(item)
            self.symbols[label] = id(item)
            self.declare(f"@{label} = external global i8")
            known = self._object_names[id(item)] = V("ptr", f"@{label}")
        return known

    def outside(self, address: int, name: str) -> V:
        """A function of somebody else's, by address."""
        label = f"{name}.{address:x}"
        self.symbols[label] = address
        self.declare(f"declare void @{label}(ptr, ptr, ptr, ptr)")
        return V("ptr", f"@{label}")

    def string(self, text: str) -> V:
        if text not in self._strings:
            name = f"@text.{len(self._strings)}"
            data = text.encode() + b"\0"
            shown = "".join(f"\\{byte:02X}" if byte < 32 or byte > 126 or byte in b'"\\' else chr(byte) for byte in data)
            self._globals.append(f'{name} = private constant [{len(data)} x i8] c"{shown}"')
            self._strings[text] = V("ptr", name)
        return self._strings[text]

    def numbers(self, items: Sequence[int]) -> V:
        """The address of a constant array of i64."""
        if not items:
            return NULL
        name = f"@numbers.{len(self._globals)}"
        self._globals.append(
            f"{name} = private constant [{len(items)} x i64] [{', '.join(f'i64 {n}' for n in items)}]"
        )
        return V("ptr", name)

    def metadata(self, text: str) -> str:
        """A new metadata node; SELF in the text stands for itself."""
        name = f"!{10 + len(self._metadata)}"
        self._metadata.append(f"{name} = {text.replace('SELF', name)}")
        return name

    # -- errors ----------------------------------------------------------------------------------------

    def site(self, location: Location | None) -> V:
        if not self.sites or self.sites[-1] != location:
            self.sites.append(location)
        return i64(len(self.sites) - 1)

    def fail(self, location: Location | None) -> None:
        """An exception is set: leave."""
        if not self.f.block.terminated:
            self._errors.append((self.site(location), self.f.block))
            self.f.jump(self.error)

    def fail_if(self, condition: V, location: Location | None) -> None:
        failed, fine = self.f.label("failed"), self.f.label("fine")
        self.f.branch(condition, failed, fine, likely=False)
        with self.f.aside(failed):
            self.fail(location)
        self.f.at(fine)

    def impossible(self) -> None:
        """The end of a block that was said to raise."""
        message = self.string("a block that has to raise came to its end")
        self.f.call("void", "PyErr_SetString", (self.symbol("error.SystemError"), message))
        self.fail(None)

    # -- ownership -------------------------------------------------------------------------------------

    def new_slot(self) -> int:
        self._slot_count += 1
        return self._slot_count - 1

    def slot_at(self, slot: int) -> V:
        return self.f.offset(self.frame, i64(slot), "ptr")

    def hold(self, pointer: V, slot: int | None = None) -> int:
        """Put an owned reference into the frame."""
        slot = self.new_slot() if slot is None else slot
        self.f.store(pointer, self.slot_at(slot))
        return slot

    def slot_take(self, slot: int) -> V:
        """Take the reference out of the frame: now the caller owns it."""
        at = self.slot_at(slot)
        pointer = self.f.load("ptr", at)
        self.f.store(NULL, at)
        return pointer

    def release(self, slot: int) -> None:
        self.f.call("void", "Py_DecRef", (self.slot_take(slot),))

    def bind(self, value: Value, rep: Rep) -> None:
        """A value that was just made; where it refers to an object, the reference is owned."""
        self.reps[value] = rep
        pointer = reference(rep)
        if pointer is not None:
            self.slots[value] = self.hold(pointer)

    def let_die(self, values: Sequence[Value]) -> None:
        for value in values:
            slot = self.slots.get(value)
            if slot is not None:
                self.release(slot)

    def take(self, boxed: tuple[V, bool]) -> int:
        """Hold a reference to the object, in a slot of its own."""
        pointer, owned = boxed
        if not owned:
            self.f.call("void", "Py_IncRef", (pointer,))
        return self.hold(pointer)

    # -- boxing ----------------------------------------------------------------------------------------

    def cell(self, position: int) -> V:
        self._cell_count = max(self._cell_count, position + 1)
        return self.f.offset(self.cells, i64(position), "i64")

    def code_of(self, type: Type) -> int:
        """See support.ll."""
        if isinstance(type, ArrayType):
            return 4
        if not in_register(type):
            return 0
        if isinstance(type, NumberType):
            return {"int": 1, "float": 2, "bool": 3}[type.kind]
        self.kept.append(type.dtype)  # type: ignore[union-attr]
        return id(type.dtype)  # type: ignore[union-attr]

    def box(self, rep: Rep, type: Type, location: Location | None) -> tuple[V, bool]:
        """The object for a value, and whether the reference is a new one."""
        f = self.f
        if isinstance(rep, Boxed):
            return rep.pointer, False
        if isinstance(rep, ArrayRef):
            return self.materialise(rep, location)
        cell = self.cell(0)
        store(f, rep.element, cell)
        pointer = f.call("ptr", "rt_box", (i64(self.code_of(type)), cell))
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
        made = f.call("ptr", "rt_view", (rep.holder, descr, i32(rank), shape, strides, rep.data, rep.writable))
        self.fail_if(f.compare("icmp eq", made, NULL), location)
        return made

    # -- calls of Python -------------------------------------------------------------------------------

    def call_python(
        self,
        function: Callable[..., Any],
        inputs: Sequence[tuple[Rep, Type]],
        keywords: dict[str, Any],
        outputs: Sequence[Type],
        location: Location | None,
        raises: bool = False,
    ) -> list[Rep]:
        """Call a Python function with values of the graph. New references are *not* yet held."""
        f = self.f
        codes: list[int] = []
        temporary: list[int] = []
        contents: list[Element | V] = []
        for rep, type in inputs:
            if isinstance(rep, Register):
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
        codes += [self.code_of(type) for type in outputs]
        self.cell(len(codes))
        name = getattr(function, "__name__", "function")
        names = self.object(tuple(keywords), "names") if keywords else NULL
        status = f.call(
            "i32",
            "rt_raise" if raises else "rt_call",
            (
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

    def _results(self, outputs: Sequence[Type], first: int, location: Location | None) -> list[Rep]:
        f = self.f
        reps: list[Rep] = []
        for position, type in enumerate(outputs, first):
            if in_register(type):
                reps.append(Register(load(f, type.dtype, self.cell(position))))  # type: ignore[union-attr]
                continue
            pointer = f.load("ptr", self.cell(position))
            if isinstance(type, ArrayType):
                self._check_array(type, pointer, location)
                reps.append(array_ref(f, type, pointer))
            else:
                reps.append(Boxed(pointer))
        return reps

    def _check_array(self, type: ArrayType, pointer: V, location: Location | None) -> None:
        f = self.f
        dims = self.numbers([-1 if n is None else n for n in type.shape])
        arguments = (pointer, i32(type.dtype.num), i32(type.ndim), dims, self.string(str(type)))
        status = f.call("i32", "rt_check_array", arguments)
        self.fail_if(f.compare("icmp ne", status, i32(0)), location)

    def kernel_of(self, op: Operation) -> tuple[Callable[..., Any], dict[str, Any]]:
        """The Python function that does the operation, and its keyword arguments."""
        if op.name == "getitem":
            return specialise_getitem(op.attributes["index"]), {}
        if op.name == "setitem":
            return specialise_setitem(op.attributes["index"]), {}
        kernel = REGISTRY[op.name].kernel
        assert kernel is not None, f"{op.name} has no kernel"
        return kernel, op.attributes

    def call_kernel(self, op: Operation, raises: bool = False) -> list[Rep]:
        function, keywords = self.kernel_of(op)
        inputs = [(self.reps[v], v.type) for v in op.inputs]
        return self.call_python(function, inputs, keywords, [v.type for v in op.outputs], op.location, raises)

    # -- statements ------------------------------------------------------------------------------------

    def body(self, body: Body) -> None:
        self.let_die(body.unused)
        for statement in body.statements:
            self.statement(statement)
            self.let_die(statement.dies)

    def statement(self, statement: Statement) -> None:
        if isinstance(statement, Nest):
            return nests.emit(self, statement)
        if isinstance(statement, Control):
            return {"if": self._if, "while": self._loop, "for": self._loop}[statement.operation.name](statement)
        return self._single(statement)

    def _single(self, statement: Single) -> None:
        op, how = statement.operation, statement.how
        if how == "constant":
            self._constant(op)
        elif how == "register":
            self._register(op)
        elif how == "length":
            rep = self.reps[op.inputs[0]]
            assert isinstance(rep, ArrayRef)
            axis = op.attributes["axis"] % rep.type.ndim
            self.reps[op.output] = Register(Element(rep.dims[axis], op.output.type.dtype))  # type: ignore[union-attr]
        elif how in ("load", "store", "view"):
            getattr(items, how)(self, op)
        else:
            for value, rep in zip(op.outputs, self.call_kernel(op), strict=True):
                self.bind(value, rep)

    def _constant(self, op: Operation) -> None:
        item, type = op.attributes["value"], op.output.type
        if in_register(type):
            b = LlvmElements(self.f, self.declare, {}, type.dtype)  # type: ignore[union-attr]
            self.reps[op.output] = Register(b.constant(item, type.dtype))  # type: ignore[union-attr]
        elif isinstance(type, ArrayType):
            self.reps[op.output] = array_ref(self.f, type, self.object(item, "constant"))
        else:
            self.reps[op.output] = Boxed(self.object(item, "constant"))

    def _register(self, op: Operation) -> None:
        """An operation on numbers in registers."""
        slow = SlowPath(self, op)
        b = LlvmElements(self.f, self.declare, op.attributes, op.outputs[0].type.dtype, slow.jump_if)  # type: ignore[union-attr]
        operands = []
        for value, dtype in zip(op.inputs, operand_types_of(op), strict=True):
            operands.append(self.operand(self.reps[value], value.type, dtype, slow.jump_if))
        place = numpy_loop(op, operand_types_of(op))
        found = self.call_loop(op, place, operands) if place else REGISTRY[op.name].native(b, *operands)  # type: ignore[misc]
        elements = found if isinstance(found, tuple) and not isinstance(found, Element) else (found,)
        typed = [convert(self.f, e, v.type.dtype) for e, v in zip(elements, op.outputs, strict=True)]  # type: ignore[union-attr]
        for value, rep in zip(op.outputs, slow.finish([Register(e) for e in typed]), strict=True):
            self.reps[value] = rep

    def call_loop(self, op: Operation, place: tuple[int, int], operands: Sequence[Element]) -> Element:
        """NumPy's own loop over one element, so that a scalar gives what an array would."""
        f, dtype = self.f, op.output.type.dtype  # type: ignore[union-attr]
        cells = [f.alloca("i64") for _ in range(len(operands) + 1)]
        for cell, element in zip(cells, operands, strict=False):
            store(f, element, cell)
        self.emit_loop_call(op, place, [(cell, i64(0)) for cell in cells], i64(1))
        return load(f, dtype, cells[-1])

    def emit_loop_call(
        self, op: Operation, place: tuple[int, int], operands: Sequence[tuple[V, V]], length: V
    ) -> None:
        """Call one of NumPy's loops on (address, step in bytes) of operands and result."""
        f = self.f
        addresses, steps, count = f.alloca("ptr", len(operands)), f.alloca("i64", len(operands)), f.alloca("i64")
        for k, (pointer, step) in enumerate(operands):
            f.store(pointer, f.offset(addresses, i64(k), "ptr"))
            f.store(step, f.offset(steps, i64(k), "i64"))
        f.store(length, count)
        address, data = place
        function = self.outside(address, f"loop.{op.name}")
        where = V("ptr", f"inttoptr (i64 {data} to ptr)") if data else NULL
        f.line(f"call void {function.ref}({addresses}, {count}, {steps}, {where})")

    def operand(self, rep: Rep, type: Type, dtype: Any, slow_if: Callable[[V, bool], None] | None) -> Element:
        """A number (or the element of a 0-d array), converted to the dtype that an operation computes in."""
        if isinstance(rep, ArrayRef):
            element = load(self.f, type.dtype, rep.data)  # type: ignore[union-attr]
        else:
            assert isinstance(rep, Register)
            element = rep.element
        if type == NumberType("int") and dtype.kind in "iu" and dtype.name != "int64" and slow_if is not None:
            slow_if(out_of_range(self.f, element, dtype), False)
        return convert(self.f, element, dtype)

    # -- control flow ----------------------------------------------------------------------------------

    def truth(self, value: Value, location: Location | None) -> V:
        rep = self.reps[value]
        if isinstance(rep, Register):
            return convert(self.f, rep.element, BOOL).value
        pointer, owned = self.box(rep, value.type, location)
        slot = self.hold(pointer) if owned else None
        found = self.f.call("i32", "PyObject_IsTrue", (pointer,))
        if slot is not None:
            self.release(slot)
        self.fail_if(self.f.compare("icmp slt", found, i32(0)), location)
        return self.f.compare("icmp ne", found, i32(0))

    def _yield(self, body: Body) -> tuple[list[tuple[V, ...]], list[int | None]]:
        """What a block hands on: registers, and for each reference a slot that holds it."""
        parts: list[tuple[V, ...]] = []
        slots: list[int | None] = []
        own = set(body.params).union(*[s.made() for s in body.statements])
        for position, value in enumerate(body.results):
            parts.append(components(self.reps[value]))
            pointer = reference(self.reps[value])
            if pointer is None:
                slots.append(None)
            elif value in own and value in self.slots and value not in body.results[position + 1 :]:
                slots.append(self.slots[value])
            else:
                self.f.call("void", "Py_IncRef", (pointer,))
                slots.append(self.hold(pointer))
        return parts, slots

    def _if(self, statement: Control) -> None:
        f, op = self.f, statement.operation
        labels = [f.label("then"), f.label("else")]
        join = f.label("join")
        f.branch(self.truth(op.inputs[0], op.location), *labels)
        shared = [self.new_slot() if has_reference(v.type) else None for v in op.outputs]
        incoming: list[tuple[Label, list[tuple[V, ...]]]] = []
        for label, body in zip(labels, statement.bodies, strict=True):
            f.at(label)
            self.body(body)
            if body.ends == "never":
                self.impossible()
                continue
            parts, slots = self._yield(body)
            for slot, target in zip(slots, shared, strict=True):
                if slot is not None:
                    assert target is not None
                    f.store(self.slot_take(slot), self.slot_at(target))
            incoming.append((f.block, parts))
            f.jump(join)
        f.at(join)
        for position, value in enumerate(op.outputs):
            types = component_types(value.type)
            merged = []
            for k, type in enumerate(types):
                choices = [(parts[position][k], label) for label, parts in incoming]
                merged.append(self._merge(join, type, choices))
            self.reps[value] = from_components(value.type, tuple(merged))
            if shared[position] is not None:
                self.slots[value] = shared[position]  # type: ignore[assignment]
        if not incoming:
            f.unreachable()

    def _merge(self, join: Label, type: str, choices: list[tuple[V, Label]]) -> V:
        if not choices:
            return V(type, "poison")
        if all(v == choices[0][0] for v, _ in choices):
            return choices[0][0]
        phi = self.f.phi(type)
        self.f.complete(join, phi, choices)
        return phi

    def _loop(self, statement: Control) -> None:
        """``while`` and ``for``. The carried references live in the loop's own slots."""
        f, op = self.f, statement.operation
        counted = op.name == "for"
        initial = op.inputs[3:] if counted else op.inputs
        bounds = self._range(op) if counted else None
        slots = self._enter_loop(statement, initial)
        entry, header = f.block, f.label("loop")
        test_body = statement.bodies[0] if len(statement.bodies) == 2 else None
        main = statement.bodies[-1]
        f.jump(header)
        f.at(header)
        ticks = f.phi("i64")
        count = f.phi("i64") if counted else None
        index = f.phi("i64") if counted else None
        types = [component_types(v.type) for v in op.outputs]
        phis = [tuple([f.phi(type) for type in kinds]) for kinds in types]
        state = [from_components(v.type, parts) for v, parts in zip(op.outputs, phis, strict=True)]
        inside, done = f.label("body"), f.label("done")
        if bounds is not None:
            more = f.label("more") if test_body is not None else inside
            f.branch(f.compare("icmp ult", count, bounds[1]), more, done)  # type: ignore[arg-type]
            if test_body is not None:
                f.at(more)
        if test_body is not None:
            self._enter_block(test_body, index, state, None)
            self.body(test_body)
            if test_body.ends == "never":
                self.impossible()
            else:
                result = test_body.results[0]
                go_on = self.truth(result, op.location)
                f.branch(go_on, inside, done)
        f.at(inside)
        self._enter_block(main, index, state, slots)
        self.body(main)
        edges: list[tuple[Label, list[tuple[V, ...]]]] = [(entry, [components(self._initial(v, o)) for v, o in zip(initial, op.outputs, strict=True)])]
        advance: list[tuple[V, V]] = []
        if main.ends == "never":
            self.impossible()
        else:
            parts = self._carry(main, slots)
            next_tick = f.binary("add", ticks, i64(1))
            self._check_signals(next_tick, op.location)
            advance.append((ticks, next_tick))
            if counted:
                assert count is not None and index is not None and bounds is not None
                advance.append((count, f.binary("add nuw", count, i64(1))))
                advance.append((index, f.binary("add", index, bounds[2])))
            edges.append((f.block, parts))
            latch = f.block
            f.jump(header)
        starts = {ticks: i64(0)}
        if counted:
            starts |= {count: i64(0), index: bounds[0]}  # type: ignore[dict-item,index]
        after = dict(advance)
        for phi, start in starts.items():
            incoming = [(start, entry)] + ([(after[phi], latch)] if phi in after else [])
            f.complete(header, phi, incoming)
        for position, kinds in enumerate(phis):
            for k, phi in enumerate(kinds):
                f.complete(header, phi, [(parts[position][k], label) for label, parts in edges])
        f.at(done)
        for value, rep, slot in zip(op.outputs, state, slots, strict=True):
            self.reps[value] = rep
            if slot is not None:
                self.slots[value] = slot

    def _initial(self, value: Value, output: Value) -> Rep:
        return self.reps[value]

    def _enter_loop(self, statement: Control, initial: Sequence[Value]) -> list[int | None]:
        """Slots for what the loop carries, filled with the initial references."""
        inside = dict.fromkeys(v for body in statement.bodies for v in used_from_outside(body))
        slots: list[int | None] = []
        for value in initial:
            pointer = reference(self.reps[value])
            if pointer is None:
                slots.append(None)
                continue
            moves = value in statement.dies and value in self.slots and value not in inside
            if moves and list(initial).count(value) == 1:
                slots.append(self.hold(self.slot_take(self.slots[value])))
            else:
                self.f.call("void", "Py_IncRef", (pointer,))
                slots.append(self.hold(pointer))
        return slots

    def _enter_block(self, body: Body, index: V | None, state: list[Rep], slots: list[int | None] | None) -> None:
        params = list(body.params)
        if index is not None:
            first = params.pop(0)
            self.reps[first] = Register(Element(index, first.type.dtype))  # type: ignore[union-attr]
        for position, (param, rep) in enumerate(zip(params, state, strict=True)):
            self.reps[param] = rep
            if slots is not None and slots[position] is not None:
                self.slots[param] = slots[position]  # type: ignore[assignment]

    def _carry(self, main: Body, slots: list[int | None]) -> list[tuple[V, ...]]:
        """Hand the results of an iteration to the next one."""
        parts, found = self._yield(main)
        moved = [self.slot_take(slot) if slot is not None else None for slot in found]
        for pointer, slot in zip(moved, slots, strict=True):
            if pointer is not None:
                assert slot is not None
                self.hold(pointer, slot)
        return parts

    def _check_signals(self, tick: V, location: Location | None) -> None:
        f = self.f
        look, fine = f.label("signals"), f.label("next")
        masked = f.binary("and", tick, i64(SIGNAL_INTERVAL - 1))
        f.branch(f.compare("icmp eq", masked, i64(0)), look, fine, likely=False)
        f.at(look)
        status = f.call("i32", "PyErr_CheckSignals", ())
        self.fail_if(f.compare("icmp ne", status, i32(0)), location)
        f.jump(fine)
        f.at(fine)

    def _range(self, op: Operation) -> tuple[V, V, V]:
        """Start, number of iterations and step of ``range(start, stop, step)``."""
        f = self.f
        start, stop, step = [self.reps[v].element.value for v in op.inputs[:3]]  # type: ignore[union-attr]
        zero = i64(0)
        is_zero = f.compare("icmp eq", step, zero)
        failed, fine = f.label("zero"), f.label("range")
        f.branch(is_zero, failed, fine, likely=False)
        with f.aside(failed):
            text = self.string("range() arg 3 must not be zero")
            f.call("void", "PyErr_SetString", (self.symbol("error.ValueError"), text))
            self.fail(op.location)
        f.at(fine)
        up = f.compare("icmp sgt", step, zero)
        distance = f.select(up, f.binary("sub", stop, start), f.binary("sub", start, stop))
        some = f.select(up, f.compare("icmp slt", start, stop), f.compare("icmp sgt", start, stop))
        size = f.select(up, step, f.binary("sub", zero, step))
        count = f.binary("add", f.binary("udiv", f.binary("sub", distance, i64(1)), size), i64(1))
        return start, f.select(some, count, zero), step


class SlowPath:
    """The cold way of one operation: its kernel is called where machine code does not apply."""

    def __init__(self, code: Codegen, op: Operation) -> None:
        self.code = code
        self.op = op
        self.raising: Label | None = None
        self.calling: Label | None = None

    def jump_if(self, condition: V, raises: bool = False) -> None:
        """Where the condition holds, the kernel decides. ``raises``: it is known to raise."""
        f = self.code.f
        if raises:
            self.raising = target = self.raising or f.label("raise")
        else:
            self.calling = target = self.calling or f.label("slow")
        go_on = f.label("fast")
        f.branch(condition, target, go_on, likely=False)
        f.at(go_on)

    def finish(self, fast: list[Rep]) -> list[Rep]:
        """Write the cold blocks; the results of whichever way was taken."""
        f, code = self.code.f, self.code
        if self.raising is not None:
            with f.aside(self.raising):
                code.call_kernel(self.op, raises=True)
        if self.calling is None:
            return fast
        join, fast_end = f.label("join"), f.block
        f.jump(join)
        f.at(self.calling)
        slow = code.call_kernel(self.op)
        slow_end = f.block
        f.jump(join)
        f.at(join)
        merged = []
        for value, a, b in zip(self.op.outputs, fast, slow, strict=True):
            parts = []
            for type, x, y in zip(component_types(value.type), components(a), components(b), strict=True):
                parts.append(code._merge(join, type, [(x, fast_end), (y, slow_end)]))
            merged.append(from_components(value.type, tuple(parts)))
        return merged


def out_of_range(f: FunctionWriter, x: Element, dtype: Any) -> V:
    """Does an int64 not fit the integer dtype?"""
    narrow = convert(f, x, dtype)
    back = convert(f, narrow, x.dtype)
    wrong = f.compare("icmp ne", back.value, x.value)
    if dtype.name == "uint64":
        return f.compare("icmp slt", x.value, i64(0))
    return wrong


__all__ = ["Codegen", "SlowPath", "is_native_array", "register_type"]
