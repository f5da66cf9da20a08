"""Draws of NumPy's generators by the C functions behind them: ``rng.random()``, ``rng.normal(mu, sigma)``.

A generator's *bit generator* is a C structure of a state and functions on it (``bitgen_t``, documented for
users of C, Cython and Numba), and NumPy's distributions are C functions of that structure. They are called
with the arguments that NumPy's own methods give them, so the numbers are the same, and so is the state
afterwards: draws in Python and in machine code follow each other as if all were Python's.

NumPy holds the generator's lock while it draws, for others fill arrays without the GIL. Machine code has the
GIL, and nobody can take a lock without it: so it looks before each draw whether the lock is free, and leaves
the draw to NumPy, which waits, where it is not. Where the lock cannot be looked at, NumPy draws.
"""

from __future__ import annotations

import ctypes
import functools
import sysconfig
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.engines.native.elements import Element, convert
from runtime.engines.native.ir import TRUE, V, floating, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register, components
from runtime.graph import Operation, Value
from runtime.ops.template import Hole
from runtime.types import INT, OBJECT, NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.engines.native.emitter import Codegen

FLOAT64, INT64 = np.dtype("float64"), np.dtype("int64")


def runs_in_machine_code(op: Operation) -> bool:
    dtype = _dtype(op)
    if sysconfig.get_config_var("Py_GIL_DISABLED") or not _addresses():
        return False
    (_, *numbers), _ = op.attributes["template"].structure
    kinds = "iu" if dtype == INT64 else "iuf"
    if not all(_is_number(op.inputs[n.index] if isinstance(n, Hole) else n, kinds) for n in numbers):
        return False
    output = op.output.type
    return isinstance(output, NumberType | ScalarType) and output.dtype == dtype


def _dtype(op: Operation) -> np.dtype:
    return INT64 if op.attributes["function"].__name__ == "integers" else FLOAT64


def _is_number(number: Any, kinds: str) -> bool:
    if isinstance(number, Value):
        fits = isinstance(number.type, NumberType | ScalarType) and number.type.dtype.name != "uint64"
        return fits and number.dtype.kind in kinds
    return type(number) in ((int,) if kinds == "iu" else (int, float)) and abs(number) < 2**62


@functools.cache
def _addresses() -> dict[str, int]:
    """NumPy's C functions; empty where its module does not show them."""
    from numpy.random import _generator

    library = ctypes.CDLL(_generator.__file__)
    names = ("random_standard_normal", "random_standard_exponential", "random_bounded_uint64")
    if not all(hasattr(library, name) for name in names):
        return {}
    return {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in names}


#: the word of a lock that is never free
_HELD = ctypes.c_int64(1)


# -- the structure and the lock of a generator ---------------------------------------------------------


@functools.cache
def held_at() -> dict[type, int]:
    """Where in a lock stands a word that is zero as long as nobody holds it, by the lock's class."""
    found = {}
    for make in (threading.Lock, threading.RLock):
        lock = make()
        free = _words(lock)
        with lock:
            held = _words(lock)
        again = _words(lock)
        places = [k for k in range(2, len(free)) if free[k] == again[k] == 0 != held[k]]
        if places:
            found[type(lock)] = 8 * places[0]
    return found


def _words(lock: Any) -> tuple[int, ...]:
    count = type(lock).__basicsize__ // 8
    return tuple((ctypes.c_uint64 * count).from_address(id(lock)))


def bit_generator(generator: Any) -> tuple[Any, int, int]:
    """What keeps the structure alive, the structure's address, and that of the word in its lock."""
    bits = generator._bit_generator  # of both kinds of generators
    place = held_at().get(type(bits.lock))
    if place is None:
        return bits, 0, ctypes.addressof(_HELD)
    return bits, bits.ctypes.bit_generator.value, id(bits.lock) + place


# -- machine code --------------------------------------------------------------------------------------


def emit(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    (owner, *numbers), _ = op.attributes["template"].structure
    if isinstance(owner, Hole):
        generator = Boxed(code.pointer_of(op.inputs[owner.index]))
    else:
        generator = Boxed(code.object(owner, "generator"))
    bits = _structure(code, op, generator, slow)
    operands = [_number(code, op, number) for number in numbers]
    found = _DRAWS[op.attributes["function"].__name__](code, bits, slow, *operands)
    (made,) = slow.finish([Register(Element(found, _dtype(op)))])
    code.bind(op.output, made)


def _number(code: Codegen, op: Operation, number: Any) -> V:
    dtype = _dtype(op)
    if not isinstance(number, Hole):
        return i64(number) if dtype == INT64 else floating("double", float(number))
    return convert(code.f, code.element_of(op.inputs[number.index]), dtype).value


def _structure(code: Codegen, op: Operation, generator: Boxed, slow: SlowPath) -> V:
    """The address of the bit generator, whose lock is free. It is asked for once for each generator."""
    f = code.f
    owner, kept = code.new_slot(), code.new_slot()  # so that nobody else comes to lie at their addresses
    known, lock = f.alloca("i64"), f.alloca("i64")
    ask, ready = f.label("ask"), f.label("bits")
    f.branch(
        f.compare("icmp eq", f.load("ptr", code.slot_at(owner)), generator.pointer), ready, ask, likely=True
    )
    f.at(ask)
    made = code.call_python(bit_generator, [(generator, OBJECT)], {}, [OBJECT, INT, INT], op.location)
    (keeper,), (address,), (word,) = map(components, made)
    for slot in (owner, kept):
        code.release(slot)
    f.call("void", "Py_IncRef", (generator.pointer,))
    code.hold(generator.pointer, owner)
    code.hold(keeper, kept)
    for part, place in ((address, known), (word, lock)):
        f.store(part, place)
    f.jump(ready)
    f.at(ready)
    at = f.value("ptr", f"inttoptr {f.load('i64', lock)} to ptr")
    slow.jump_if(f.compare("icmp ne", f.load("i64", at), i64(0)))
    return f.value("ptr", f"inttoptr {f.load('i64', known)} to ptr")


def _next_double(code: Codegen, bits: V) -> V:
    """``bits->next_double(bits->state)``"""
    f = code.f
    state, function = f.load("ptr", bits), f.load("ptr", f.offset(bits, i64(24)))
    return f.value("double", f"call double {function.ref}({state})")


def _called(code: Codegen, name: str, result: str, *arguments: V) -> V:
    f, address = code.f, _addresses()[name]
    code.symbols[name] = address
    code.declare(f"declare {result} @{name}({', '.join(a.type for a in arguments)})")
    return f.call(result, name, arguments)


def _random(code: Codegen, bits: V, slow: SlowPath) -> V:
    return _next_double(code, bits)


def _uniform(code: Codegen, bits: V, slow: SlowPath, low: V, high: V) -> V:
    f = code.f
    width = f.binary("fsub", high, low)
    slow.jump_if(f.compare("fcmp une", f.binary("fsub", width, width), floating("double", 0.0)))
    slow.jump_if(f.compare("fcmp olt", width, floating("double", 0.0)))  # NumPy refuses it
    return f.binary("fadd", low, f.binary("fmul", width, _next_double(code, bits)))


def _standard_normal(code: Codegen, bits: V, slow: SlowPath) -> V:
    return _called(code, "random_standard_normal", "double", bits)


def _normal(code: Codegen, bits: V, slow: SlowPath, middle: V, scale: V) -> V:
    f = code.f
    _must_be_positive(code, slow, scale)
    return f.binary("fadd", middle, f.binary("fmul", scale, _standard_normal(code, bits, slow)))


def _standard_exponential(code: Codegen, bits: V, slow: SlowPath) -> V:
    return _called(code, "random_standard_exponential", "double", bits)


def _exponential(code: Codegen, bits: V, slow: SlowPath, scale: V) -> V:
    _must_be_positive(code, slow, scale)
    return code.f.binary("fmul", scale, _standard_exponential(code, bits, slow))


def _integers(code: Codegen, bits: V, slow: SlowPath, low: V, high: V) -> V:
    f = code.f
    slow.jump_if(f.compare("icmp sge", low, high))
    span = f.binary("sub", f.binary("sub", high, low), i64(1))
    slow.jump_if(f.compare("icmp slt", span, i64(0)))
    return _called(code, "random_bounded_uint64", "i64", bits, low, span, i64(0), V("i1", "false"))


def _must_be_positive(code: Codegen, slow: SlowPath, number: V) -> None:
    """What is negative, zero or no number is NumPy's to judge."""
    more = code.f.compare("fcmp ogt", number, floating("double", 0.0))
    slow.jump_if(code.f.binary("xor", more, TRUE))


_DRAWS: dict[str, Callable[..., V]] = {
    "random": _random,
    "random_sample": _random,
    "rand": _random,
    "uniform": _uniform,
    "standard_normal": _standard_normal,
    "normal": _normal,
    "standard_exponential": _standard_exponential,
    "exponential": _exponential,
    "integers": _integers,
}
