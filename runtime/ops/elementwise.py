"""NumPy's functions of single elements: one line says what one is, and all engines and exporters read it.

    ufunc("hypot", "f", libm("hypot"), hypot_vjp)
           |        |    |              its derivative (runtime/ops/definition.py)
           |        |    what it computes of one element (runtime/ops/formulas.py)
           |        the kinds of dtypes that the formula is for; for others the kernel is called
           NumPy's name: the kernel, the type rule, the weak Python numbers

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["true_divide"].infer((parse_type("i64[3]"), parse_type("i64"))))
f64[3]
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.ops import formulas
from runtime.ops.definition import MAY_RAISE, REGISTRY, Effects, Infer, Vjp, as_written, none, op, same_as
from runtime.ops.expressions import Expr, less, ops
from runtime.ops.formulas import (
    BOOL,
    Formula,
    c_call,
    float_divmod,
    int_divmod,
    libm,
    native,
    not_finite,
    where,
)
from runtime.ops.promotion import elementwise, elementwise_effects
from runtime.types import NumberType, NumericType, Type

INTEGERS = [[(3, 4), (4,)], [(2, 1), (1, 3)], [(), 2], [2, 3]]
UNARY = [[(3, 4)], [()], [2]]
BINARY = [[(3, 4), (4,)], [(2, 1), (1, 3)], [(3,), ()], [(), 2], [(2,), 1.5], [2, 3]]


def ufunc(
    name: str,
    kinds: str,
    formula: Formula | None,
    vjp: Vjp,
    *,
    effects: Effects | Callable[..., Effects] = elementwise_effects,
    samples: Sequence[Any] | None = None,
    commutes: bool = False,
    exact: bool = True,
    kernel: Any = None,
    like: np.ufunc | None = None,
) -> None:
    """An operation that is a NumPy ufunc, or has the loops of one: ``like``.

    The attribute ``dtype`` chooses the loop as in NumPy.
    ``vjp`` is without that attribute, for the sweep casts; of one operand it returns its cotangent.
    A formula that is not ``exact`` is for exporters: engines call the kernel, for it rounds otherwise.
    """
    function = kernel if kernel is not None else getattr(np, name)
    loops: np.ufunc = like or function
    read = native(kinds, formula) if formula is not None else None
    op(
        name,
        function,
        elementwise(loops),
        formula=read,
        exact=exact,
        effects=effects,
        samples=samples if samples is not None else (UNARY if loops.nin == 1 else BINARY),
        family="elementwise",
        traits=["commutative"] if commutes else [],
        loops=loops,
        vjp=_in_a_tuple(vjp),
    )


def _in_a_tuple(vjp: Vjp) -> Vjp:
    """The rule of a ufunc, whatever its attribute ``dtype``."""
    if not callable(vjp):
        return vjp
    rule = vjp

    def in_a_tuple(g: Any, y: Any, *inputs: Any, dtype: Any = None) -> Any:
        found = rule(g, y, *inputs)
        return (found,) if isinstance(found, Expr) else found

    return in_a_tuple


WHOLE, ROUNDING, BITS, COMPARISON = map(none, ("whole numbers", "rounding", "bits", "comparison"))


# -- arithmetic ----------------------------------------------------------------------------------------


def divmod_part(part: int) -> Formula:
    """NumPy's ``//`` and ``%``: by zero 0 for integers; of the lowest integer by -1, itself or 0."""

    def formula(x: Any, y: Any) -> Any:
        by_zero = y == 0
        if x.kind == "f":
            return where(by_zero, c_call("trunc_mod", x, y) if part else x / y, float_divmod(x, y)[part])
        if x.kind == "u":
            found = c_call("trunc_mod" if part else "trunc_div", x, where(by_zero, 1, y))
        else:
            by_minus_one = y == -1
            found = int_divmod(x, where(by_minus_one | by_zero, 1, y))[part]
            found = where(by_minus_one, 0 if part else -x, found)
        return where(by_zero, 0, found)

    return formula


def _fmod(x: Any, y: Any) -> Any:
    if x.kind == "f":
        return c_call("fmod", x, y)
    nothing = (y == 0) | (y == -1) if x.kind == "i" else y == 0
    return where(nothing, 0, c_call("trunc_mod", x, where(nothing, 1, y)))


def _power_effects(types: tuple[NumericType, ...], **attributes: Any) -> Effects:
    """An integer to a negative integer raises ValueError."""
    if all(t.dtype.kind in "biu" for t in types):
        return MAY_RAISE
    return elementwise_effects(types)


def _power_vjp(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    """At a = 0: 0 ** 0 is constant in both, and log(0) is not asked for."""
    n = b.known
    if n is not None and n != 0:
        return g * (b if n == 1 else b * a if n == 2 else b * a ** (n - 1)), None
    slope = ops.where(b == 0, 0, b * a ** ops.where(b == 0, 1, b - 1))
    return g * slope, g * y * ops.log(ops.where(a == 0, 1, a))


def _sign(x: Any) -> Any:
    found = where(x > 0, 1, where(x < 0, -1 if x.kind != "u" else 0, x.of(0)))
    return where(x != x, x, found)


def _sign_vjp(g: Expr, y: Expr, x: Expr) -> Any:
    """Of a complex number it is a point of the unit circle, which moves along it."""
    if not x.is_complex:
        return (None,)
    length = ops.absolute(x)
    moved = ops.real(1j * g * y) / ops.where(length == 0, 1, length)
    return -1j * moved * y.conj


def _heaviside(x: Any, y: Any) -> Any:
    return where(x != x, x, where(x < 0, 0, where(x > 0, 1, y)))


_absolute_vjp = lambda g, y, x: g * ops.sign(x).conj  # 0 at 0
_fmod_vjp = lambda g, y, a, b: (g, -g * ops.trunc(a / b))

ufunc("add", "biufc", operator.add, lambda g, y, a, b: (g, g), commutes=True)
ufunc("subtract", "iufc", operator.sub, lambda g, y, a, b: (g, -g))
ufunc("multiply", "biufc", operator.mul, lambda g, y, a, b: (g * b, g * a), commutes=True)
ufunc("true_divide", "fc", operator.truediv, lambda g, y, a, b: (g / b, -g * y / b))
ufunc("negative", "iufc", operator.neg, lambda g, y, x: -g)
ufunc("positive", "iufc", operator.pos, lambda g, y, x: g)
ufunc("absolute", "biufc", abs, _absolute_vjp)
ufunc("fabs", "f", abs, _absolute_vjp)
ufunc("floor_divide", "iuf", divmod_part(0), WHOLE)
ufunc("remainder", "iuf", divmod_part(1), lambda g, y, a, b: (g, -g * (a // b)))
ufunc("fmod", "iuf", _fmod, _fmod_vjp)
ufunc("divmod", "", None, lambda g, y, a, b: (g[1], -g[1] * y[0]))
ufunc("power", "f", libm("pow"), _power_vjp, effects=_power_effects)
ufunc("float_power", "f", libm("pow"), _power_vjp)
ufunc("square", "iufc", lambda x: x * x, lambda g, y, x: g * (2 * x))
ufunc("reciprocal", "f", lambda x: 1 / x, lambda g, y, x: -g * y * y)
ufunc("gcd", "", None, WHOLE, samples=INTEGERS)
ufunc("lcm", "", None, WHOLE, samples=INTEGERS)
ufunc("conjugate", "biufc", lambda x: x.conj, lambda g, y, x: g.conj)
ufunc("sign", "iuf", _sign, _sign_vjp)
ufunc("heaviside", "f", _heaviside, lambda g, y, x, at_zero: (None, ops.where(x == 0, g, 0)))


# -- functions of floats, which C has; NumPy's own versions may differ by a few ulp ---------------------


def hypot_vjp(g: Expr, y: Expr, *parts: Expr) -> tuple[Any, ...]:
    """0 at 0, as of every norm."""
    scaled = g / ops.where(y == 0, 1, y)
    return tuple([scaled * part for part in parts])


def _arctan2_vjp(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    scaled = g / (a * a + b * b)
    return scaled * b, -scaled * a


_copysign_vjp = lambda g, y, a, b: g * ops.sign(a) * ops.copysign(1.0, b)

ufunc("sqrt", "f", libm("sqrt"), lambda g, y, x: g * 0.5 / y)
ufunc("cbrt", "f", libm("cbrt"), lambda g, y, x: g / (3 * y * y))
ufunc("exp", "f", libm("exp"), lambda g, y, x: g * y)
ufunc("exp2", "f", libm("exp2"), lambda g, y, x: g * y * np.log(2))
ufunc("expm1", "f", libm("expm1"), lambda g, y, x: g * (y + 1))
ufunc("log", "f", libm("log"), lambda g, y, x: g / x)
ufunc("log2", "f", libm("log2"), lambda g, y, x: g / (x * np.log(2)))
ufunc("log10", "f", libm("log10"), lambda g, y, x: g / (x * np.log(10)))
ufunc("log1p", "f", libm("log1p"), lambda g, y, x: g / (1 + x))
ufunc("sin", "f", libm("sin"), lambda g, y, x: g * ops.cos(x))
ufunc("cos", "f", libm("cos"), lambda g, y, x: -g * ops.sin(x))
ufunc("tan", "f", libm("tan"), lambda g, y, x: g * (1 + y * y))
ufunc("arcsin", "f", libm("asin"), lambda g, y, x: g / ops.sqrt(1 - x * x))
ufunc("arccos", "f", libm("acos"), lambda g, y, x: -g / ops.sqrt(1 - x * x))
ufunc("arctan", "f", libm("atan"), lambda g, y, x: g / (1 + x * x))
ufunc("sinh", "f", libm("sinh"), lambda g, y, x: g * ops.cosh(x))
ufunc("cosh", "f", libm("cosh"), lambda g, y, x: g * ops.sinh(x))
ufunc("tanh", "f", libm("tanh"), lambda g, y, x: g * (1 - y * y))
ufunc("arcsinh", "f", libm("asinh"), lambda g, y, x: g / ops.sqrt(x * x + 1))
ufunc("arccosh", "f", libm("acosh"), lambda g, y, x: g / (ops.sqrt(x - 1) * ops.sqrt(x + 1)))  # complex, too
ufunc("arctanh", "f", libm("atanh"), lambda g, y, x: g / (1 - x * x))
ufunc("arctan2", "f", libm("atan2"), _arctan2_vjp)
ufunc("hypot", "f", libm("hypot"), hypot_vjp)
ufunc("copysign", "f", libm("copysign"), _copysign_vjp)
for _name in ("floor", "ceil", "trunc", "rint"):
    ufunc(_name, "biuf", lambda x, name=_name: c_call(name, x) if x.kind == "f" else x, ROUNDING)


def _share_of_exp(exp: Callable[..., Any]) -> Any:
    """Of log(exp(a) + exp(b)); an infinite operand is the result, and has all."""
    share = lambda y, x: exp(less(x, y))
    return lambda g, y, a, b: (g * share(y, a), g * share(y, b))


def _logaddexp(x: Any, y: Any) -> Any:
    return formulas.op("maximum", x, y) + c_call("log1p", c_call("exp", -abs(x - y)))


ufunc("logaddexp", "f", _logaddexp, _share_of_exp(lambda x: ops.exp(x)), exact=False)
ufunc("logaddexp2", "", None, _share_of_exp(lambda x: ops.exp2(x)))
ufunc("nextafter", "", None, lambda g, y, x, towards: (g,))
ufunc("spacing", "", None, ROUNDING)
ufunc("ldexp", "", None, lambda g, y, x, n: (ops.ldexp(g, n),), samples=[[(3,), 2], [(), 3]])
ufunc("frexp", "", None, lambda g, y, x: ops.ldexp(g[0], -y[1]))
ufunc("modf", "", None, lambda g, y, x: g[0])
for _names, _factor in ((("deg2rad", "radians"), np.pi / 180), (("rad2deg", "degrees"), 180 / np.pi)):
    for _name in _names:
        scaled = lambda x, factor=_factor: x * factor
        ufunc(_name, "f", scaled, lambda g, y, x, factor=_factor: g * factor, exact=_name == _names[0])


# -- extremes ------------------------------------------------------------------------------------------


def _extreme(compare: str, propagates_nan: bool, keeps_first: bool = True) -> Formula:
    """``keeps_first``: of 0.0 and -0.0, which are equal."""

    def formula(x: Any, y: Any) -> Any:
        if x.kind == "b":
            return x | y if compare == "gt" else x & y
        test = getattr(operator, {"gt": "ge", "lt": "le"}[compare] if keeps_first else compare)
        found = where(test(x, y), x, y)
        if x.kind != "f":
            return found
        if propagates_nan:
            return where(x != x, x, found)  # a NaN in y fails the comparison, so y is chosen
        return where(y != y, x, found)

    return formula


def _share_of_extreme(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    """All for the operand that was taken, half each for equal ones; NaN where the result is."""
    nothing = ops.where(y == y, 0, y)
    share = lambda taken, other: ops.where(taken == y, ops.where(other == y, 0.5, 1), nothing)
    return g * share(a, b), g * share(b, a)


def _share_of_first(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    """Of equal ones the first has the whole gradient: in TensorFlow's spelling."""
    return ops.where(a == y, g, 0), ops.where(a == y, 0, g)


ufunc("maximum", "biuf", _extreme("gt", True, keeps_first=False), _share_of_extreme)
ufunc("minimum", "biuf", _extreme("lt", True, keeps_first=False), _share_of_extreme)
ufunc("maximum_or_first", "biuf", _extreme("gt", True), _share_of_first, kernel=np.maximum)
ufunc("minimum_or_first", "biuf", _extreme("lt", True), _share_of_first, kernel=np.minimum)
ufunc("fmax", "biuf", _extreme("gt", False), _share_of_extreme)
ufunc("fmin", "biuf", _extreme("lt", False), _share_of_extreme)
op(
    "relu",  # maximum(x, 0), of slope 0 at 0
    lambda x: np.maximum(x, x.dtype.type(0)),
    lambda types: types[0],
    formula=native("iuf", lambda x: where(x < 0, 0, x)),
    samples=[[(3, 4)]],
    family="elementwise",
    vjp=lambda g, y, x: (ops.where(y > 0, g, 0),),  # so that x need not be kept
)
ufunc(
    "clip",
    "biuf",
    lambda x, low, high: formulas.op("minimum_or_first", formulas.op("maximum_or_first", x, low), high),
    as_written(lambda x, low, high: ops.minimum(ops.maximum(x, low), high)),
    samples=[[(3, 4), 0, 1], [(3,), (3,), (1,)], [(), 1, 2]],
    kernel=np._core.umath.clip,  # type: ignore[attr-defined]
)


# -- bits ----------------------------------------------------------------------------------------------


def _shift(shift: Formula) -> Formula:
    """NumPy shifts by the width or more to 0 (or to the sign)."""

    def formula(x: Any, y: Any) -> Any:
        highest = x.dtype.itemsize * 8 - 1
        outside = y > highest
        if y.kind == "i":
            outside = outside | (y < 0)
        shifted = shift(x, where(outside, highest, y))
        return shifted if shift is operator.rshift and x.kind == "i" else where(outside, 0, shifted)

    return formula


for _name in ("and", "or", "xor"):
    _formula = getattr(operator, f"__{_name}__")
    ufunc(f"bitwise_{_name}", "biu", _formula, BITS, samples=INTEGERS, commutes=True)
ufunc("invert", "biu", operator.invert, BITS)
ufunc("left_shift", "iu", _shift(operator.lshift), BITS, samples=INTEGERS)
ufunc("right_shift", "iu", _shift(operator.rshift), BITS, samples=INTEGERS)
ufunc("bitwise_count", "", None, BITS)


# -- comparison and logic ------------------------------------------------------------------------------


def _compare(test: Formula) -> Formula:
    """int64 with uint64 NumPy compares exactly."""
    return lambda x, y: test(x, y) if x.dtype == y.dtype else NotImplemented


def _logical(test: Formula) -> Formula:
    return lambda *xs: test(*[x.to(BOOL) for x in xs])


ufunc("less", "biuf", _compare(operator.lt), COMPARISON)
ufunc("less_equal", "biuf", _compare(operator.le), COMPARISON)
ufunc("greater", "biuf", _compare(operator.gt), COMPARISON)
ufunc("greater_equal", "biuf", _compare(operator.ge), COMPARISON)
ufunc("equal", "biufc", _compare(operator.eq), COMPARISON, commutes=True)
ufunc("not_equal", "biufc", _compare(operator.ne), COMPARISON, commutes=True)
ufunc("logical_and", "biuf", _logical(operator.and_), COMPARISON, commutes=True)
ufunc("logical_or", "biuf", _logical(operator.or_), COMPARISON, commutes=True)
ufunc("logical_xor", "biuf", _logical(operator.xor), COMPARISON, commutes=True)
ufunc("logical_not", "biuf", _logical(operator.invert), COMPARISON)
ufunc("isnan", "biuf", lambda x: x != x, COMPARISON)
ufunc("isfinite", "biuf", lambda x: ~not_finite(x) if x.kind == "f" else x == x, COMPARISON)
ufunc("isinf", "biuf", lambda x: abs(x) == float("inf") if x.kind == "f" else x != x, COMPARISON)
ufunc("signbit", "", None, COMPARISON)


# -- operators of NumPy's scalars that round otherwise than the ufuncs do -------------------------------


def _scalar_rule(ufunc: np.ufunc) -> Infer:
    infer = elementwise(ufunc)

    def infer_scalar(types: tuple[Type, ...]) -> Any:
        if all(isinstance(t, NumberType) for t in types):
            raise TypeError("these are Python's numbers, and none of NumPy's scalars")
        return infer(types)

    return infer_scalar


_SCALAR: dict[str, Any] = {"multiply": operator.mul, "power": operator.pow, "absolute": abs}
for _name, _operator in _SCALAR.items():
    op(
        f"scalar.{_name}",
        _operator,
        _scalar_rule(getattr(np, _name)),
        formula=REGISTRY[_name].formula,
        effects=REGISTRY[_name].effects,
        samples=[[np.float64(2.5)]] if _name == "absolute" else [[np.float64(2.5), 1.5]],
        family="scalar",
        loops=getattr(np, _name),
        vjp=same_as(_name),
    )
