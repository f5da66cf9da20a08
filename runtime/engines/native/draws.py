"""Draws of NumPy's generators by the C functions behind them: ``rng.random()``, ``rng.normal(mu, sigma)``.

A generator's *bit generator* is a C structure of a state and functions on it (``bitgen_t``, documented for
users of C, Cython and Numba), and NumPy's distributions are C functions of that structure. They are called
with the arguments that NumPy's own methods give them, so the numbers are the same, and so is the state
afterwards: draws in Python and in machine code follow each other as if all were Python's.

NumPy holds the generator's lock while it draws. Machine code holds the GIL instead, and has seen the lock
free since it last let Python run: whoever fills an array without the GIL holds the lock as long. So the
structure is asked for (and the lock looked at) after each call of Python, and not before each draw.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.engines.native.elements import Element, convert
from runtime.engines.native.ir import TRUE, V, floating, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register
from runtime.graph import Operation, Value
from runtime.ops.template import Hole
from runtime.types import INT, OBJECT, NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.engines.native.emitter import Codegen

FLOAT64, INT64 = np.dtype("float64"), np.dtype("int64")
#: method -> names of its parameters, with what they are where nothing is given
_PARAMETERS: dict[str, dict[str, Any]] = {
    "random": {},
    "random_sample": {},
    "rand": {},
    "uniform": {"low": 0.0, "high": 1.0},
    "standard_normal": {},
    "normal": {"loc": 0.0, "scale": 1.0},
    "standard_exponential": {},
    "exponential": {"scale": 1.0},
    "integers": {"low": None, "high": None},
}
#: those of the old generators that are drawn in the same way
_LEGACY = frozenset({"random", "random_sample", "rand", "uniform"})


def runs_in_machine_code(op: Operation) -> bool:
    if op.name != "call" or len(op.outputs) != 1 or _arguments(op) is None:
        return False
    output = op.output.type
    dtype = INT64 if op.attributes["function"].__name__ == "integers" else FLOAT64
    return isinstance(output, NumberType | ScalarType) and output.dtype == dtype and bool(_addresses())


def _arguments(op: Operation) -> tuple[Any, list[Any]] | None:
    """The generator, and the numbers that the distribution takes."""
    function = op.attributes["function"]
    cls, name = getattr(function, "cls", None), getattr(function, "__name__", "")
    if name not in _PARAMETERS or cls not in (np.random.Generator, np.random.RandomState):
        return None
    if cls is np.random.RandomState and name not in _LEGACY:
        return None
    if cls is np.random.Generator and name in ("random_sample", "rand"):
        return None
    structure = op.attributes["template"].structure
    if type(structure) is not tuple or len(structure) != 2:
        return None
    (generator, *given), named = structure
    known = _PARAMETERS[name]
    if len(given) > len(known) or not set(named) <= set(known):
        return None
    parameters = {**known, **dict(zip(known, given, strict=False)), **named}
    numbers = [op.inputs[one.index] if isinstance(one, Hole) else one for one in parameters.values()]
    if name == "integers" and numbers[1] is None:
        numbers = [0, numbers[0]]
    if not all(_is_number(number, "iu" if name == "integers" else "iuf") for number in numbers):
        return None
    owner = op.inputs[generator.index] if isinstance(generator, Hole) else generator
    return owner, numbers


def _is_number(number: Any, kinds: str) -> bool:
    if isinstance(number, Value):
        fits = isinstance(number.type, NumberType | ScalarType) and number.type.dtype.name != "uint64"
        return fits and number.type.dtype.kind in kinds  # type: ignore[union-attr]
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


def bit_generator(generator: Any) -> int:
    """The address of the structure, once nobody else draws."""
    bits = (
        generator._bit_generator if isinstance(generator, np.random.RandomState) else generator.bit_generator
    )
    with bits.lock:
        return bits.ctypes.bit_generator.value


def emit(code: Codegen, op: Operation) -> None:
    owner, numbers = _arguments(op) or (None, [])
    rep = code.reps[owner] if isinstance(owner, Value) else Boxed(code.object(owner, "generator"))
    assert isinstance(rep, Boxed)
    bits = _structure(code, op, rep)
    slow = SlowPath(code, op)
    dtype = INT64 if op.attributes["function"].__name__ == "integers" else FLOAT64
    operands = [_number(code, number, dtype) for number in numbers]
    found = _DRAWS[op.attributes["function"].__name__](code, bits, slow, *operands)
    (made,) = slow.finish([Register(Element(found, dtype))])
    code.bind(op.output, made)


def _number(code: Codegen, number: Any, dtype: np.dtype[Any]) -> V:
    if not isinstance(number, Value):
        return i64(number) if dtype == INT64 else floating("double", float(number))
    rep = code.reps[number]
    assert isinstance(rep, Register)
    return convert(code.f, rep.element, dtype).value


def _structure(code: Codegen, op: Operation, rep: Boxed) -> V:
    """The address of the bit generator: found again after each call of Python."""
    f = code.f
    known, when, whose = f.alloca("ptr"), f.alloca("i64"), f.alloca("ptr")
    f.entry.lines += [f"store i64 -1, {when}", f"store ptr null, {whose}"]
    same = f.compare("icmp eq", f.load("ptr", whose), rep.pointer)
    now = f.compare("icmp eq", f.load("i64", when), f.load("i64", code.epoch))
    ask, ready = f.label("ask"), f.label("bits")
    f.branch(f.binary("and", same, now), ready, ask, likely=True)
    f.at(ask)
    epoch = f.load("i64", code.epoch)
    (found,) = code.call_python(bit_generator, [(rep, OBJECT)], {}, [INT], op.location)
    address = found.element.value  # type: ignore[union-attr]
    f.store(f.value("ptr", f"inttoptr {address} to ptr"), known)
    f.store(epoch, code.epoch)  # this call runs nobody's code: what other draws know stays true
    f.store(epoch, when)
    f.store(rep.pointer, whose)
    f.jump(ready)
    f.at(ready)
    return f.load("ptr", known)


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
