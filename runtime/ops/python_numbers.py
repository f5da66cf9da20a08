"""Operations on Python numbers, with Python's meaning: ``py.add``, ``py.floordiv``, ``py.lt``, ``py.int``.

An int stays within 64 bits: a result that does not fit raises IntegerRangeError, it never wraps around.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["py.floordiv"].kernel(-7, 2)
-4
>>> REGISTRY["py.mul"].kernel(2**62, 2)
Traceback (most recent call last):
    ...
autograph.errors.IntegerRangeError: integer result of * does not fit in 64 bits: 9223372036854775808
hint: compute with floats, or leave the function undecorated
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from autograph.errors import IntegerRangeError, StagingError
from runtime.ops.definition import MAY_RAISE, PURE, Effects, Vjp, none, op, same_as
from runtime.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    PYTHON_TYPES,
    NumberType,
    Type,
)

_LOW, _HIGH = -(2**63), 2**63 - 1
F64, I64, BOOL_DTYPE = np.dtype("float64"), np.dtype("int64"), np.dtype("bool")
ARITHMETIC, CONVERSION = "python arithmetic", "python conversion"
PAIRS = [[1, 2], [7, -3], [2.5, 2], [True, 3], [-4, 2.5], [1.5, 0.25], [True, True]]


def fits(value: int) -> bool:
    return _LOW <= value <= _HIGH


def fitting(value: Any, symbol: str) -> Any:
    """``value``; raises IntegerRangeError, an OverflowError, for an int beyond 64 bits."""
    if type(value) is int and not _LOW <= value <= _HIGH:
        shown = str(value) if value.bit_length() < 1000 else f"a number of {value.bit_length()} bits"
        raise IntegerRangeError(f"integer result of {symbol} does not fit in 64 bits: {shown}")
    return value


def checked(function: Callable[..., Any], symbol: str) -> Callable[..., Any]:
    def kernel(*args: Any) -> Any:
        result = function(*args)
        if type(result) is int and not _LOW <= result <= _HIGH:
            fitting(result, symbol)
        return result

    kernel.__name__ = kernel.__qualname__ = function.__name__
    return kernel


# -- type rules ----------------------------------------------------------------------------------------


@cache
def _result_kind(function: Callable[..., Any], kinds: tuple[str, ...]) -> str:
    if function is operator.invert and kinds == ("bool",):
        return "int"  # Python 3.12 and later warn of ~True: the program shall, when it runs, not its type
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ~True
        return type(function(*[PYTHON_TYPES[kind](1) for kind in kinds])).__name__


def number_rule(function: Callable[..., Any], name: str) -> Callable[..., Type]:
    """The kind of the result, as Python gives it for ones of these kinds."""

    def infer(types: tuple[Type, ...]) -> Type:
        for t in types:
            if not isinstance(t, NumberType):
                raise TypeError(f"{name} takes Python numbers, not {t}")
        return NumberType(_result_kind(function, tuple([t.kind for t in types])))  # type: ignore[union-attr]

    return infer


def has_int(types: tuple[Type, ...], **_: Any) -> Effects:
    """Effects of what raises only where an int leaves 64 bits, or a complex result overflows."""
    return PURE if FLOAT in types and COMPLEX not in types else MAY_RAISE


def arithmetic(
    name: str,
    function: Callable[..., Any],
    symbol: str,
    native: Callable[..., Any] | None,
    effects: Effects | Callable[..., Effects] = MAY_RAISE,
    samples: Sequence[Any] = PAIRS,
    traits: Sequence[str] = (),
    *,
    vjp: Vjp,
) -> None:
    op(
        name,
        kernel=checked(function, symbol),
        infer=number_rule(function, name),
        native=native,
        effects=effects,
        samples=samples,
        family=ARITHMETIC,
        traits=traits,
        vjp=vjp,
    )


# -- arithmetic ----------------------------------------------------------------------------------------


def is_int(b: Any, x: Any) -> bool:
    return bool(b.dtype(x).kind in "iu")


def is_complex(b: Any, x: Any) -> bool:
    return bool(b.dtype(x).kind == "c")


def either(for_int: str, for_float: str) -> Callable[..., Any]:
    """One builder method for ints, which watches for overflow, another for floats."""

    def native(b: Any, *xs: Any) -> Any:
        if is_complex(b, xs[0]):
            return NotImplemented
        return getattr(b, for_int if is_int(b, xs[0]) else for_float)(*xs)

    return native


_commutes = ["commutative"]
_add, _sub, _mul = [either(f"checked_{name}", name) for name in ("add", "sub", "mul")]
arithmetic("py.add", operator.add, "+", _add, has_int, traits=_commutes, vjp=same_as("add"))
arithmetic("py.sub", operator.sub, "-", _sub, has_int, vjp=same_as("subtract"))
arithmetic("py.mul", operator.mul, "*", _mul, has_int, traits=_commutes, vjp=same_as("multiply"))


def _native_neg(b: Any, x: Any) -> Any:
    return b.checked_sub(b.constant(0, I64), x) if is_int(b, x) else b.neg(x)


def _native_abs(b: Any, x: Any) -> Any:
    if is_complex(b, x):
        return NotImplemented
    if not is_int(b, x):
        return b.abs(x)
    return b.select(b.lt(x, b.constant(0, I64)), _native_neg(b, x), x)


SINGLE = [[1], [-3], [2.5], [-0.0], [True]]
arithmetic("py.neg", operator.neg, "-", _native_neg, has_int, SINGLE, vjp=same_as("negative"))
arithmetic("py.pos", operator.pos, "+", lambda b, x: x, PURE, SINGLE, vjp=same_as("positive"))
arithmetic("py.abs", operator.abs, "abs()", _native_abs, has_int, SINGLE, vjp=same_as("absolute"))


def _native_truediv(b: Any, x: Any, y: Any) -> Any:
    if is_complex(b, x):
        return NotImplemented
    by_zero = b.eq(y, b.constant(0, b.dtype(y)))
    if not is_int(b, x):
        b.raise_if(by_zero)
        return b.div(x, y)
    b.slow_if(by_zero)
    for operand in (x, y):  # Python rounds the exact quotient, which doubles of both give up to 2**53
        b.slow_if(b.gt(operand, b.constant(2**53, I64)))
        b.slow_if(b.lt(operand, b.constant(-(2**53), I64)))
    return b.div(b.convert(x, F64), b.convert(y, F64))


def float_divmod(b: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Floor quotient and remainder of floats, as CPython and NumPy compute them for ``y != 0``."""
    zero = b.constant(0.0, b.dtype(x))
    one = b.constant(1.0, b.dtype(x))
    mod = b.remainder(x, y)
    div = b.div(b.sub(x, mod), y)
    exact = b.eq(mod, zero)
    other_sign = b.and_(b.not_(exact), b.xor(b.lt(y, zero), b.lt(mod, zero)))
    div = b.select(other_sign, b.sub(div, one), div)
    mod = b.select(other_sign, b.add(mod, y), b.select(exact, b.call("copysign", zero, y), mod))
    floor = b.call("floor", div)
    up = b.gt(b.sub(div, floor), b.constant(0.5, b.dtype(x)))
    floor = b.select(up, b.add(floor, one), floor)
    return b.select(b.eq(div, zero), b.call("copysign", zero, b.div(x, y)), floor), mod


def int_divmod(b: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Floor quotient and remainder of signed integers; ``y`` is not 0, and not -1 with the lowest ``x``."""
    zero, one = b.constant(0, b.dtype(x)), b.constant(1, b.dtype(x))
    div, mod = b.quotient(x, y), b.remainder(x, y)
    down = b.and_(b.ne(mod, zero), b.xor(b.lt(mod, zero), b.lt(y, zero)))
    return b.select(down, b.sub(div, one), div), b.select(down, b.add(mod, y), mod)


def _native_divmod(part: int) -> Callable[..., Any]:
    def native(b: Any, x: Any, y: Any) -> Any:
        if is_complex(b, x):
            return NotImplemented
        by_zero = b.eq(y, b.constant(0, b.dtype(y)))
        if not is_int(b, x):
            b.raise_if(by_zero)
            return float_divmod(b, x, y)[part]
        b.slow_if(by_zero)
        lowest = b.eq(x, b.constant(_LOW, I64))
        b.slow_if(b.and_(lowest, b.eq(y, b.constant(-1, I64))))
        return int_divmod(b, x, y)[part]

    return native


op(
    "py.divmod",
    kernel=lambda x, y: tuple([fitting(part, "divmod()") for part in divmod(x, y)]),
    infer=lambda types: (
        number_rule(operator.floordiv, "divmod()")(types),
        number_rule(operator.mod, "divmod()")(types),
    ),
    native=None,
    effects=MAY_RAISE,
    samples=PAIRS,
    family=ARITHMETIC,
    vjp=same_as("divmod"),
)

arithmetic("py.truediv", operator.truediv, "/", _native_truediv, vjp=same_as("true_divide"))
arithmetic("py.floordiv", operator.floordiv, "//", _native_divmod(0), vjp=none("whole numbers"))
arithmetic("py.mod", operator.mod, "%", _native_divmod(1), vjp=same_as("remainder"))


def power(x: Any, y: Any) -> Any:
    """``x ** y``, of the type that the types of x and y promise, or an error that says why not."""
    if isinstance(x, int) and isinstance(y, int):
        if y < 0:
            raise StagingError(
                f"{int(x)} ** {y} is a float, but an int to a power known only at run time is staged as int",
                hint="write float(x) ** n where n may be negative",
            )
        if y > 64 and not -1 <= x <= 1:  # not computed: it may be astronomically large
            raise IntegerRangeError(f"integer result of ** does not fit in 64 bits: {x} ** {y}")
        return fitting(x**y, "**")
    result = x**y
    if type(result) is complex and type(x) is not complex and type(y) is not complex:
        raise StagingError(
            f"{x!r} ** {y!r} is complex, but the power of two floats is staged as float",
            hint="write complex(x) ** y where x may be negative",
        )
    return result


def _native_power(b: Any, x: Any, y: Any) -> Any:
    if b.dtype(x) != F64:
        return NotImplemented
    result = b.call("pow", x, y)
    b.slow_if(not_finite(b, result))  # overflow, 0.0 ** -1, (-8.0) ** 0.5
    return result


def not_finite(b: Any, x: Any) -> Any:
    difference = b.sub(x, x)  # 0 where x is finite, NaN elsewhere
    return b.ne(difference, difference)


_POWERS = [[2, 3], [2.5, 2], [2, 0.5], [1.5, -2]]
arithmetic("py.pow", power, "**", _native_power, samples=_POWERS, vjp=same_as("power"))


# -- bits ----------------------------------------------------------------------------------------------


def _native_lshift(b: Any, x: Any, y: Any) -> Any:
    b.slow_if(b.lt(y, b.constant(0, I64)))
    b.slow_if(b.gt(y, b.constant(62, I64)))
    result = b.shl(x, y)
    b.slow_if(b.ne(b.shr(result, y), x))
    return result


def _native_rshift(b: Any, x: Any, y: Any) -> Any:
    b.raise_if(b.lt(y, b.constant(0, I64)))
    highest = b.constant(63, I64)
    return b.shr(x, b.select(b.gt(y, highest), highest, y))


def shift_left(x: int, y: int) -> int:
    if y > 64 and x:
        raise IntegerRangeError(f"integer result of << does not fit in 64 bits: {x} << {y}")
    return x << y


_BITS = none("bits")
BITS = [[6, 3], [-5, 9], [True, 2]]
arithmetic("py.lshift", shift_left, "<<", _native_lshift, samples=BITS, vjp=_BITS)
arithmetic("py.rshift", operator.rshift, ">>", _native_rshift, samples=BITS, vjp=_BITS)
arithmetic("py.invert", operator.invert, "~", lambda b, x: b.not_(x), PURE, [[5], [-1]], vjp=_BITS)


def bitwise(name: str, function: Callable[..., Any], method: str) -> None:
    def native(b: Any, x: Any, y: Any) -> Any:
        if b.dtype(x) != b.dtype(y):
            x, y = b.convert(x, I64), b.convert(y, I64)
        return getattr(b, method)(x, y)

    op(
        name,
        kernel=function,
        infer=number_rule(function, name),
        native=native,
        effects=PURE,
        samples=[*BITS, [True, False]],
        family="python bits",
        traits=["commutative"],
        vjp=_BITS,
    )


bitwise("py.and", operator.and_, "and_")
bitwise("py.or", operator.or_, "or_")
bitwise("py.xor", operator.xor, "xor")


# -- methods of numbers --------------------------------------------------------------------------------


def pow_mod(x: int, y: int, modulus: int) -> int:
    return fitting(pow(x, y, modulus), "pow()")


def _integers_only(name: str) -> Callable[..., Type]:
    def infer(types: tuple[Type, ...]) -> Type:
        if any(t not in (INT, BOOL) for t in types):
            raise TypeError(f"{name} takes integers, not {' and '.join(map(str, types))}")
        return INT

    return infer


_METHODS: list[tuple[str, Callable[..., Any], list[Any]]] = [
    ("py.pow_mod", pow_mod, [[3, 4, 5]]),
    ("py.range_length", lambda start, stop, step: len(range(start, stop, step)), [[0, 5, 2], [5, 0, -1]]),
    ("py.bit_length", lambda x: x.bit_length(), [[5], [-8]]),
    ("py.bit_count", lambda x: x.bit_count(), [[5], [-8]]),
]
for _name, _kernel, _samples in _METHODS:
    op(
        _name,
        kernel=_kernel,
        infer=_integers_only(_name),
        native=None,
        effects=MAY_RAISE if _name in ("py.pow_mod", "py.range_length") else PURE,
        samples=_samples,
        family="python int",
        vjp=none("whole numbers"),
    )

op(
    "py.complex_of",
    kernel=complex,
    infer=lambda types: COMPLEX,
    native=None,
    effects=PURE,
    samples=[[1.5, 2], [0.0, -0.0]],
    family="python complex",
    vjp=lambda g, y, re, im: (g, g * 1j),
)
op(
    "py.is_integer",
    kernel=lambda x: float(x).is_integer(),
    infer=lambda types: BOOL,
    native=None,
    effects=PURE,
    samples=[[2.0], [2.5]],
    family="python float",
    vjp=none("comparison"),
)
