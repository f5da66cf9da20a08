"""Loop-nest form -> LLVM: parameters, statements, results.

One LLVM function per graph, with the addresses of its arguments, which it borrows, and room for its results,
which it makes; support_failures.ll has what stands around it for those who have lists:

    int entry_body(PyObject *state, PyObject **arguments, PyObject **results)    0, or -1 with an exception

Beside it: module.py (names of things outside), frame.py (ownership, errors), calls.py (Python is called),
control.py (if, while, for), looks.py (signals), tries.py (try), functions.py (calls inside the graph),
nests.py (loops over arrays), items.py (elements and slices).
"""

from __future__ import annotations

from runtime.engines.native import (
    buffers,
    control,
    functions,
    items,
    nests,
    stacks,
    tries,
)
from runtime.engines.native.arrays import let_die, release_spares
from runtime.engines.native.elements import BOOL, Element, LlvmElements, convert, load
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, TRUE, FunctionWriter, V, i32, i64
from runtime.engines.native.loops import Body, Control, Nest, Program, Single, Statement
from runtime.engines.native.lower import WRITERS
from runtime.engines.native.members import loop_of, operand_types_of, rule_of
from runtime.engines.native.objects import (
    boxes,
    building,
    instances,
    lists,
    texts,
)
from runtime.engines.native.slow_path import SlowPath, tally_of
from runtime.engines.native.values import ArrayRef, Boxed, Register, Rep, array_ref, in_register
from runtime.graph import Operation, Value
from runtime.graph.effects import effects_of
from runtime.ops.conversion import nobody_reads
from runtime.types import ArrayType, NumberType, Type


class ProgramCode(Codegen):
    """Writes the LLVM module of one program."""

    def __init__(self, program: Program) -> None:
        singles = [s for s in program.statements() if isinstance(s, Single)]
        handed_on = stacks.handed_on(program) if any(s.how == "stack" for s in singles) else set()
        reads_items = any(s.operation.is_item_of_list for s in singles)
        super().__init__(program, handed_on, building.put_again(program) if reads_items else set())
        self.is_long = program.is_long()

    def write(self) -> None:
        """Write all functions. Call once."""
        for name, function in self.program.functions.items():
            functions.define(self, name, function)
        self._entry(self.program.body)

    def _entry(self, body: Body) -> None:
        parameters = [("ptr", "state"), ("ptr", "arguments"), ("ptr", "results")]
        self.begin(FunctionWriter("entry_body", "i32", parameters), i32(-1))
        if self.program.functions:
            functions.enter(self)
        items = self.f.params[1]
        for position, param in enumerate(body.params):
            pointer = self.f.load("ptr", self.f.offset(items, i64(position), "ptr"))
            self.reps[param] = self.unbox_param(param.type, pointer)
        self.body(body)
        if body.ends == "yield":
            self._return(body.results)
        elif not self.f.block.terminated:
            self.impossible()
        self.finish()

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
        return Register(load(self.f, type.dtype, self.f.offset(pointer, i64(16))))

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
        if len(results) == 1 and isinstance(rep := self.reps[results[0]], Register):
            return self._return_number(rep.element, results[0].type)
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
        release_spares(self)
        for position, slot in enumerate(places):
            f.store(self.slot_take(slot), f.offset(f.params[2], i64(position), "ptr"))
        for value in dict.fromkeys(results):
            if value in self.slots and self.slots[value] not in places:
                self.release(self.slots[value])
        return f.ret(i32(0))

    def _return_number(self, number: Element, type: Type) -> None:
        """Return a number alone, which needs no slot of the frame."""
        release_spares(self)
        result = boxes.box_number(self, number, type)
        self.fail_if(self.f.compare("icmp eq", result, NULL), None)
        self.f.store(result, self.f.params[2])
        self.f.ret(i32(0))

    def body(self, body: Body) -> None:
        lent_before, objects_before = set(self.lent), set(self.objects)
        let_die(self, body.unused)
        for statement in body.statements:
            self._own_before(statement)
            if self.loops or isinstance(statement, Single) and statement.how in _QUIET:
                self.statement(statement)
            else:
                with self.f.part(of_parts=True):
                    self.statement(statement)
            let_die(self, statement.dies)
        for value in [value for value in self.objects if value not in objects_before]:
            if value in self.objects:
                self.end_object(value)
        self.own_lent(but=lent_before)

    def _own_before(self, statement: Statement) -> None:
        """What is lent stays so across what surely takes nothing out of a container."""
        if self.region is not None:
            return
        effect = _takes_out(statement)
        if effect != "none":
            self.own_lent(but=statement.dies if effect == "last" else ())

    def statement(self, statement: Statement) -> None:
        if isinstance(statement, Nest):
            return nests.emit(self, statement)
        if isinstance(statement, Control):
            emit = {"if": control.emit_if, "try": tries.emit_try}.get(statement.operation.name)
            return (emit or control.emit_loop)(self, statement)
        return self._single(statement)

    def _single(self, statement: Single) -> None:
        op, how = statement.operation, statement.how
        if how == "constant":
            value = nobody_reads(op.output.type) if op.is_undef else op.attributes["value"]
            self.reps[op.output] = boxes.constant(self, value, op.output.type)
        elif how == "register":
            self._register(op)
        elif how == "length":
            array = self.array_of(op.inputs[0])
            axis = op.attributes["axis"] % array.type.ndim
            self.reps[op.output] = Register(Element(array.dims[axis], op.output.dtype))
        elif how == "function":
            functions.call(self, op)
        elif how == "landing":
            tries.emit_landing(self, op)
        elif how == "text":
            texts.emit(self, op, statement.last_use)
        elif how in WRITERS:
            WRITERS[how].emit(self, op)
        elif how in ("load", "store", "view"):
            getattr(items, how)(self, op, statement.before)
        else:
            tally = tally_of(self, [op]) if self.loops and not effects_of(op).ordered else None
            for value, rep in zip(op.outputs, self.call_kernel(op, tally=tally), strict=True):
                self.bind(value, rep)

    def _register(self, op: Operation) -> None:
        """An operation on numbers in registers."""
        slow = SlowPath(self, op)
        b = LlvmElements(self.f, self.declare, op.attributes, op.outputs[0].dtype, slow.jump_if)
        operands = []
        for value, dtype in zip(op.inputs, operand_types_of(op), strict=True):
            operands.append(self.operand(self.reps[value], value.type, dtype, slow.jump_if))
        place = loop_of(op)
        found = self.call_loop(op, place, operands) if place else rule_of(op)(b, *operands)
        elements = found if isinstance(found, tuple) and not isinstance(found, Element) else (found,)
        typed = [convert(self.f, e, v.dtype) for e, v in zip(elements, op.outputs, strict=True)]
        for value, rep in zip(op.outputs, slow.finish([Register(e) for e in typed]), strict=True):
            self.reps[value] = rep


_QUIET = frozenset({"constant", "register", "length", "load", "store", "buffer", "complex"})


def _takes_out(statement: Statement) -> str:
    """See `lists.takes_out`."""
    if isinstance(statement, Single):
        if statement.how in ("list", "instance"):
            return (lists if statement.how == "list" else instances).takes_out(statement.operation)
        if statement.how == "landing":  # what was kept before may be the last reference
            return "none" if all(in_register(v.type) for v in statement.operation.inputs) else "any"
        makes = statement.how == "buffer" and buffers.makes(statement.operation)
        return "none" if statement.how in _QUIET and not makes else "any"
    if not isinstance(statement, Control) or not statement.operation.is_branch:
        return "any"
    inner = [one for body in statement.bodies for one in body.statements]
    quiet = all(
        _takes_out(one) == "none" and (_lends(one) or all(in_register(v.type) for v in one.made()))
        for one in inner
    )
    return "none" if quiet and all(in_register(v.type) for v in statement.made()) else "any"


def _lends(statement: Statement) -> bool:
    return isinstance(statement, Single) and statement.how == "list" and lists.lends(statement.operation)
