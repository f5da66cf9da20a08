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

from runtime.ops.definition import MAY_RAISE, PURE, Effects, Vjp, none, op
from runtime.ops.expressions import Expr, as_written, less, ops
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
    *,
    vjp: Vjp,
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


ufunc("add", kinds("biufc", _add), traits=["commutative"], vjp=lambda g, y, a, b: (g, g))
ufunc("subtract", kinds("iufc", lambda b, x, y: b.sub(x, y)), vjp=lambda g, y, a, b: (g, -g))
ufunc(
    "multiply",
    kinds("biufc", _multiply),
    traits=["commutative"],
    vjp=lambda g, y, a, b: (g * b, g * a),
)
ufunc(
    "true_divide",
    kinds("fc", lambda b, x, y: b.div(x, y)),
    vjp=lambda g, y, a, b: (g / b, -g * y / b),
)
ufunc("negative", kinds("iufc", lambda b, x: b.neg(x)), vjp=lambda g, y, x: (-g,))
ufunc("positive", kinds("iufc", lambda b, x: x), vjp=lambda g, y, x: (g,))


def _absolute(b: Any, x: Any) -> Any:
    return x if b.dtype(x).kind in "bu" else b.abs(x)


_absolute_vjp = lambda g, y, x: (g * ops.sign(x).conj,)  # 0 at 0
ufunc("absolute", kinds("biufc", _absolute), vjp=_absolute_vjp)
ufunc("fabs", kinds("f", lambda b, x: b.abs(x)), vjp=_absolute_vjp)


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


ufunc("floor_divide", kinds("iuf", _divmod_part(0)), vjp=none("whole numbers"))
ufunc("remainder", kinds("iuf", _divmod_part(1)), vjp=lambda g, y, a, b: (g, -g * (a // b)))
ufunc(
    "fmod", kinds("f", lambda b, x, y: b.remainder(x, y)), vjp=lambda g, y, a, b: (g, -g * ops.trunc(a / b))
)
ufunc("divmod", vjp=lambda g, y, a, b: (g[1], -g[1] * y[0]))


def _power_effects(types: tuple[Type, ...], **attributes: Any) -> Effects:
    """An integer to a negative integer raises ValueError."""
    if all(t.dtype.kind in "biu" for t in types):  # type: ignore[union-attr]
        return MAY_RAISE
    return elementwise_effects(types)


def _power_vjp(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    """At a = 0: 0 ** 0 is constant in both, and log(0) is not asked for."""
    n = b.known
    if n is not None and n != 0:
        return g * (b if n == 1 else b * a if n == 2 else b * a ** (n - 1)), None
    slope = ops.where(b == 0, 0, b * a ** ops.where(b == 0, 1, b - 1))
    return g * slope, g * y * ops.log(ops.where(a == 0, 1, a))


ufunc("power", kinds("f", lambda b, x, y: b.call("pow", x, y)), _power_effects, vjp=_power_vjp)
ufunc("float_power", kinds("f", lambda b, x, y: b.call("pow", x, y)), vjp=_power_vjp)
ufunc("square", kinds("iufc", lambda b, x: b.mul(x, x)), vjp=lambda g, y, x: (g * (2 * x),))
ufunc("reciprocal", kinds("f", lambda b, x: b.div(one(b, x), x)), vjp=lambda g, y, x: (-g * y * y,))
ufunc("gcd", samples=INTEGERS, vjp=none("whole numbers"))
ufunc("lcm", samples=INTEGERS, vjp=none("whole numbers"))
ufunc(
    "conjugate",
    kinds("biufc", lambda b, x: b.conj(x) if b.dtype(x).kind == "c" else x),
    vjp=lambda g, y, x: (g.conj,),
)


def _sign(b: Any, x: Any) -> Any:
    down = b.constant(-1, b.dtype(x)) if b.dtype(x).kind != "u" else zero(b, x)
    found = b.select(b.gt(x, zero(b, x)), one(b, x), b.select(b.lt(x, zero(b, x)), down, zero(b, x)))
    return b.select(b.ne(x, x), x, found)


def _sign_vjp(g: Expr, y: Expr, x: Expr) -> tuple[Any, ...]:
    """Of a complex number it is a point of the unit circle, which moves along it."""
    if not x.is_complex:
        return (None,)
    length = ops.absolute(x)
    moved = ops.real(1j * g * y) / ops.where(length == 0, 1, length)
    return (-1j * moved * y.conj,)


ufunc("sign", kinds("iuf", _sign), vjp=_sign_vjp)


def _heaviside(b: Any, x: Any, y: Any) -> Any:
    found = b.select(b.lt(x, zero(b, x)), zero(b, x), b.select(b.gt(x, zero(b, x)), one(b, x), y))
    return b.select(b.ne(x, x), x, found)


ufunc("heaviside", kinds("f", _heaviside), vjp=lambda g, y, x, at_zero: (None, ops.where(x == 0, g, 0)))


# -- functions of floats -------------------------------------------------------------------------------


def libm(**rules: Vjp) -> None:
    """Functions that C has under the same name, with the rules of their derivatives. NumPy's own version may
    differ by a few ulp."""
    for name, rule in rules.items():
        c_name = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh"}.get(name, name)
        c_name = {"arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2"}.get(c_name, c_name)
        ufunc(name, kinds("f", lambda b, *xs, c_name=c_name: b.call(c_name, *xs)), vjp=rule)


libm(
    sqrt=lambda g, y, x: (g * 0.5 / y,),
    cbrt=lambda g, y, x: (g / (3 * y * y),),
    exp=lambda g, y, x: (g * y,),
    exp2=lambda g, y, x: (g * y * np.log(2),),
    expm1=lambda g, y, x: (g * (y + 1),),
    log=lambda g, y, x: (g / x,),
    log2=lambda g, y, x: (g / (x * np.log(2)),),
    log10=lambda g, y, x: (g / (x * np.log(10)),),
    log1p=lambda g, y, x: (g / (1 + x),),
)
libm(
    sin=lambda g, y, x: (g * ops.cos(x),),
    cos=lambda g, y, x: (-g * ops.sin(x),),
    tan=lambda g, y, x: (g * (1 + y * y),),
    arcsin=lambda g, y, x: (g / ops.sqrt(1 - x * x),),
    arccos=lambda g, y, x: (-g / ops.sqrt(1 - x * x),),
    arctan=lambda g, y, x: (g / (1 + x * x),),
    sinh=lambda g, y, x: (g * ops.cosh(x),),
    cosh=lambda g, y, x: (g * ops.sinh(x),),
    tanh=lambda g, y, x: (g * (1 - y * y),),
    arcsinh=lambda g, y, x: (g / ops.sqrt(x * x + 1),),
    arccosh=lambda g, y, x: (g / (ops.sqrt(x - 1) * ops.sqrt(x + 1)),),  # not √(x² - 1): complex numbers
    arctanh=lambda g, y, x: (g / (1 - x * x),),
)


def _arctan2_vjp(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    scaled = g / (a * a + b * b)
    return scaled * b, -scaled * a


def hypot_vjp(g: Expr, y: Expr, *parts: Expr) -> tuple[Any, ...]:
    """0 at 0, as of every norm."""
    scaled = g / ops.where(y == 0, 1, y)
    return tuple([scaled * part for part in parts])


libm(
    arctan2=_arctan2_vjp,
    hypot=hypot_vjp,
    copysign=lambda g, y, a, b: (g * ops.sign(a) * ops.copysign(1.0, b),),
)


def _rounding(b: Any, x: Any, name: str) -> Any:
    return x if b.dtype(x).kind in "biu" else b.call(name, x)


for _name in ("floor", "ceil", "trunc", "rint"):
    ufunc(_name, kinds("biuf", lambda b, x, name=_name: _rounding(b, x, name)), vjp=none("rounding"))


def _share_of_exp(exp: Callable[..., Any]) -> Any:
    """Of log(exp(a) + exp(b)); an infinite operand is the result, and has all."""
    share = lambda y, x: exp(less(x, y))
    return lambda g, y, a, b: (g * share(y, a), g * share(y, b))


ufunc("logaddexp", vjp=_share_of_exp(lambda x: ops.exp(x)))
ufunc("logaddexp2", vjp=_share_of_exp(lambda x: ops.exp2(x)))
ufunc("nextafter", vjp=lambda g, y, x, towards: (g,))
ufunc("spacing", vjp=none("rounding"))
ufunc("ldexp", samples=[[(3,), 2], [(), 3]], vjp=lambda g, y, x, n: (ops.ldexp(g, n),))
ufunc("frexp", vjp=lambda g, y, x: (ops.ldexp(g[0], -y[1]),))
ufunc("modf", vjp=lambda g, y, x: (g[0],))
_TO_RADIANS: Vjp = lambda g, y, x: (g * (np.pi / 180),)
_TO_DEGREES: Vjp = lambda g, y, x: (g * (180 / np.pi),)
ufunc("deg2rad", kinds("f", lambda b, x: b.mul(x, b.constant(np.pi / 180, b.dtype(x)))), vjp=_TO_RADIANS)
ufunc("rad2deg", kinds("f", lambda b, x: b.mul(x, b.constant(180 / np.pi, b.dtype(x)))), vjp=_TO_DEGREES)
ufunc("radians", vjp=_TO_RADIANS)
ufunc("degrees", vjp=_TO_DEGREES)


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


def _share_of_extreme(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    """All for the operand that was taken, half each for equal ones; NaN where the result is."""
    nothing = ops.where(y == y, 0, y)
    share = lambda taken, other: ops.where(taken == y, ops.where(other == y, 0.5, 1), nothing)
    return g * share(a, b), g * share(b, a)


ufunc("maximum", kinds("biuf", _extreme("gt", True, keeps_first=False)), vjp=_share_of_extreme)
ufunc("minimum", kinds("biuf", _extreme("lt", True, keeps_first=False)), vjp=_share_of_extreme)
for _name, _native in (
    ("maximum_or_first", kinds("biuf", _extreme("gt", True))),
    ("minimum_or_first", kinds("biuf", _extreme("lt", True))),
):
    op(
        _name,  # as `maximum`, but of equal ones the first has the whole gradient: in TensorFlow's spelling
        kernel=getattr(np, _name[:7]),
        infer=elementwise(getattr(np, _name[:7])),
        native=_native,
        effects=elementwise_effects,
        samples=BINARY,
        family="elementwise",
        vjp=lambda g, y, a, b: (ops.where(a == y, g, 0), ops.where(a == y, 0, g)),
    )
op(
    "relu",  # maximum(x, 0), of slope 0 at 0
    kernel=lambda x: np.maximum(x, x.dtype.type(0)),
    infer=lambda types: types[0],
    native=kinds("iuf", lambda b, x: b.select(b.lt(x, zero(b, x)), zero(b, x), x)),
    effects=PURE,
    samples=[[(3, 4)]],
    family="elementwise",
    vjp=lambda g, y, x: (ops.where(y > 0, g, 0),),  # so that x need not be kept
)
ufunc("fmax", kinds("biuf", _extreme("gt", False)), vjp=_share_of_extreme)
ufunc("fmin", kinds("biuf", _extreme("lt", False)), vjp=_share_of_extreme)


# -- bits ----------------------------------------------------------------------------------------------

_BITS = none("bits")


def _bitwise(name: str, method: str) -> None:
    native = kinds("biu", lambda b, x, y: getattr(b, method)(x, y))
    ufunc(name, native, samples=INTEGERS, traits=["commutative"], vjp=_BITS)


_bitwise("bitwise_and", "and_")
_bitwise("bitwise_or", "or_")
_bitwise("bitwise_xor", "xor")
ufunc("invert", kinds("biu", lambda b, x: b.not_(x)), vjp=_BITS)


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


ufunc("left_shift", kinds("iu", _shift("shl")), samples=INTEGERS, vjp=_BITS)
ufunc("right_shift", kinds("iu", _shift("shr")), samples=INTEGERS, vjp=_BITS)
ufunc("bitwise_count", vjp=_BITS)


# -- choice --------------------------------------------------------------------------------------------


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
    vjp=as_written(lambda x, low, high: ops.minimum(ops.maximum(x, low), high)),
)
