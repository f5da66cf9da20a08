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
from runtime.ops.formulas import (
    Formula,
    PythonNumber,
    c_call,
    float_divmod,
    int_divmod,
    native,
    not_finite,
    unless,
    where,
)
from runtime.types import BOOL, COMPLEX, FLOAT, INT, PYTHON_TYPES, ArrayType, NumberType, Type

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
        kinds = []
        for t in types:
            if not isinstance(t, NumberType):
                raise TypeError(f"{name} takes Python numbers, not {t}")
            kinds.append(t.kind)
        return NumberType(_result_kind(function, tuple(kinds)))

    return infer


_OVERFLOWS = Effects(may_raise=True, raises="overflow")


def divides(types: tuple[Type, ...]) -> Effects:
    return _DIVIDES if set(types) <= {INT, FLOAT} else MAY_RAISE


_DIVIDES = Effects(may_raise=True, raises="division")


def has_int(types: tuple[Type, ...], **_: Any) -> Effects:
    """Effects of what raises only where an int leaves 64 bits, or a complex result overflows."""
    return PURE if FLOAT in types and COMPLEX not in types else _OVERFLOWS


def arithmetic(
    name: str,
    function: Callable[..., Any],
    symbol: str,
    formula: Formula | None,
    vjp: Vjp,
    *,
    effects: Effects | Callable[..., Effects] = MAY_RAISE,
    samples: Sequence[Any] = PAIRS,
    commutes: bool = False,
    family: str = ARITHMETIC,
) -> None:
    op(
        name,
        function if effects is PURE else checked(function, symbol),
        number_rule(function, name),
        formula=native("biuf", formula, PythonNumber) if formula is not None else None,
        effects=effects,
        samples=samples,
        family=family,
        traits=["commutative"] if commutes else [],
        lowered=("complex",),
        vjp=vjp,
    )


# -- arithmetic: formulas of int64s or of float64s ------------------------------------------------------


def _refuse_zero(y: Any) -> None:
    unless(y == 0, raises=y.kind == "f")


def _truediv(x: Any, y: Any) -> Any:
    _refuse_zero(y)
    if x.kind == "f":
        return x / y
    for operand in (x, y):  # Python rounds the exact quotient, which doubles of both give up to 2**53
        unless(operand > 2**53)
        unless(operand < -(2**53))
    return x.to(F64) / y.to(F64)


def _divmod_part(part: int) -> Formula:
    def formula(x: Any, y: Any) -> Any:
        _refuse_zero(y)
        if x.kind == "f":
            return float_divmod(x, y)[part]
        unless((x == _LOW) & (y == -1))
        return int_divmod(x, y)[part]

    return formula


SINGLE = [[1], [-3], [2.5], [-0.0], [True]]
arithmetic("py.add", operator.add, "+", operator.add, same_as("add"), effects=has_int, commutes=True)
arithmetic("py.sub", operator.sub, "-", operator.sub, same_as("subtract"), effects=has_int)
arithmetic("py.mul", operator.mul, "*", operator.mul, same_as("multiply"), effects=has_int, commutes=True)
arithmetic("py.neg", operator.neg, "-", operator.neg, same_as("negative"), effects=has_int, samples=SINGLE)
arithmetic("py.pos", operator.pos, "+", operator.pos, same_as("positive"), effects=PURE, samples=SINGLE)
arithmetic("py.abs", operator.abs, "abs()", abs, same_as("absolute"), effects=has_int, samples=SINGLE)
arithmetic("py.truediv", operator.truediv, "/", _truediv, same_as("true_divide"), effects=divides)
arithmetic("py.floordiv", operator.floordiv, "//", _divmod_part(0), none("whole numbers"), effects=divides)
arithmetic("py.mod", operator.mod, "%", _divmod_part(1), same_as("remainder"), effects=divides)
op(
    "py.divmod",
    lambda x, y: tuple([fitting(part, "divmod()") for part in divmod(x, y)]),
    lambda types: (
        number_rule(operator.floordiv, "divmod()")(types),
        number_rule(operator.mod, "divmod()")(types),
    ),
    MAY_RAISE,
    PAIRS,
    family=ARITHMETIC,
    vjp=same_as("divmod"),
)


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


def _power(x: Any, y: Any) -> Any:
    if x.kind != "f":
        return NotImplemented
    result = c_call("pow", x, y)
    unless(not_finite(result))  # overflow, 0.0 ** -1, (-8.0) ** 0.5
    return result


_POWERS = [[2, 3], [2.5, 2], [2, 0.5], [1.5, -2]]
arithmetic("py.pow", power, "**", _power, same_as("power"), samples=_POWERS)


# -- bits ----------------------------------------------------------------------------------------------


def _lshift(x: Any, y: Any) -> Any:
    unless(y < 0)
    unless(y > 62)
    result = x << y
    unless(result >> y != x)
    return result


def _rshift(x: Any, y: Any) -> Any:
    unless(y < 0, raises=True)
    return x >> where(y > 63, 63, y)


def shift_left(x: int, y: int) -> int:
    if y > 64 and x:
        raise IntegerRangeError(f"integer result of << does not fit in 64 bits: {x} << {y}")
    return x << y


def _bits(function: Formula) -> Formula:
    return lambda x, y: function(x, y) if x.dtype == y.dtype else function(x.to(I64), y.to(I64))


_BITS = none("bits")
BITS = [[6, 3], [-5, 9], [True, 2]]
arithmetic("py.lshift", shift_left, "<<", _lshift, _BITS, samples=BITS)
arithmetic("py.rshift", operator.rshift, ">>", _rshift, _BITS, samples=BITS)
arithmetic("py.invert", operator.invert, "~", operator.invert, _BITS, effects=PURE, samples=[[5], [-1]])
_PAIRS_OF_BITS, _OF_BITS = [*BITS, [True, False]], "python bits"
for _name in ("and", "or", "xor"):
    _function = getattr(operator, f"__{_name}__")
    arithmetic(f"py.{_name}", _function, _name, _bits(_function), _BITS, effects=PURE,
               samples=_PAIRS_OF_BITS, commutes=True, family=_OF_BITS)  # fmt: skip


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
        _kernel,
        _integers_only(_name),
        MAY_RAISE if _name in ("py.pow_mod", "py.range_length") else PURE,
        _samples,
        family="python int",
        vjp=none("whole numbers"),
    )

op(
    "py.complex_of",
    complex,
    lambda types: COMPLEX,
    samples=[[1.5, 2], [0.0, -0.0]],
    lowered=("complex",),
    family="python complex",
    vjp=lambda g, y, re, im: (g, g * 1j),
)
op(
    "py.is_integer",
    lambda x: float(x).is_integer(),
    lambda types: BOOL,
    samples=[[2.0], [2.5]],
    family="python float",
    vjp=none("comparison"),
)


# -- comparisons, and the choice between values --------------------------------------------------------


def comparison(name: str, function: Callable[..., Any], commutes: bool = False) -> None:
    def formula(x: Any, y: Any) -> Any:
        kinds = {x.kind, y.kind}
        if kinds <= {"b", "i"}:
            return function(x.to(I64), y.to(I64))
        return function(x, y) if kinds == {"f"} else exact_comparison(function, x, y)

    op(
        name,
        function,
        number_rule(function, name),
        formula=native("biuf", formula),
        samples=[*PAIRS, [3, 3.0], [2**53 + 1, 2.0**53]],
        family="python comparison",
        lowered=("complex",),
        vjp=none("comparison"),
        traits=["commutative"] if commutes else [],
    )


def exact_comparison(test: Callable[..., Any], x: Any, y: Any) -> Any:
    """An int with a float. Python compares exactly; where rounding the int makes them equal, compare ints."""
    int_first = y.kind == "f"
    i, f = (x.to(I64), y) if int_first else (y.to(I64), x)
    in_order = lambda i, f: test(i, f) if int_first else test(f, i)
    tie = i.to(F64) == f
    in_range = tie & (f < 2.0**63)
    whole = where(in_range, f, 0).to(I64)
    beyond = in_order(i.of(0), i.of(1))  # a tie with 2.0**63 cannot be converted: the int is smaller
    return where(tie, where(in_range, in_order(i, whole), beyond), in_order(i.to(F64), f))


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    comparison(f"py.{_name}", getattr(operator, _name), commutes=_name in ("eq", "ne"))


def select_rule(types: tuple[Type, ...]) -> Type:
    condition, x, y = types
    if condition != BOOL or x != y or isinstance(x, ArrayType):
        raise TypeError(f"py.select takes a bool and two values of one immutable type, not {x} and {y}")
    return x


op(
    "py.select",
    lambda condition, x, y: x if condition else y,
    select_rule,
    formula=lambda b, condition, x, y: b.select(condition, x, y),
    samples=[[True, 1, 2], [False, 1.5, 2.5]],
    family="python choice",
    vjp=same_as("where"),
)
