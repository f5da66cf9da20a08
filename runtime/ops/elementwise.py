"""Elementwise operations: NumPy's ufuncs, with their promotion, broadcasting and names.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["true_divide"].infer((parse_type("i64[3]"), parse_type("i64"))))
f64[3]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, Effects, Vjp, op
from runtime.ops.expressions import Expr, ops
from runtime.ops.promotion import elementwise, elementwise_effects
from runtime.ops.python_numbers import float_divmod, int_divmod
from runtime.types import Type

INTEGERS = [[(3, 4), (4,)], [(2, 1), (1, 3)], [(), 2], [2, 3]]
UNARY = [[(3, 4)], [()], [2]]
BINARY = [[(3, 4), (4,)], [(2, 1), (1, 3)], [(3,), ()], [(), 2], [(2,), 1.5], [2, 3]]


def ufunc(
    name: str,
    native: Callable[..., Any] | None = None,
    effects: Effects | Callable[..., Effects] = elementwise_effects,
    samples: Sequence[Any] | None = None,
    traits: Sequence[str] = (),
    vjp: Vjp = None,
) -> None:
    """An operation that is a NumPy ufunc; the attribute ``dtype`` chooses the loop as in NumPy.

    ``vjp`` is without that attribute, for the sweep casts.
    """
    function: np.ufunc = getattr(np, name)
    op(
        name,
        kernel=function,
        infer=elementwise(function),
        native=native,
        effects=effects,
        samples=samples if samples is not None else (UNARY if function.nin == 1 else BINARY),
        family="elementwise",
        traits=traits,
        vjp=of_any_dtype(vjp),
    )


def of_any_dtype(vjp: Vjp) -> Vjp:
    """The rule of a ufunc, whatever its attribute ``dtype``."""
    if not callable(vjp):
        return vjp
    rule = vjp
    return lambda g, y, *inputs, dtype=None: rule(g, y, *inputs)


def kinds(allowed: str, native: Callable[..., Any]) -> Callable[..., Any]:
    """A lowering for operands whose dtypes are of these kinds; others call the kernel."""

    def only(b: Any, *xs: Any) -> Any:
        for x in xs:
            if b.dtype(x).kind not in allowed or b.dtype(x) == np.float16:
                return NotImplemented
        return native(b, *xs)

    return only


def zero(b: Any, x: Any) -> Any:
    return b.constant(0, b.dtype(x))


def one(b: Any, x: Any) -> Any:
    return b.constant(1, b.dtype(x))


# -- arithmetic ----------------------------------------------------------------------------------------


def _add(b: Any, x: Any, y: Any) -> Any:
    return b.or_(x, y) if b.dtype(x).kind == "b" else b.add(x, y)


def _multiply(b: Any, x: Any, y: Any) -> Any:
    return b.and_(x, y) if b.dtype(x).kind == "b" else b.mul(x, y)


ufunc("add", kinds("biuf", _add), traits=["commutative"], vjp=lambda g, y, a, b: (g, g))
ufunc("subtract", kinds("iuf", lambda b, x, y: b.sub(x, y)), vjp=lambda g, y, a, b: (g, -g))
ufunc(
    "multiply",
    kinds("biuf", _multiply),
    traits=["commutative"],
    vjp=lambda g, y, a, b: (g * b, g * a),
)
ufunc(
    "true_divide",
    kinds("f", lambda b, x, y: b.div(x, y)),
    vjp=lambda g, y, a, b: (g / b, -g * y / b),
)
ufunc("negative", kinds("iuf", lambda b, x: b.neg(x)), vjp=lambda g, y, x: (-g,))
ufunc("positive", kinds("iuf", lambda b, x: x), vjp=lambda g, y, x: (g,))


def _absolute(b: Any, x: Any) -> Any:
    return x if b.dtype(x).kind in "bu" else b.abs(x)


ufunc("absolute", kinds("biuf", _absolute))
ufunc("fabs", kinds("f", lambda b, x: b.abs(x)))


def _divmod_part(part: int) -> Callable[..., Any]:
    """NumPy's ``//`` and ``%``: by zero 0 for integers; of the lowest integer by -1, itself or 0."""

    def native(b: Any, x: Any, y: Any) -> Any:
        if b.dtype(x).kind == "f":
            by_zero = b.eq(y, zero(b, y))
            plain = b.div(x, y) if part == 0 else b.remainder(x, y)
            return b.select(by_zero, plain, float_divmod(b, x, y)[part])
        by_zero = b.eq(y, zero(b, y))
        safe = b.select(by_zero, one(b, y), y)
        if b.dtype(x).kind == "u":
            found = b.quotient(x, safe) if part == 0 else b.remainder(x, safe)
        else:
            by_minus_one = b.eq(y, b.constant(-1, b.dtype(y)))
            safe = b.select(by_minus_one, one(b, y), safe)
            found = int_divmod(b, x, safe)[part]
            found = b.select(by_minus_one, b.neg(x) if part == 0 else zero(b, x), found)
        return b.select(by_zero, zero(b, x), found)

    return native


ufunc("floor_divide", kinds("iuf", _divmod_part(0)))
ufunc("remainder", kinds("iuf", _divmod_part(1)))
ufunc("fmod", kinds("f", lambda b, x, y: b.remainder(x, y)))
ufunc("divmod")


def _power_effects(types: tuple[Type, ...], **attributes: Any) -> Effects:
    """An integer to a negative integer raises ValueError."""
    if all(t.dtype.kind in "biu" for t in types):  # type: ignore[union-attr]
        return MAY_RAISE
    return elementwise_effects(types)


def _power_vjp(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    """At a = 0: 0 ** 0 is constant in both, and log(0) is not asked for."""
    slope = ops.where(b == 0, 0, b * a ** (b - 1))
    return g * slope, g * y * ops.log(ops.where(a == 0, 1, a))


ufunc("power", kinds("f", lambda b, x, y: b.call("pow", x, y)), _power_effects, vjp=_power_vjp)
ufunc("float_power", kinds("f", lambda b, x, y: b.call("pow", x, y)))
ufunc("square", kinds("iuf", lambda b, x: b.mul(x, x)), vjp=lambda g, y, x: (g * (2 * x),))
ufunc("reciprocal", kinds("f", lambda b, x: b.div(one(b, x), x)))
ufunc("gcd", samples=INTEGERS)
ufunc("lcm", samples=INTEGERS)
ufunc("conjugate")


def _sign(b: Any, x: Any) -> Any:
    down = b.constant(-1, b.dtype(x)) if b.dtype(x).kind != "u" else zero(b, x)
    found = b.select(b.gt(x, zero(b, x)), one(b, x), b.select(b.lt(x, zero(b, x)), down, zero(b, x)))
    return b.select(b.ne(x, x), x, found)


ufunc("sign", kinds("iuf", _sign))


def _heaviside(b: Any, x: Any, y: Any) -> Any:
    found = b.select(b.lt(x, zero(b, x)), zero(b, x), b.select(b.gt(x, zero(b, x)), one(b, x), y))
    return b.select(b.ne(x, x), x, found)


ufunc("heaviside", kinds("f", _heaviside))


# -- functions of floats -------------------------------------------------------------------------------


def libm(*names: str, **rules: Vjp) -> None:
    """Functions that C has under the same name. NumPy's own version may differ by a few ulp.

    ``sin=rule``: with the rule of its derivative.
    """
    for name in (*names, *rules):
        c_name = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh"}.get(name, name)
        c_name = {"arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2"}.get(c_name, c_name)
        ufunc(name, kinds("f", lambda b, *xs, c_name=c_name: b.call(c_name, *xs)), vjp=rules.get(name))


libm(
    "cbrt", "exp2", "expm1", "log2", "log10", "log1p",
    sqrt=lambda g, y, x: (g * 0.5 / y,),
    exp=lambda g, y, x: (g * y,),
    log=lambda g, y, x: (g / x,),
)  # fmt: skip
libm(
    "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "arcsinh", "arccosh", "arctanh",
    sin=lambda g, y, x: (g * ops.cos(x),),
    cos=lambda g, y, x: (-g * ops.sin(x),),
    tanh=lambda g, y, x: (g * (1 - y * y),),
)  # fmt: skip
libm("arctan2", "hypot", "copysign")


def _rounding(b: Any, x: Any, name: str) -> Any:
    return x if b.dtype(x).kind in "biu" else b.call(name, x)


for _name in ("floor", "ceil", "trunc", "rint"):
    ufunc(_name, kinds("biuf", lambda b, x, name=_name: _rounding(b, x, name)))

ufunc("logaddexp")
ufunc("logaddexp2")
ufunc("nextafter")
ufunc("spacing")
ufunc("ldexp", samples=[[(3,), 2], [(), 3]])
ufunc("frexp")
ufunc("modf")
ufunc("deg2rad", kinds("f", lambda b, x: b.mul(x, b.constant(np.pi / 180, b.dtype(x)))))
ufunc("rad2deg", kinds("f", lambda b, x: b.mul(x, b.constant(180 / np.pi, b.dtype(x)))))
ufunc("radians")
ufunc("degrees")


# -- extremes ------------------------------------------------------------------------------------------


def _extreme(compare: str, propagates_nan: bool, keeps_first: bool = True) -> Callable[..., Any]:
    """``keeps_first``: of 0.0 and -0.0, which are equal."""

    def native(b: Any, x: Any, y: Any) -> Any:
        if b.dtype(x).kind == "b":
            return b.or_(x, y) if compare == "gt" else b.and_(x, y)
        method = {"gt": "ge", "lt": "le"}[compare] if keeps_first else compare
        found = b.select(getattr(b, method)(x, y), x, y)
        if b.dtype(x).kind != "f":
            return found
        if propagates_nan:
            return b.select(b.ne(x, x), x, found)  # a NaN in y fails the comparison, so y is chosen
        return b.select(b.ne(y, y), x, found)

    return native


ufunc("maximum", kinds("biuf", _extreme("gt", True, keeps_first=False)))
ufunc("minimum", kinds("biuf", _extreme("lt", True, keeps_first=False)))
ufunc("fmax", kinds("biuf", _extreme("gt", False)))
ufunc("fmin", kinds("biuf", _extreme("lt", False)))


# -- bits ----------------------------------------------------------------------------------------------

ufunc("bitwise_and", kinds("biu", lambda b, x, y: b.and_(x, y)), samples=INTEGERS, traits=["commutative"])
ufunc("bitwise_or", kinds("biu", lambda b, x, y: b.or_(x, y)), samples=INTEGERS, traits=["commutative"])
ufunc("bitwise_xor", kinds("biu", lambda b, x, y: b.xor(x, y)), samples=INTEGERS, traits=["commutative"])
ufunc("invert", kinds("biu", lambda b, x: b.not_(x)))


def _shift(method: str) -> Callable[..., Any]:
    """NumPy shifts by the width or more to 0 (or to the sign)."""

    def native(b: Any, x: Any, y: Any) -> Any:
        width = b.dtype(x).itemsize * 8
        highest = b.constant(width - 1, b.dtype(y))
        outside = b.gt(y, highest)
        if b.dtype(y).kind == "i":
            outside = b.or_(outside, b.lt(y, zero(b, y)))
        shifted = getattr(b, method)(x, b.select(outside, highest, y))
        if method == "shr" and b.dtype(x).kind == "i":
            return shifted
        return b.select(outside, zero(b, x), shifted)

    return native


ufunc("left_shift", kinds("iu", _shift("shl")), samples=INTEGERS)
ufunc("right_shift", kinds("iu", _shift("shr")), samples=INTEGERS)
ufunc("bitwise_count")


# -- choice --------------------------------------------------------------------------------------------


def _clip(x: Any, low: Any = None, high: Any = None) -> Any:
    return np.clip(x, low, high)


_clip_ufunc: np.ufunc = np._core.umath.clip  # type: ignore[attr-defined]


def _clip_element(b: Any, x: Any, low: Any, high: Any) -> Any:
    return _extreme("lt", True)(b, _extreme("gt", True)(b, x, low), high)


op(
    "clip",
    kernel=_clip_ufunc,
    infer=elementwise(_clip_ufunc),
    native=kinds("biuf", _clip_element),
    effects=elementwise_effects,
    samples=[[(3, 4), 0, 1], [(3,), (3,), (1,)], [(), 1, 2]],
    family="elementwise",
)
