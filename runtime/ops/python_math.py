"""The functions of Python's ``math`` and ``cmath`` on staged numbers: ``math.sqrt``, with Python's errors.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["math.sqrt"].kernel(-1.0)
Traceback (most recent call last):
    ...
ValueError: ...
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from runtime.ops.definition import MAY_RAISE, PURE, Effects, Vjp, none, op
from runtime.ops.expressions import Expr, ops, ufunc_rule
from runtime.ops.formulas import FLOAT64, Formula, c_call, native, not_finite, to_int64, unless
from runtime.ops.library_calls import library
from runtime.ops.promotion import numeric
from runtime.ops.python_numbers import fitting
from runtime.types import BOOL, COMPLEX, FLOAT, INT, ArrayType, NumberType, ScalarType, Type


def math_rule(
    module: Any, name: str, result: Type | tuple[Type, ...], ints: bool = False
) -> Callable[..., Any]:
    """The result type; raises TypeError for what Python's function does not take."""
    function, of_complex = getattr(module, name), module is cmath

    def infer(types: tuple[Type, ...], **attributes: Any) -> Any:
        if not of_complex:
            _check_count(function, len(types) if name != "isclose" else 2)
        for t in numeric(types, f"{module.__name__}.{name}()"):
            if function is math.trunc:
                _needs_trunc(t)
            if isinstance(t, ArrayType) and t.ndim:
                raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
            if t.dtype.kind == "c" and not of_complex:
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
    if isinstance(type, ArrayType) or (isinstance(type, ScalarType) and type.dtype != FLOAT64):
        name = "ndarray" if isinstance(type, ArrayType) else type.dtype.type.__name__
        raise TypeError(f"type numpy.{name} doesn't define __trunc__ method")


def function(
    names: str,
    samples: Sequence[Any],
    result: Type | tuple[Type, ...] = FLOAT,
    effects: Effects = MAY_RAISE,
    *,
    formula: Formula | None = None,
    exact: bool = True,
    vjp: Vjp | None = None,
    ints: bool = False,
    kernel: Any = None,
    family: str = "python float",
    module: Any = math,
) -> None:
    """Functions of `math`; the rule of a derivative is that of the ufunc, where there is one."""
    for name in names.split():
        called = kernel or getattr(module, name)
        op(
            f"{module.__name__}.{name}",
            whole(called, name) if result == INT else called,
            math_rule(module, name, result, ints),
            formula=None if formula is None else native("biuf", formula),
            exact=exact,
            effects=effects,
            samples=samples,
            family="python int" if ints else family,
            vjp=vjp or _rule_of_ufunc(name, result) or none("whole numbers"),
        )


def _rule_of_ufunc(name: str, result: Any) -> Vjp | None:
    """Of a holomorphic function the same rule; its result is complex, of a float, too."""
    rule = None if result in (INT, BOOL) else ufunc_rule(name)
    if rule is None or result != COMPLEX:
        return rule
    return lambda g, y, *xs: rule(g, y, *[x if x.is_complex else x + 0j for x in xs])


def whole(called: Callable[..., Any], name: str) -> Callable[..., Any]:
    return lambda *args: int(fitting(called(*args), f"math.{name}()"))


def libm(names: str, samples: Sequence[Any], effects: Effects = MAY_RAISE, vjp: Vjp | None = None) -> None:
    """Functions that are C's, where a result that is not finite goes to the kernel: it may be an error."""
    for name in names.split():

        def formula(*xs: Any, name: str = name) -> Any:
            result = c_call(name, *xs)
            unless(not_finite(result))
            return result

        function(name, samples, effects=effects, formula=formula, vjp=vjp)


_erf_slope = lambda x: (2 / math.sqrt(math.pi)) * ops.exp(-ops.square(x))
_psi = lambda x: library("scipy.special.psi")(x)
_remainder_vjp = lambda g, y, a, b: (g, -g * ops.rint((a - y) / b))
_ONE, _POSITIVE, _ANY, _INTS = [[0.5], [2], [True]], [[0.5], [2]], [[0.5], [-2], [True]], [[12, 18], [5, 7]]

libm("sqrt exp expm1 log1p sinh cosh", _ONE)
libm("log log2 log10", _POSITIVE)
libm("exp2 cbrt sin cos tan", _ANY)
libm("asin acos", [[0.5], [-1]])
libm("atanh", [[0.5], [-0.25]])
libm("acosh", [[1.5], [3]])
libm("atan tanh asinh fabs", _ANY, PURE)
libm("erf", _ANY, PURE, vjp=lambda g, y, x: (g * _erf_slope(x),))
libm("erfc", _ANY, PURE, vjp=lambda g, y, x: (-g * _erf_slope(x),))
libm("atan2 copysign", [[0.5, 1.0], [-2, 3]], PURE)
libm("fmod pow", [[0.5, 1.5], [2, 3]])
function("gamma", _ONE, vjp=lambda g, y, x: (g * y * _psi(x),))  # CPython's own
function("lgamma", _POSITIVE, vjp=lambda g, y, x: (g * _psi(x),))
function("degrees", _POSITIVE, effects=PURE, formula=lambda x: x * (180 / math.pi))
function("radians", _POSITIVE, effects=PURE, formula=lambda x: x * (math.pi / 180))
function("ulp", _POSITIVE, effects=PURE)
function("remainder", [[0.5, 0.3], [7, 3]], vjp=_remainder_vjp)
function(
    "hypot", [[0.5, 0.3], [3, 4, 5]], effects=PURE, formula=lambda *xs: c_call("hypot", *xs), exact=False
)
function("nextafter", [[0.5, 1.0]], effects=PURE)
function("modf", [[0.5], [-2.25]], (FLOAT, FLOAT), PURE)
function("frexp", [[0.5], [-2.25]], (FLOAT, INT), PURE)
function("gcd lcm", _INTS, INT, ints=True)
function("isqrt", [[12]], INT, ints=True)
function("factorial", [[5]], INT, ints=True)
function("comb perm", [[5, 2]], INT, ints=True)
for _name in ("floor", "ceil", "trunc"):
    function(_name, [[2.5], [-2.5]], INT, formula=lambda x, name=_name: to_int64(c_call(name, x)))
function("isnan", [[2.5], [1]], BOOL, PURE, formula=lambda x: x != x)
function("isfinite", [[2.5], [1]], BOOL, PURE, formula=lambda x: ~not_finite(x))
function("isinf", [[2.5], [1]], BOOL, PURE, formula=lambda x: abs(x) == float("inf"))
function("ldexp", [[0.5, 3]], family="python mixed")


def _log_vjp(g: Expr, y: Expr, x: Expr, *base: Expr) -> tuple[Any, ...]:
    if not base:
        return (g / x,)
    log = ops.log(base[0] + 0j)
    return g / (x * log), -g * y / (base[0] * log)


def _rect_vjp(g: Expr, y: Expr, r: Expr, angle: Expr) -> tuple[Any, ...]:
    return g * (ops.cos(angle) + 1j * ops.sin(angle)), g * 1j * y


def complex_function(names: str, samples: Sequence[Any], result: Any = COMPLEX, **fields: Any) -> None:
    function(names, samples, result, family="python complex", module=cmath, **fields)


_polar_vjp = lambda g, y, x: (g[0] * ops.sign(x).conj + g[1] * -1j / x,)
_COMPARISON, _COMPLEX = none("comparison"), [[0.5], [-2], [0.5 + 2j]]
complex_function("sqrt exp log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh", _COMPLEX)
complex_function("log", [*_COMPLEX, [0.5, 2.0]], vjp=_log_vjp)
complex_function("rect", [[2.0, 0.5]], vjp=_rect_vjp)
complex_function("phase", _COMPLEX, FLOAT, vjp=lambda g, y, x: (g * -1j / x,))
complex_function("polar", _COMPLEX, (FLOAT, FLOAT), vjp=_polar_vjp)
complex_function("isnan isinf isfinite", _COMPLEX, BOOL, effects=PURE, vjp=_COMPARISON)
for _module, _family, _numbers in (
    (math, "python mixed", [0.5, 0.5]),
    (cmath, "python complex", [0.5j, 0.5j]),
):
    _close = lambda a, b, rel_tol, abs_tol, is_close=_module.isclose: is_close(
        a, b, rel_tol=rel_tol, abs_tol=abs_tol
    )
    function(
        "isclose",
        [[*_numbers, 1e-9, 0.0]],
        BOOL,
        kernel=_close,
        family=_family,
        vjp=_COMPARISON,
        module=_module,
    )
