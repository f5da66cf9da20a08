"""Python's builtins and ``math`` on staged values. With no staged value they are left to Python."""

from __future__ import annotations

import builtins
import cmath
import math
import operator
from collections.abc import Callable
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.operators import call
from runtime.iterables.iterators import TracedIterator, name_in_messages
from runtime.numpy_calls.arguments import has_staged
from runtime.numpy_calls.table import NOT_GIVEN, TABLE
from runtime.objects.instances import VALUES
from runtime.objects.value_classes import (
    STAND_INS,
    STANDING_FOR,
    class_of,
    class_of_method,
    is_method_of_staged,
)
from runtime.ops.definition import REGISTRY
from runtime.staged.numbers import StagedNumber, is_python_number, plain
from runtime.staged.operands import Boxed, apply, box, is_operand, operand, refuse
from runtime.tracer.builder import Staged, emit
from runtime.tracer.spec import Choice
from runtime.types import (
    OBJECT,
    PYTHON_TYPES,
    STR,
    ArrayType,
    ContainerType,
    JoinError,
    NumberType,
    ObjectType,
    ScalarType,
    join,
    type_of,
)

#: functions that are staged only when an argument is
ONLY_STAGED: set[Any] = set()


def builtin(
    function: Any, others: tuple[type, ...] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter an implementation that is used where an argument is staged, or the first is of ``others``."""

    def decorate(implementation: Callable[..., Any]) -> Callable[..., Any]:
        TABLE[function] = lambda *args, **kwargs: (
            implementation(*args, **kwargs)
            if has_staged((args, kwargs)) or (args and isinstance(args[0], others))
            else NotImplemented
        )
        ONLY_STAGED.add(function)
        return implementation

    return decorate


# -- conversions ---------------------------------------------------------------------------------------


#: what Python's messages say of what is no number
_TAKE = {
    "int": "int() argument must be a string, a bytes-like object or a real number",
    "float": "float() argument must be a string or a real number",
    "complex": "complex() first argument must be a string or a number",
}


def _conversion(name: str) -> None:
    @builtin(PYTHON_TYPES[name])
    def convert(x: Any, /, *rest: Any) -> Any:
        if name == "complex" and len(rest) == 1:
            return _complex_of(operand(x), operand(rest[0]))
        if rest:
            raise refuse(f"{name}() of several staged arguments", f"call {name}() with one number")
        if isinstance(x, Staged) and isinstance(x.type, ContainerType) and name in _TAKE:
            raise TypeError(f"{_TAKE[name]}, not {name_in_messages(class_of(x))!r}")
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


@builtin(builtins.abs)
def absolute(x: Any) -> Any:
    if isinstance(x, Staged):
        if not hasattr(type(x), "__abs__"):
            raise TypeError(f"bad operand type for abs(): {name_in_messages(class_of(x))!r}")
        return x.__abs__()  # type: ignore[attr-defined]
    return abs(x)


def _memory(kind: type) -> None:
    @builtin(kind)
    def memory_of(*args: Any, **kwargs: Any) -> Any:
        hint = "make the bytes outside of the decorated function"
        raise refuse(f"{kind.__name__}() of a staged value", hint)


_memory(bytes)
_memory(bytearray)
_memory(memoryview)


@builtin(builtins.round)
def rounded(number: Any, ndigits: Any = None) -> Any:
    if isinstance(number, StagedNumber):
        return number.__round__(ndigits)
    if isinstance(ndigits, Staged):
        emit("py.index", [ndigits])  # which raises for a float
    if not isinstance(number, Staged) or isinstance(ndigits, Staged):
        raise refuse("round() to a number of digits known only at run time", "give ndigits as a plain int")
    if isinstance(number.type, ContainerType) or number.type == STR:
        raise TypeError(f"type {name_in_messages(class_of(number))} doesn't define __round__ method")
    if isinstance(number.type, ArrayType):
        if isinstance(number, Boxed):
            return apply("round", [number], decimals=ndigits or 0)
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    if isinstance(number.type, ScalarType) and number.type.dtype.kind in "bc":
        raise TypeError(f"type numpy.{number.type.dtype.type.__name__} doesn't define __round__ method")
    if ndigits is not None:
        return apply("round", [number], decimals=ndigits)
    if isinstance(number.type, ScalarType) and number.type.dtype.kind in "iu":
        return emit("py.int", [number])
    return emit("py.int", [apply("rint", [number])])


@builtin(builtins.divmod)
def both(x: Any, y: Any) -> Any:
    return divmod(x, y)  # the operands' own methods


@builtin(builtins.pow)
def power(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return base**exp
    if all(map(is_python_number, (base, exp, mod))):
        return emit("py.pow_mod", [plain(base), plain(exp), plain(mod)])
    method = getattr(type(base), "__pow__", None)  # Python asks no other operand
    made = NotImplemented
    if isinstance(method, FunctionType) and not isinstance(base, Staged):
        made = call(method, base, exp, mod)
    if made is not NotImplemented:
        return made
    kinds = ", ".join(repr(type(operand).__name__) for operand in (base, exp, mod))
    raise TypeError(f"unsupported operand type(s) for ** or pow(): {kinds}")


# -- questions about kinds -------------------------------------------------------------------------------


@builtin(builtins.isinstance, (*STAND_INS, MethodType, FunctionType))
def is_instance(x: Any, classinfo: Any, /) -> Any:
    if is_method_of_staged(x):
        return issubclass(class_of_method(x), classinfo)
    if isinstance(x, STAND_INS):
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
    if not rest and is_method_of_staged(x):
        return class_of_method(x)
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
    if isinstance(x.type, NumberType):
        raise TypeError(f"object of type '{x.type.kind}' has no len()")
    return len(x)  # type: ignore[arg-type]  # raises as NumPy does


@builtin(builtins.callable)
def is_callable(x: Any, /) -> Any:
    if isinstance(x, Staged) and x.type == OBJECT:
        raise refuse("whether an object can be called is known only at run time", "do this outside")
    return False if isinstance(x, Staged) else callable(x)


# -- least and greatest ----------------------------------------------------------------------------------


def _better(item: Any, best: Any, name: str, numpy_name: str) -> Any:
    """The item where it is better, else the best so far: the very one, where they may not be promoted."""
    if not any(isinstance(one, Choice) or _is_of_own_class(one) for one in (item, best)):
        return choose(compare(item, best, name, numpy_name), item, best)
    from runtime.control_flow.branches import branch
    from runtime.control_flow.choices import dispatch

    is_better = dispatch(item, lambda x: dispatch(best, lambda y: compare(x, y, name, numpy_name)))
    return branch(is_better, lambda: item, lambda: best, exact=True)


def _is_of_own_class(item: Any) -> bool:
    """An instance of a subclass of int, say: no number of the same value stands for it."""
    return isinstance(item, VALUES) and type(item) not in VALUES and not isinstance(item, bool | np.generic)


def _extreme(name: str, better: str) -> None:
    comparison = {"lt": "less", "gt": "greater"}[better]

    @builtin(getattr(builtins, name))
    def extreme(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise refuse(f"{name}() with `key` or `default` on staged values", "write the loop")
        if len(args) == 1:
            (only,) = args
            if isinstance(only, Staged):
                return _extreme_item(name, only)
            args = tuple(only)
        result = args[0]
        for item in args[1:]:
            result = _better(item, result, better, comparison)
        return result


def compare(x: Any, y: Any, name: str, numpy_name: str) -> Any:
    if _is_of_own_class(x) or _is_of_own_class(y):
        return _plain_comparison(name, x, y)  # which may be answered by the class
    if all(isinstance(v, (StagedNumber, bool, int, float)) and not isinstance(v, np.generic) for v in (x, y)):
        return (
            emit(f"py.{name}", [plain(x), plain(y)]) if has_staged((x, y)) else _plain_comparison(name, x, y)
        )
    if not has_staged((x, y)) or not (is_operand(x) and is_operand(y)):
        return _plain_comparison(name, x, y)  # `max(None, x)`: as Python says it
    return emit(
        "py.bool", [apply(numpy_name, [x, y]).numpy() if has_box(x, y) else apply(numpy_name, [x, y])]
    )


def has_box(*items: Any) -> bool:
    return any(isinstance(item, Boxed) for item in items)


def _plain_comparison(name: str, x: Any, y: Any) -> Any:
    answer = getattr(operator, name)(x, y)
    return emit("py.bool", [answer]) if isinstance(answer, Staged) else bool(answer)


def choose(condition: Any, x: Any, y: Any) -> Any:
    """``x if condition else y`` of numbers and NumPy scalars; the type is the join of theirs."""
    if not isinstance(condition, Staged):
        return x if condition else y
    values = [operand(x), operand(y)]
    types = [v.type if isinstance(v, Staged) else type_of(v) for v in values]
    if any(
        isinstance(t, ArrayType) and any((n or 0) > 1 for n in t.shape) and 0 not in t.shape for t in types
    ):
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
        )
    if any(isinstance(t, ArrayType) for t in types):
        raise refuse("min() or max() of arrays in a staged function", "use np.minimum, np.maximum")
    try:
        common = join(types[0], types[1])
    except JoinError as error:
        raise refuse(f"min() or max() of values of different kinds: {error}", "convert them first") from None
    if common in _NARROW and any(_may_not_fit(v, common) for v in (x, y)):
        from runtime.control_flow.branches import branch

        return branch(condition, lambda: x, lambda: y, exact=True)
    converted = [
        v if t == common else emit("cast", [v], to=common) for v, t in zip(values, types, strict=True)
    ]
    result = emit("py.select", [condition, *converted])
    return box(result) if has_box(x, y) else result


#: they do not hold every int
_NARROW = frozenset(ScalarType(np.dtype(name)) for name in ("u1", "u2", "u4", "u8", "i1", "i2", "i4"))


def _may_not_fit(number: Any, kind: Any) -> bool:
    """Is it an int of Python's that such a scalar may not hold?"""
    if isinstance(number, Staged):
        return number.type == NumberType("int")
    limits = np.iinfo(kind.dtype)
    return type(number) is int and not limits.min <= number <= limits.max


def _extreme_item(name: str, x: Any) -> Any:
    if not isinstance(x.type, ArrayType):
        kind = x.type.kind if isinstance(x.type, NumberType) else f"numpy.{x.type.dtype}"
        raise TypeError(f"'{kind}' object is not iterable")
    if not x.type.ndim:
        raise TypeError("iteration over a 0-d array")
    if x.type.ndim != 1:
        raise refuse(f"{name}() over the rows of an array", f"use np.{name}(x, axis=...)")
    return apply(f"py.{name}_item", [x])


_extreme("min", "lt")
_extreme("max", "gt")


@builtin(builtins.sum)
def total(iterable: Any, /, start: Any = 0) -> Any:
    if not isinstance(iterable, Staged):
        for item in iterable:
            start = start + item
        return start
    if not isinstance(iterable.type, ArrayType) or not iterable.type.ndim:
        raise TypeError("iteration over a 0-d array")
    if iterable.type.shape[0] == 0:
        return start
    return apply("py.sum_items", [iterable, start])


def _truth_of_items(name: str) -> None:
    @builtin(getattr(builtins, name))
    def over_items(iterable: Any, /) -> Any:
        if not isinstance(iterable, Staged):
            return NotImplemented
        if iterable.type.ndim != 1:  # type: ignore[union-attr]
            raise refuse(f"{name}() over an array that is not one-dimensional", f"use np.{name}(x)")
        result = emit(name, [iterable])
        return emit("py.bool", [result])


_truth_of_items("any")
_truth_of_items("all")


# -- math ----------------------------------------------------------------------------------------------


def _math(name: str) -> None:
    @builtin(getattr(math, name))
    def call(*args: Any) -> Any:
        return emit(f"math.{name}", [plain_operand(a) for a in args])


def plain_operand(x: Any) -> Any:
    value = operand(x)
    if isinstance(value, Staged) and isinstance(value.type, ObjectType):
        raise TypeError(f"must be real number, not {value.type}")
    return value


for _name in [name.removeprefix("math.") for name in REGISTRY if name.startswith("math.")]:
    if hasattr(math, _name) and _name not in ("log", "isclose"):
        _math(_name)


def _complex_math(name: str) -> None:
    @builtin(getattr(cmath, name))
    def call(*args: Any) -> Any:
        return emit(f"cmath.{name}", [operand(a) for a in args])


for _name in [name.removeprefix("cmath.") for name in REGISTRY if name.startswith("cmath.")]:
    if _name != "isclose":
        _complex_math(_name)


@builtin(math.log)
def log(x: Any, base: Any = NOT_GIVEN, /) -> Any:
    if base is NOT_GIVEN:
        return emit("math.log", [plain_operand(x)])
    parts = [
        emit("math.log", [plain_operand(v)]) if isinstance(v, Staged) else math.log(v) for v in (x, base)
    ]
    return emit("py.truediv", parts)


def _is_close(module: Any) -> None:
    @builtin(module.isclose)
    def isclose(a: Any, b: Any, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
        return emit(f"{module.__name__}.isclose", [a, b, rel_tol, abs_tol])


_is_close(math)
_is_close(cmath)


@builtin(math.dist)
def dist(p: Any, q: Any, /) -> Any:
    """As CPython's: the `math.hypot` of the differences."""
    p, q = call(tuple, p), call(tuple, q)
    if isinstance(p, Staged) or isinstance(q, Staged):
        raise refuse("math.dist() of points of unknown dimensions", "write np.linalg.norm(p - q)")
    p, q = ([call(float, c) if isinstance(c, Staged) else c for c in point] for point in (p, q))
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return emit("math.hypot", [a - b for a, b in zip(p, q, strict=True)])
