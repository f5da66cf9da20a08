"""Python's conversions, its questions about kinds, ``math`` and ``cmath`` on staged values."""

from __future__ import annotations

import builtins
import cmath
import math
from types import FunctionType, MethodType, ModuleType
from typing import Any

from autograph.operators import call
from runtime.control_flow.iterators import TracedIterator, name_in_messages
from runtime.numpy_calls.table import NOT_GIVEN, builtin
from runtime.ops.definition import REGISTRY
from runtime.staged.needed_now import STAND_INS, STANDING_FOR, class_of, require_no_method
from runtime.staged.numbers import StagedNumber, is_python_number, plain
from runtime.staged.operands import Boxed, apply, operand
from runtime.tracer.builder import Staged, StandIn, emit, refuse
from runtime.types import (
    OBJECT,
    PYTHON_TYPES,
    STR,
    ArrayType,
    ContainerType,
    NumberType,
    ObjectType,
    ScalarType,
)

# -- conversions ---------------------------------------------------------------------------------------


def _conversion(name: str) -> None:
    @builtin(PYTHON_TYPES[name])
    def convert(x: Any, /, *rest: Any) -> Any:
        if name == "complex" and len(rest) == 1:
            return _complex_of(operand(x), operand(rest[0]))
        if rest:
            raise refuse(f"{name}() of several staged arguments", f"call {name}() with one number")
        if isinstance(x, Staged) and isinstance(x.type, ContainerType) and name != "bool":
            raise refuse(f"{name}() of a {x.type.name}", "give it a number")
        value = operand(x)
        if isinstance(value, Staged) and value.type == STR and name in ("int", "float"):
            return emit(f"str.{name}", [value])
        if isinstance(value, Staged) and value.type == NumberType(name):
            return value
        return emit(f"py.{name}", [value])


def _complex_of(real: Any, imag: Any) -> Any:
    for part in (real, imag):
        if isinstance(part, Staged) and not isinstance(part.type, NumberType | ScalarType):
            raise refuse("complex() of an array", "call complex() with two numbers")
    return emit("py.complex_of", [real, imag])


for _name in PYTHON_TYPES:
    _conversion(_name)


for _function in (builtins.abs, builtins.divmod):  # the operands' own methods
    builtin(_function)(_function)


def _memory(kind: type) -> None:
    @builtin(kind)
    def memory_of(*args: Any, **kwargs: Any) -> Any:
        hint = "return the numbers, and make the bytes of them outside of the decorated function"
        raise refuse(f"{kind.__name__}() of a staged value", hint)


for _kind in (bytes, bytearray, memoryview):
    _memory(_kind)


@builtin(builtins.round)
def rounded(number: Any, ndigits: Any = None) -> Any:
    if isinstance(number, StagedNumber):
        return number.__round__(ndigits)
    if not isinstance(number, Staged) or isinstance(ndigits, Staged):
        raise refuse("round() to a number of digits known only at run time", "give ndigits as a plain int")
    if isinstance(number, Boxed):
        return apply("round", [number], decimals=ndigits or 0)
    if not isinstance(number.type, ScalarType) or number.type.dtype.kind in "bc":
        raise TypeError(f"type {name_in_messages(class_of(number))} doesn't define __round__ method")
    if ndigits is not None:
        return apply("round", [number], decimals=ndigits)
    return emit("py.int", [number if number.type.dtype.kind in "iu" else apply("rint", [number])])


@builtin(builtins.pow)
def power(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return base**exp
    if all(map(is_python_number, (base, exp, mod))):
        return emit("py.pow_mod", [plain(base), plain(exp), plain(mod)])
    raise refuse("pow() with three arguments that are not all numbers of Python's", "write base**exp % mod")


# -- questions about kinds -------------------------------------------------------------------------------


@builtin(builtins.isinstance, (*STAND_INS, StandIn, MethodType, FunctionType))
def is_instance(x: Any, classinfo: Any, /) -> Any:
    require_no_method(x)
    if isinstance(x, (*STAND_INS, StandIn)):
        return issubclass(class_of(x), classinfo)
    if not isinstance(x, Staged):
        return NotImplemented
    if isinstance(x.type, ObjectType) and x.type != STR and not isinstance(x.type, ContainerType):
        return emit("is_instance", [x], types=classinfo)
    return issubclass(class_of(x), classinfo) or isinstance(x, _tensor_classes(classinfo))


@builtin(builtins.issubclass)
def is_subclass(cls: Any, classinfo: Any, /) -> Any:
    return emit("is_subclass", [cls], types=classinfo) if isinstance(cls, Staged) else NotImplemented


def _tensor_classes(classinfo: Any) -> tuple[type, ...]:
    """The subclasses of Tensor among the classes asked for: a staged Tensor is an instance of its own."""
    classes = classinfo if isinstance(classinfo, tuple) else (classinfo,)
    return tuple([c for c in classes if isinstance(c, type) and issubclass(c, Boxed)])


@builtin(builtins.type, (object,))
def class_at_run_time(x: Any, *rest: Any, **kwargs: Any) -> Any:
    require_no_method(x)
    stands_in = type(x) in STANDING_FOR or issubclass(type(x), TracedIterator | ModuleType)
    known = isinstance(x, (Staged, *STAND_INS)) or stands_in
    return NotImplemented if rest or not known else class_of(x)


@builtin(builtins.len)
def length(x: Any, /) -> Any:
    if not isinstance(x, Staged):
        return len(x)
    if isinstance(x.type, ContainerType) or x.type == STR:
        return x.length()  # type: ignore[attr-defined]
    if isinstance(x.type, ArrayType) and x.type.ndim:
        known = x.type.shape[0]
        return emit("dim", [x], axis=0) if known is None else known
    return len(x)  # type: ignore[arg-type]  # raises as NumPy and Python do


@builtin(builtins.callable)
def is_callable(x: Any, /) -> Any:
    if isinstance(x, Staged) and x.type == OBJECT:
        raise refuse("whether an object can be called is known only at run time", "do this outside")
    return False if isinstance(x, Staged) else callable(x)


# -- math and cmath ------------------------------------------------------------------------------------


def plain_operand(x: Any) -> Any:
    value = operand(x)
    if isinstance(value, Staged) and isinstance(value.type, ObjectType):
        raise TypeError(f"must be real number, not {value.type}")
    return value


def _of_numbers(module: Any, name: str) -> None:
    @builtin(getattr(module, name))
    def call(*args: Any) -> Any:
        return emit(f"{module.__name__}.{name}", list(map(plain_operand, args)))


def _is_close(module: Any) -> None:
    @builtin(module.isclose)
    def isclose(a: Any, b: Any, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
        return emit(f"{module.__name__}.isclose", [a, b, rel_tol, abs_tol])


for _module in (math, cmath):
    for _name in [name for name in dir(_module) if f"{_module.__name__}.{name}" in REGISTRY]:
        _of_numbers(_module, _name)
    _is_close(_module)


@builtin(math.log)
def log(x: Any, base: Any = NOT_GIVEN, /) -> Any:
    if base is NOT_GIVEN:
        return emit("math.log", [plain_operand(x)])
    parts = [
        emit("math.log", [plain_operand(v)]) if isinstance(v, Staged) else math.log(v) for v in (x, base)
    ]
    return emit("py.truediv", parts)


@builtin(math.dist)
def dist(p: Any, q: Any, /) -> Any:
    """As CPython's: the `math.hypot` of the differences."""
    p, q = call(tuple, p), call(tuple, q)
    if isinstance(p, Staged) or isinstance(q, Staged) or len(p) != len(q):
        raise refuse("math.dist() of points of unknown dimensions", "write np.linalg.norm(p - q)")
    return emit("math.hypot", [call(float, a) - call(float, b) for a, b in zip(p, q, strict=True)])
