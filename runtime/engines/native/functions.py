"""Functions of a graph, which call one another: each becomes a function of machine code.

    define internal { i1, i64 } @function.fib(ptr %state, i64 %depth, i64 %floor, i64 %n)

It takes the registers of its arguments (references are borrowed) and returns those of its results (references
are the caller's), after a bit that says that an exception is set. ``depth`` is how many calls may still be
made inside of it; ``floor`` is the lowest address that the stack may reach. Beyond either: RecursionError.
"""

from __future__ import annotations

import ctypes

from runtime.engines import depth
from runtime.engines.native import looks
from runtime.engines.native.arrays import release_spares
from runtime.engines.native.control import yielded
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import FALSE, FunctionWriter, V, i64
from runtime.engines.native.loops import Body
from runtime.engines.native.values import component_types, components, from_components
from runtime.graph import Operation, Value
from runtime.types import INT

DEPTH, FLOOR, ADDRESS = V("i64", "%depth"), V("i64", "%floor"), V("i64", "%address")


def enter(code: Codegen) -> None:
    """In the function that Python calls: how deep the others may go."""
    f = code.f
    _know_bounds(f)
    f.entry.lines += [
        "%limit = call i32 @Py_GetRecursionLimit()",
        "%depth = sext i32 %limit to i64",
        "%here = alloca i8",
        "%address = ptrtoint ptr %here to i64",
    ]
    known = code.memory(ctypes.addressof(depth.MAIN_STACK), "stack")
    floor, end = f.load("i64", known), f.load("i64", f.offset(known, i64(1), "i64"))
    above, below = f.compare("icmp uge", ADDRESS, floor), f.compare("icmp ult", ADDRESS, end)
    is_main = f.binary("and", above, below)
    other, entered, here = f.label("other"), f.label("entered"), f.block
    f.branch(is_main, entered, other, likely=True)
    f.at(other)
    (found,) = code.call_python(depth.stack_floor, (), {}, (INT,), None)
    asked = f.block
    f.jump(entered)
    f.at(entered)
    f.block.lines.append(
        f"{FLOOR.ref} = phi i64 [ {floor.ref}, %{here.name} ], [ {components(found)[0].ref}, %{asked.name} ]"
    )


def _know_bounds(f: FunctionWriter) -> None:
    f.types |= dict.fromkeys(("depth", "floor", "address"), "i64")


def define(code: Codegen, name: str, body: Body) -> None:
    """Write the function of this name."""
    types = [
        (t, f"p{k}.{j}") for k, p in enumerate(body.params) for j, t in enumerate(component_types(p.type))
    ]
    result = result_type(body.results)
    parameters = [("ptr", "state"), ("i64", "depth"), ("i64", "floor"), *types]
    f = FunctionWriter(symbol(name), result, parameters, linkage="internal")
    code.begin(f, V(result, "{ i1 true" + "".join(f", {t} poison" for t in _components(body.results)) + " }"))
    _know_bounds(f)
    f.entry.lines += ["%here = alloca i8", "%address = ptrtoint ptr %here to i64"]
    given = iter(f.params[3:])
    for param in body.params:
        parts = tuple([next(given) for _ in component_types(param.type)])
        code.reps[param] = from_components(param.type, parts)
    looks.count_and_look(code, i64(looks.work_of([body]) or 1), None)
    code.body(body)
    if body.ends == "yield":
        _return(code, body, result)
    elif not f.block.terminated:
        code.impossible()
    code.finish()


def symbol(name: str) -> str:
    return f'"function.{name}"'


def result_type(results: tuple[Value, ...]) -> str:
    return "{ " + ", ".join(["i1", *_components(results)]) + " }"


def _components(values: tuple[Value, ...]) -> list[str]:
    return [t for value in values for t in component_types(value.type)]


def _return(code: Codegen, body: Body, result: str) -> None:
    f = code.f
    release_spares(code)
    parts, slots = yielded(code, body)
    for slot in slots:
        if slot is not None:
            code.slot_take(slot)  # the caller owns the reference now
    made = V(result, "poison")
    for k, part in enumerate([FALSE, *[v for registers in parts for v in registers]]):
        made = f.value(result, f"insertvalue {made}, {part}, {k}")
    f.ret(made)


def call(code: Codegen, op: Operation) -> None:
    """A call of a function of the graph."""
    f = code.f
    _check_depth(code, op)
    parts = [v for value in op.inputs for v in code.components(value)]
    deeper = f.binary("sub", DEPTH, i64(1))
    name = symbol(op.attributes["function"])
    body = code.program.functions[op.attributes["function"]]
    found = f.call(result_type(body.results), name, (f.params[0], deeper, FLOOR, *parts))
    code.fail_if(f.value("i1", f"extractvalue {found}, 0"), op.location)
    if body.ends == "never":
        return code.impossible()
    position = 1
    for value in op.outputs:
        types = component_types(value.type)
        registers = [f.value(t, f"extractvalue {found}, {position + k}") for k, t in enumerate(types)]
        position += len(types)
        code.bind(value, from_components(value.type, tuple(registers)))
    return None


def _check_depth(code: Codegen, op: Operation) -> None:
    f = code.f
    too_many = f.compare("icmp sle", DEPTH, i64(0))
    too_low = f.compare("icmp ult", ADDRESS, FLOOR)
    failed, fine = f.label("deep"), f.label("fine")
    f.branch(f.binary("or", too_many, too_low), failed, fine, likely=False)
    with f.aside(failed):
        text = code.string("maximum recursion depth exceeded")
        f.call("void", "PyErr_SetString", (code.symbol("error.RecursionError"), text))
        code.fail(op.location)
    f.at(fine)
