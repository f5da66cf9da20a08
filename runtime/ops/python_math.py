"""The functions of Python's ``math`` on staged numbers: ``math.sqrt``, with Python's errors.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["math.sqrt"].kernel(-1.0)
Traceback (most recent call last):
    ...
ValueError: ...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from runtime.ops.definition import MAY_RAISE, PURE, Effects, Vjp, none, op, same_as
from runtime.ops.elementwise import hypot_vjp
from runtime.ops.expressions import Expr, ops, ufunc_rule
from runtime.ops.library_calls import library
from runtime.ops.promotion import numeric
from runtime.ops.python_numbers import F64, fitting, not_finite
from runtime.types import BOOL, FLOAT, INT, ArrayType, NumberType, ScalarType, Type


def math_rule(name: str, result: Type | tuple[Type, ...], ints: bool = False) -> Callable[..., Any]:
    """The result type; raises TypeError for what Python's function does not take."""
    function = getattr(math, name)

    def infer(types: tuple[Type, ...], **attributes: Any) -> Any:
        _check_count(function, len(types) if name != "isclose" else 2)
        for t in numeric(types, f"math.{name}()"):
            if name == "trunc":
                _needs_trunc(t)
            if isinstance(t, ArrayType) and t.ndim:
                raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
            if t.dtype.kind == "c":
                raise TypeError("must be real number, not complex")
            if ints and t.dtype.kind not in "iub":
                shown = t.kind if isinstance(t, NumberType) else f"numpy.{t.dtype}"
                raise TypeError(f"'{shown}' object cannot be interpreted as an integer")
        return result

    return infer


@cache
def _check_count(function: Callable[..., Any], count: int) -> None:
    """Raises TypeError, in Python's words, where the function does not take so many numbers."""
    with suppress(ValueError, ArithmeticError):  # of the numbers, as of atanh(1)
        function(*[1] * count)


def _needs_trunc(type: Type) -> None:
    """Of NumPy's numbers only float64, which is a Python float, has the method that math.trunc() calls."""
    if isinstance(type, ArrayType) or (isinstance(type, ScalarType) and type.dtype != F64):
        name = "ndarray" if isinstance(type, ArrayType) else type.dtype.type.__name__
        raise TypeError(f"type numpy.{name} doesn't define __trunc__ method")


def _erf_slope(x: Expr) -> Any:
    return (2 / math.sqrt(math.pi)) * ops.exp(-ops.square(x))


#: the rules of those that no ufunc of NumPy computes
_RULES: dict[str, Vjp] = {
    "gamma": lambda g, y, x: (g * y * library("scipy.special.psi")(x),),
    "lgamma": lambda g, y, x: (g * library("scipy.special.psi")(x),),
    "erf": lambda g, y, x: (g * _erf_slope(x),),
    "erfc": lambda g, y, x: (-g * _erf_slope(x),),
}


def libm(*names: str, samples: Sequence[Any], effects: Effects = MAY_RAISE) -> None:
    """Functions that are C's, where a result that is not finite goes to the kernel: it may be an error."""
    for name in names:
        c_name = {"gamma": "tgamma", "fabs": "fabs"}.get(name, name)

        def native(b: Any, *xs: Any, c_name: str = c_name) -> Any:
            result = b.call(c_name, *xs)
            b.slow_if(not_finite(b, result))
            return result

        exact = name not in ("gamma", "lgamma")  # CPython has its own versions of these two
        op(
            f"math.{name}",
            kernel=getattr(math, name),
            infer=math_rule(name, FLOAT),
            native=native if exact else None,
            effects=effects,
            samples=samples,
            family="python float",
            vjp=_RULES.get(name) or ufunc_rule(name),
        )


libm("sqrt", "exp", "expm1", "log1p", "sinh", "cosh", "gamma", samples=[[0.5], [2], [True]])
libm("log", "log2", "log10", "lgamma", samples=[[0.5], [2]])
libm("exp2", "cbrt", "sin", "cos", "tan", samples=[[0.5], [-2], [True]])
libm("asin", "acos", samples=[[0.5], [-1]])
libm("atanh", samples=[[0.5], [-0.25]])
libm("acosh", samples=[[1.5], [3]])
libm("atan", "tanh", "asinh", "erf", "erfc", "fabs", samples=[[0.5], [-2], [True]], effects=PURE)
libm("atan2", "copysign", samples=[[0.5, 1.0], [-2, 3]], effects=PURE)
libm("fmod", "pow", samples=[[0.5, 1.5], [2, 3]])


_WHOLE_NUMBERS = none("whole numbers")


def kernel_only(
    name: str,
    result: Type | tuple[Type, ...],
    samples: Sequence[Any],
    effects: Effects = MAY_RAISE,
    ints: bool = False,
    native: Callable[..., Any] | None = None,
    vjp: Vjp = _WHOLE_NUMBERS,
) -> None:
    function = getattr(math, name)

    def whole(*args: Any) -> int:
        return int(fitting(function(*args), f"math.{name}()"))

    op(
        f"math.{name}",
        kernel=whole if result == INT else function,
        infer=math_rule(name, result, ints),
        native=native,
        effects=effects,
        samples=samples,
        family="python float" if not ints else "python int",
        vjp=vjp,
    )


_remainder_vjp = lambda g, y, a, b: (g, -g * ops.rint((a - y) / b))

kernel_only("degrees", FLOAT, [[0.5], [2]], PURE, vjp=same_as("degrees"))
kernel_only("radians", FLOAT, [[0.5], [2]], PURE, vjp=same_as("radians"))
kernel_only("ulp", FLOAT, [[0.5], [2]], PURE)
kernel_only("remainder", FLOAT, [[0.5, 0.3], [7, 3]], vjp=_remainder_vjp)
kernel_only("hypot", FLOAT, [[0.5, 0.3], [3, 4, 5]], PURE, vjp=hypot_vjp)
kernel_only("nextafter", FLOAT, [[0.5, 1.0]], PURE, vjp=same_as("nextafter"))
kernel_only("modf", (FLOAT, FLOAT), [[0.5], [-2.25]], PURE, vjp=same_as("modf"))
kernel_only("frexp", (FLOAT, INT), [[0.5], [-2.25]], PURE, vjp=same_as("frexp"))
kernel_only("gcd", INT, [[12, 18], [5, 7]], ints=True)
kernel_only("lcm", INT, [[12, 18], [5, 7]], ints=True)
kernel_only("isqrt", INT, [[12]], ints=True)
kernel_only("factorial", INT, [[5]], ints=True)
kernel_only("comb", INT, [[5, 2]], ints=True)
kernel_only("perm", INT, [[5, 2]], ints=True)


def _whole(c_name: str) -> Callable[..., Any]:
    from runtime.ops.python_conversion import native_int

    return lambda b, x: native_int(b, b.call(c_name, x))


kernel_only("floor", INT, [[2.5], [-2.5]], native=_whole("floor"))
kernel_only("ceil", INT, [[2.5], [-2.5]], native=_whole("ceil"))
kernel_only("trunc", INT, [[2.5], [-2.5]], native=_whole("trunc"))
kernel_only("isnan", BOOL, [[2.5], [1]], PURE, native=lambda b, x: b.ne(x, x))
kernel_only("isfinite", BOOL, [[2.5], [1]], PURE, native=lambda b, x: b.not_(not_finite(b, x)))
kernel_only(
    "isinf", BOOL, [[2.5], [1]], PURE, native=lambda b, x: b.eq(b.abs(x), b.constant(float("inf"), F64))
)

op(
    "math.ldexp",
    kernel=math.ldexp,
    infer=math_rule("ldexp", FLOAT),
    native=None,
    effects=MAY_RAISE,
    samples=[[0.5, 3]],
    family="python mixed",
    vjp=same_as("ldexp"),
)
op(
    "math.isclose",
    kernel=lambda a, b, rel_tol, abs_tol: math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol),
    infer=math_rule("isclose", BOOL),
    native=None,
    effects=MAY_RAISE,
    samples=[[0.5, 0.5, 1e-9, 0.0]],
    family="python mixed",
    vjp=none("comparison"),
)
