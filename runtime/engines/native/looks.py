"""Looks at what waits outside: a signal (Ctrl-C) ends a run in the middle, other threads want the GIL.

A run counts its work: an iteration of a loop counts the statements of its body, an element of a nest the
operations on it. It looks when WORK is done since it last did. A loop with nothing long inside looks by its
own counter, and adds to the work when it is left; so the loops around it look in time, too.

Loops that touch no object of Python's (only numbers, buffers and elements of arrays) give up the GIL at their
first look. They take it again for whatever is called there, which `FunctionWriter.call` sees to, and at their
end. So short runs pay nothing. Loops that make arrays, which are objects, keep it, and give others a turn
every 5 ms, as Python does: what an array holds stays where it is meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, i32, i64
from runtime.engines.native.loops import Body, Control, Nest, Single, Statement
from runtime.engines.native.values import in_register
from runtime.graph import Location
from runtime.types import ArrayType, Type, is_known

#: the error of a block of iterations that comes after one that has failed
STOPPED = "another block of iterations has failed"
#: so much work, of some nanoseconds at most each, is done between two looks
WORK = 1 << 18

_QUICK = frozenset(
    "constant register length load store view seen draw buffer stack landing complex instance ufunc".split()
)
_QUICK_OF_LISTS = frozenset("getitem setitem append pop length".split())
#: what may take as long as there is data
_LONG = frozenset("call product join list fold scan sorting builtin histogram".split())


_WITHOUT_OBJECTS = frozenset("constant register length load store buffer product complex".split())
_OF_ARRAYS = _WITHOUT_OBJECTS | frozenset("view seen join ufunc".split())


def touches_no_object(statement: Statement) -> bool:
    """Does all of it run without the GIL, but for what is seldom?"""
    return _touches(statement, _WITHOUT_OBJECTS, in_register)


def touches_arrays_alone(statement: Statement) -> bool:
    """Are arrays all that it touches of Python's objects?"""
    return _touches(statement, _OF_ARRAYS, lambda type: in_register(type) or isinstance(type, ArrayType))


def _touches(statement: Statement, hows: frozenset[str], fits: Callable[[Type], bool]) -> bool:
    if isinstance(statement, Single) and statement.how == "constant":
        return True
    if not all(fits(value.type) for value in statement.made()):
        return False
    if isinstance(statement, Control):
        inner = [one for body in statement.bodies for one in body.statements]
        return not statement.operation.is_try and all(_touches(one, hows, fits) for one in inner)
    return isinstance(statement, Nest) or statement.how in hows


@contextmanager
def without_gil(code: Codegen, wanted: bool = True) -> Iterator[None]:
    """What is written inside may give up the GIL at a look; afterwards the thread has it."""
    f = code.f
    if not wanted or f.saved is not None:
        yield
        return
    if code.saved is None:
        code.saved = f.alloca("i64", 2)
        f.entry.lines.append(f"store i64 0, {code.saved}")
    f.saved = code.saved
    yield
    f.saved = None
    take, held = f.label("take"), f.label("held")
    f.branch(f.compare("icmp eq", f.load("ptr", code.saved), NULL), held, take, likely=True)
    f.at(take)
    f.call("void", "rt_hold", (code.saved,))
    f.jump(held)
    f.at(held)


@contextmanager
def with_turns(code: Codegen, wanted: bool) -> Iterator[None]:
    """A look at what is written inside gives other threads a turn, where the GIL is held."""
    f = code.f
    if not wanted or f.turns is not None:
        yield
        return
    if code.turns is None:
        code.turns = f.alloca("i64", 3)
        f.entry.lines.append(f"store [3 x i64] zeroinitializer, {code.turns}")
    f.turns = code.turns
    yield
    f.turns = None


def work_of(bodies: Iterable[Body]) -> int | None:
    """What one run of these bodies counts; None where only the run knows, and counts it itself."""
    total = 1
    for statement in (statement for body in bodies for statement in body.statements):
        each = _work_of(statement)
        if each is None:
            return None
        total += each
    return min(total, WORK)


def _work_of(statement: Statement) -> int | None:
    if isinstance(statement, Nest):
        return work_of_nest(statement)
    if isinstance(statement, Control):
        return None if statement.operation.is_loop else work_of(statement.bodies)
    return None if statement.how == "function" else _work_of_single(statement)


def _work_of_single(statement: Single) -> int:
    kind, _, name = statement.operation.name.rpartition(".")
    if statement.how in _QUICK or (kind == "list" and name in _QUICK_OF_LISTS):
        return 1
    if statement.how == "product":
        shapes = [getattr(value.type, "shape", (None,)) for value in statement.operation.inputs]
        lengths = [*shapes[0], *shapes[-1][1:]]
        return WORK if None in lengths else min(math.prod(lengths), WORK)
    return WORK if statement.how in _LONG else WORK >> 6


def work_of_nest(nest: Nest) -> int | None:
    """What a nest counts where that is known and little."""
    work = known_work(nest)
    return work if work is not None and work < WORK else None


def known_work(nest: Nest) -> int | None:
    """The operations on elements in a nest."""
    return math.prod(nest.shape) * len(nest.members) if is_known(nest.shape) else None


def count(code: Codegen, amount: V) -> V:
    """Add to the work that was done since the last look."""
    f, at = code.f, _counter(code)
    work = f.binary("add", f.load("i64", at), amount)
    f.store(work, at)
    return work


def count_and_look(code: Codegen, amount: V, location: Location | None) -> None:
    """Add to the work, and look where that is due."""
    f = code.f
    work = count(code, amount)
    with _looking_if(code, f.compare("icmp sge", work, i64(WORK)), work, location):
        f.store(i64(0), _counter(code))


def look_by(code: Codegen, ticks: V, each: int, location: Location | None) -> None:
    """Look where a loop's own counter has come round; an iteration is so much work."""
    interval = WORK >> (each - 1).bit_length()
    masked = code.f.binary("and", ticks, i64(interval - 1))
    with _looking_if(code, code.f.compare("icmp eq", masked, i64(0)), i64(WORK), location):
        pass


@contextmanager
def _looking_if(code: Codegen, due: V, work: V, location: Location | None) -> Iterator[None]:
    """Where the condition holds: what is written inside, and a look after so much work."""
    f = code.f
    look, fine = f.label("look"), f.label("next")
    f.branch(due, look, fine, likely=False)
    f.at(look)
    yield
    if f.saved is not None:
        status = f.call("i32", "rt_look", (f.saved, work))
    elif f.turns is not None:
        status = f.call("i32", "rt_turn", (f.turns,))
    else:
        status = f.call("i32", "PyErr_CheckSignals", ())
    if code.region is None:
        code.fail_if(f.compare("icmp ne", status, i32(0)), location)
    else:
        _end_or_stop(code, code.region, status, location)
    f.jump(fine)
    f.at(fine)


def _end_or_stop(code: Codegen, first: V, status: V, location: Location | None) -> None:
    """In a block of iterations (regions.py): a signal's handler that has raised stops all blocks, one that
    has failed those behind it. Of these nobody sees the error."""
    f, task = code.f, V("ptr", "%task")
    at = f.offset(task, i64(1), "i64")
    failed, on = f.label("failed"), f.label("on")
    f.branch(f.compare("icmp ne", status, i32(0)), failed, on, likely=False)
    with f.aside(failed):
        f.line(f"store atomic i64 0, {at} monotonic, align 8")
        code.fail(location)
    f.at(on)
    end = f.value("i64", f"load atomic i64, {at} monotonic, align 8")
    size = f.load("i64", f.offset(task, i64(2), "i64"))
    stopped, fine = f.label("stopped"), f.label("fine")
    f.branch(f.compare("icmp sge", first, f.binary("mul", end, size)), stopped, fine, likely=False)
    with f.aside(stopped):
        f.call("void", "PyErr_SetString", (code.symbol("error.SystemError"), code.string(STOPPED)))
        code.fail(location)
    f.at(fine)


def _counter(code: Codegen) -> V:
    """Where the work stands: functions that call one another have one counter."""
    if code.program.functions:
        code.define_global("@work = internal global i64 0")
        return V("ptr", "@work")
    if code.work is None:
        code.work = code.f.alloca("i64")
        code.f.entry.lines.append(f"store i64 0, {code.work}")
    return code.work
