"""``try`` in machine code: an exception is a jump to the handler.

    entry ---> body ---- end ----------------------------> join
                 |                                           ^
                 | an operation fails                        |
                 v                                           |
               pad: takes the exception ---> handler -- end -+
                 |                              |
                 | a refusal                    | it fails
                 v                              v
               the pad around, or the end of the function

A *landing* stores what the handler would get now (`handlers/regions.py`) in variables of the function; LLVM
makes registers of them. Nothing that the body uses from outside dies in it, and what it made and still
holds is given back at the pad. While the handler runs, its exception is the one that Python handles, so that
it is the context of others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.errors import AutographError
from autograph.records import record
from runtime.engines import tracebacks
from runtime.engines.native.control import hand_on, merge_results
from runtime.engines.native.elements import BOOL, Element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.frame import Failures
from runtime.engines.native.ir import FALSE, NULL, TRUE, Label, V, i32, i64
from runtime.engines.native.loops import Body, Control, Single, walk
from runtime.engines.native.objects.building import build_part
from runtime.engines.native.values import (
    Boxed,
    Register,
    component_types,
    components,
    from_components,
    has_reference,
    in_register,
    reference,
)
from runtime.graph import Location, Operation, Value
from runtime.ops.template import Hole
from runtime.types import EXCEPTION, STR

#: an exception that goes on has its lines already
_ALREADY = Location("", 0)


@record
class Landed:
    """What the last landing has kept for the handler of a ``try``."""

    variables: list[list[V]]  # for each parameter, those of its registers
    slots: list[int | None]
    any: V  # was there a landing?


def emit_try(code: Codegen, statement: Control) -> None:
    f, op = code.f, statement.operation
    body, handler = statement.bodies
    landed = code.landed[op.attributes["region"]] = _room(code, handler.params[1:])
    shared = [code.new_slot() if has_reference(v.type) else None for v in op.outputs]
    objects, first = dict(code.objects), code.slot_count
    join, incoming = f.label("join"), list[tuple[Label, list[tuple[V, ...]]]]()
    with code.catching() as failures:
        code.body(body)
        hand_on(code, body, shared, join, incoming, lambda: _forget(code, landed))
    if failures.sites:
        made = range(first, code.slot_count)
        code.objects = objects.copy()
        raised_at = _take(code, op, handler, landed, failures, made)
        end = _handling(code, op, handler, raised_at)
        with code.catching() as again:
            code.body(handler)
            if handler.ends == "never":
                code.impossible()
        if handler.ends != "never":
            hand_on(code, handler, shared, join, incoming, lambda: end(None))
        if again.sites:
            end(code.failed(again))
            f.unreachable()
    code.objects = objects
    merge_results(code, op, shared, join, incoming)


def _room(code: Codegen, params: list[Value]) -> Landed:
    f = code.f
    variables = [[f.alloca(type) for type in component_types(param.type)] for param in params]
    slots = [code.new_slot() if has_reference(param.type) else None for param in params]
    landed = Landed(variables, slots, f.alloca("i1"))
    f.store(FALSE, landed.any)
    return landed


def emit_landing(code: Codegen, op: Operation) -> None:
    """Keep what the handler would get now."""
    landed = code.landed[op.attributes["region"]]
    for value, variables, slot in zip(op.inputs, landed.variables, landed.slots, strict=True):
        rep = code.reps[value]
        for part, variable in zip(components(rep), variables, strict=True):
            code.f.store(part, variable)
        pointer = reference(rep)
        if slot is not None:
            assert pointer is not None
            code.f.call("void", "Py_IncRef", (pointer,))
            before = code.slot_take(slot)
            code.hold(pointer, slot)
            code.f.call("void", "Py_DecRef", (before,))
    code.f.store(TRUE, landed.any)


#: classes of Python's whose exceptions hold what they are called with
_PLAIN = frozenset({
    Exception, ArithmeticError, AssertionError, BufferError, EOFError, FloatingPointError, IndexError,
    KeyError, LookupError, NotImplementedError, OverflowError, RecursionError, RuntimeError, TypeError,
    ValueError, ZeroDivisionError,
})  # fmt: skip


def runs_in_machine_code(op: Operation) -> bool:
    """Is it a `raise` of one of Python's classes with one argument or none, or the test of an `except`?"""
    if not op.is_raise:
        classes = op.attributes["types"]
        classes = classes if isinstance(classes, tuple) else (classes,)
        return op.inputs[0].type == EXCEPTION and all(type(cls) is type for cls in classes)
    if op.attributes.get("exception") not in _PLAIN:
        return False
    structure = op.attributes["template"].structure
    if not (type(structure) is tuple and len(structure) == 2):
        return False
    args, kwargs = structure
    return not kwargs and (not args or (len(args) == 1 and _is_plain(args[0], op)))


def _is_plain(argument: Any, op: Operation) -> bool:
    kind = op.inputs[argument.index].type if isinstance(argument, Hole) else None
    return type(argument) is str or kind == STR or (kind is not None and in_register(kind))


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these."""
    f = code.f
    if not op.is_raise:
        code.declare("declare i32 @PyErr_GivenExceptionMatches(ptr, ptr)")
        error, classes = reference(code.reps[op.inputs[0]]), code.object(op.attributes["types"], "classes")
        assert error is not None
        found = f.call("i32", "PyErr_GivenExceptionMatches", (error, classes))
        code.reps[op.output] = Register(Element(f.compare("icmp ne", found, i32(0)), BOOL))
        return None
    cls = code.object(op.attributes["exception"], op.attributes["exception"].__name__)
    args, _ = op.attributes["template"].structure
    if args:
        code.declare("declare void @PyErr_SetObject(ptr, ptr)")
        pointer, owned = build_part(code, args[0], op)
        slot = code.hold(pointer) if owned else None
        f.call("void", "PyErr_SetObject", (cls, pointer))
        if slot is not None:
            code.release(slot)
    else:
        code.declare("declare void @PyErr_SetNone(ptr)")
        f.call("void", "PyErr_SetNone", (cls,))
    return code.fail(op.location)


def _forget(code: Codegen, landed: Landed) -> None:
    """The body has come to its end: nobody gets what was kept."""
    for slot in landed.slots:
        if slot is not None:
            code.release(slot)


def _take(code: Codegen, op: Operation, handler: Body, landed: Landed, failures: Failures, made: range) -> V:
    """The pad: take the exception, and what the last landing has kept.

    The site where it was raised, if its lines are still to be noted: that takes longer than the rest, and
    nobody may ask. -1: it has them.
    """
    f, (error, *others) = code.f, handler.params
    site = code.failed(failures)
    if others:  # memory, or a signal, fails anywhere: what is not known, the handler cannot be given
        known, unknown = f.label("landed"), f.label("unknown")
        f.branch(f.load("i1", landed.any), known, unknown, likely=True)
        with f.aside(unknown):
            code.fail_at(site)
        f.at(known)
    cleans_up = op.attributes.get("cleans_up", False)
    handles = code.object(partial(_handles, code.sites, op.location, cleans_up), "try.handles")
    first = f.alloca("i64")
    is_seen = TRUE if _is_seen(handler, error) else FALSE
    exception = f.call("ptr", "rt_catch", (handles, site, is_seen, first))
    code.fail_if(f.compare("icmp eq", exception, NULL), _ALREADY)
    for slot in made:
        if not any(slot in spares.slots for spares in code.spares.values()):
            code.release(slot)
    code.bind(error, Boxed(exception))
    for param, variables, place in zip(others, landed.variables, landed.slots, strict=True):
        types = component_types(param.type)
        parts = [f.load(type, variable) for type, variable in zip(types, variables, strict=True)]
        code.reps[param] = from_components(param.type, tuple(parts))
        if place is not None:
            code.slots[param] = place
    return f.load("i64", first)


def _is_seen(handler: Body, error: Value) -> bool:
    """May the handler look at the traceback of the exception before it has come to its end?"""
    statements = [*walk(handler)]
    bodies = [handler, *(body for one in statements if isinstance(one, Control) for body in one.bodies)]
    users = {one.operation.name for one in statements if isinstance(one, Single) and error in one.used()}
    return not users <= {"is_instance", "raise"} or any(error in body.results for body in bodies)


def _handling(code: Codegen, op: Operation, handler: Body, first: V) -> Callable[[V | None], None]:
    """The handler begins. What writes its end, where it fails, with the site.

    The exception that it leaves has its lines then.
    """
    f, error = code.f, handler.params[0]
    exception = reference(code.reps[error])
    assert exception is not None
    before = code.hold(f.call("ptr", "PyErr_GetHandledException", ()))
    f.call("void", "PyErr_SetHandledException", (exception,))
    held = code.take((exception, False))
    cleans_up = op.attributes.get("cleans_up", False)

    def end(site: V | None) -> None:
        handled = code.slot_take(before)
        f.call("void", "PyErr_SetHandledException", (handled,))
        f.call("void", "Py_DecRef", (handled,))
        if site is None and not cleans_up:
            return code.release(held)
        ended = code.object(partial(_ended, code.sites, op.location), "try.ended")
        status = f.call("i32", "rt_ended", (ended, code.slot_take(held), first, site or i64(-1)))
        return code.fail_if(f.compare("icmp ne", status, i32(0)), _ALREADY)

    return end


def _handles(
    sites: list[Location | None],
    location: Location | None,
    cleans_up: bool,
    site: int,
    error: BaseException,
    is_seen: bool,
) -> bool:
    """Does the handler at a location get an exception that was raised at a site?

    No handler of the program catches a refusal. One that ``cleans_up`` runs before it passes: it is a
    ``finally``, or the exit of a ``with``. ``is_seen``: the exception is to have the user's lines now.
    """
    is_refusal = isinstance(error, AutographError)
    if is_seen or is_refusal:
        tracebacks.located(error, sites[site])
    if is_seen and not is_refusal:
        tracebacks.caught(error, location)
    return cleans_up or not is_refusal


def _ended(
    sites: list[Location | None],
    location: Location | None,
    caught: BaseException,
    first: int,
    site: int,
    error: BaseException | None,
) -> BaseException | None:
    """What is raised after a handler that failed at a site, or that cleans up."""
    is_refusal = isinstance(caught, AutographError)
    if first >= 0 and not is_refusal:
        tracebacks.caught(tracebacks.located(caught, sites[first]), location)
    if error is not None:
        tracebacks.located(error, sites[site])
    if not is_refusal:
        return error
    if error is not None and error is not caught:
        caught.add_note(f"While this passed, the program raised {type(error).__name__}: {error}")
    return caught
