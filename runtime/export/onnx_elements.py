"""Formulas of elements (runtime/ops/formulas.py) as nodes of ONNX: the builder, and what ONNX has by itself.

Nodes work on whole arrays as a formula does on one element. There is no slow way: what a run
would leave to the kernel is computed like the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from autograph.records import record
from runtime.export.onnx_nodes import BOOL, FLOAT64, Call, NotExportable, Rule
from runtime.ops.definition import REGISTRY
from runtime.ops.formulas import Number, c_call, operand_dtypes, where

_FAMILIES = (
    "elementwise", "scalar", "python arithmetic", "python bits", "python float", "python comparison",
    "python conversion", "python choice",
)  # fmt: skip
#: operations that ONNX has in one node, where their formula has several, or none for these dtypes
_OWN = {
    "maximum": "Max", "minimum": "Min", "maximum_or_first": "Max", "minimum_or_first": "Min", "sign": "Sign",
    "relu": "Relu", "power": "Pow", "py.pow": "Pow", "scalar.power": "Pow",
}  # fmt: skip
#: functions of C's, too; of others there is a formula
_C_NAMES = {
    "fabs": "Abs", "rint": "Round", "pow": "Pow", "sqrt": "Sqrt", "exp": "Exp", "log": "Log", "sin": "Sin",
    "cos": "Cos", "tanh": "Tanh", "asin": "Asin", "acos": "Acos", "atan": "Atan", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "floor": "Floor", "ceil": "Ceil", "erf": "Erf",
}  # fmt: skip
#: those that ONNX Runtime has for 32 bits only
_SINGLE = frozenset({"asin", "acos", "atan", "asinh", "acosh", "atanh", "erf"})
UINT64 = np.dtype("uint64")


@record
class Element:
    """The name of an array, and its dtype."""

    name: str
    dtype: np.dtype[Any]


class OnnxElements:
    """What `runtime.ops.formulas.ElementBuilder` asks for."""

    has_slow_way = False

    def __init__(self, call: Call) -> None:
        self.nodes, self.result = call.nodes, call.dtype

    def node(self, kind: str, *xs: Element, dtype: Any = None, **attributes: Any) -> Element:
        return Element(self.nodes.emit(kind, *[x.name for x in xs], **attributes), dtype or xs[-1].dtype)

    def dtype(self, x: Element) -> np.dtype[Any]:
        return x.dtype

    def result_dtype(self) -> np.dtype[Any]:
        return self.result

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Element:
        return Element(self.nodes.number(value, dtype), dtype)

    def convert(self, x: Element, dtype: np.dtype[Any]) -> Element:
        return Element(self.nodes.cast(x.name, x.dtype, dtype), dtype)

    def remainder(self, x: Element, y: Element) -> Element:
        return self.node("Mod", x, y, fmod=int(x.dtype.kind != "u"))

    def not_(self, x: Element) -> Element:
        return self.node("Not" if x.dtype == BOOL else "BitwiseNot", x)

    def ne(self, x: Element, y: Element) -> Element:
        return self.not_(self.node("Equal", x, y, dtype=BOOL))

    def call(self, name: str, *xs: Element) -> Element:
        if name in _C_NAMES and not (name in _SINGLE and xs[0].dtype == FLOAT64):
            return self.node(_C_NAMES[name], *xs)
        if name == "fmod":
            return self.remainder(*xs)
        if name not in _FORMULAS:
            raise NotExportable(f"the function {name} has no form")
        found: Element = _FORMULAS[name](*[Number(self, x) for x in xs]).x
        return found

    def operation(self, name: str, *xs: Element) -> Any:
        """An operation that is one node of its own; NotImplemented where its formula is to be read."""
        if name == "reciprocal":  # of integers, too
            return self.node("Div", self.constant(1, xs[0].dtype), *xs)
        if name not in _OWN or xs[0].dtype == BOOL:
            return NotImplemented
        if _OWN[name] == "Pow" and xs[0].dtype.kind in "iu":
            return _power_of_ints(*[Number(self, x) for x in xs]).x
        if name == "relu" and xs[0].dtype.kind in "iu":
            return self.node("Max", *xs, self.constant(0, xs[0].dtype))
        return self.node(_OWN[name], *xs)

    def slow_if(self, condition: Element, raises: bool = False) -> None: ...

    raise_if = slow_if

    def shl(self, x: Element, y: Element) -> Element:
        return self._shifted("LEFT", x, y)

    def shr(self, x: Element, y: Element) -> Element:
        if x.dtype.kind == "u":
            return self._shifted("RIGHT", x, y)
        negative = self.node("Less", x, self.constant(0, x.dtype), dtype=BOOL)
        plain = self.select(negative, self.not_(x), x)  # whose sign is no bit to shift
        shifted = self._shifted("RIGHT", plain, y)
        return self.select(negative, self.not_(shifted), shifted)

    def _shifted(self, direction: str, x: Element, y: Element) -> Element:
        """ONNX shifts unsigned integers, which have the same bits."""
        bits = self.node("BitShift", self.convert(x, UINT64), self.convert(y, UINT64), direction=direction)
        return self.convert(bits, x.dtype)

    def abs(self, x: Element) -> Element:
        return self.node("Abs", x)

    def select(self, condition: Element, x: Element, y: Element) -> Element:
        if x.dtype == BOOL:  # which ONNX Runtime cannot choose
            return self.node("Or", self.node("And", condition, x), self.node("And", self.not_(condition), y))
        return self.node("Where", condition, x, y)

    def neg(self, x: Element) -> Element:
        if x.dtype.kind == "u":
            return self.node("Sub", self.constant(0, x.dtype), x)
        return self.node("Neg", x)


def _node(kind: str) -> Any:
    return lambda self, *xs: self.node(kind, *xs)


def _comparison(kind: str) -> Any:
    def compare(self: OnnxElements, *xs: Element) -> Element:
        if kind != "Equal" and xs[0].dtype == BOOL:  # which have no order in ONNX
            xs = tuple([self.convert(x, np.dtype("int32")) for x in xs])
        return self.node(kind, *xs, dtype=BOOL)

    return compare


def _bits(name: str) -> Any:
    return lambda self, *xs: self.node(name if xs[0].dtype == BOOL else f"Bitwise{name}", *xs)


for _method, _kind in {
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "quotient": "Div",
    "checked_add": "Add", "checked_sub": "Sub", "checked_mul": "Mul",
}.items():  # fmt: skip
    setattr(OnnxElements, _method, _node(_kind))
for _method, _kind in {
    "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual", "eq": "Equal"
}.items():  # fmt: skip
    setattr(OnnxElements, _method, _comparison(_kind))
for _method in ("and_", "or_", "xor"):
    setattr(OnnxElements, _method, _bits(_method.rstrip("_").capitalize()))


def element_rules() -> dict[str, Rule]:
    """The rules of the operations of elements that have a formula."""
    definitions = [d for d in REGISTRY.values() if d.family in _FAMILIES]
    return {d.name: of_elements for d in definitions if d.formula is not None or d.name in _OWN}


def of_elements(c: Call) -> str:
    """The node or nodes of an operation that has a formula."""
    b, definition = OnnxElements(c), REGISTRY[c.op.name]
    dtypes = operand_dtypes(definition, tuple(c.types), c.attributes)
    if c.attributes.get("dtype") is not None:
        dtypes = (c.dtype,) * len(dtypes)
    elif any(dtype.kind == "O" for dtype in dtypes):  # NumPy's ufuncs compare Python's ints as objects
        dtypes = (c.common(),) * len(dtypes)
    operands = [Element(c.input(k, dtype), dtype) for k, dtype in enumerate(dtypes)]
    start = len(c.nodes.scope), len(c.nodes.initializers)
    found = b.operation(c.op.name, *operands)
    if found is NotImplemented and definition.formula is not None:
        found = definition.formula(b, *operands)
    if found is NotImplemented:
        raise NotExportable(f"{c.op.name} of {' and '.join(map(str, c.types))} has no form")
    c.nodes.keep_used(*start, found.name)
    wanted = b.convert(found, c.dtype)
    return c.emit("Identity", wanted.name) if wanted.name in [x.name for x in operands] else wanted.name


# -- formulas of functions that ONNX lacks --------------------------------------------------------------


def _expm1(x: Any) -> Any:
    """2 tanh(x/2) / (1 - tanh(x/2)), which does not cancel near 0; for large x the plain form."""
    half = c_call("tanh", x * 0.5)
    return where(abs(x) < 1, half * 2 / (1 - half), c_call("exp", x) - 1)


def _log1p(x: Any) -> Any:
    """x log(1+x) / ((1+x) - 1), which does not cancel near 0."""
    up = x + 1
    exact = (up - 1 == 0) | (x == math.inf)
    return where(exact, x, c_call("log", up) * (x / where(exact, 1, up - 1)))


def _atan2(y: Any, x: Any) -> Any:
    """The angle of (x, y), by the arc tangent of the smaller ratio."""
    corner = (abs(x) == math.inf) & (abs(y) == math.inf)
    x, y = where(corner, _sign(x), x), where(corner, _sign(y), y)
    straight, half_turn = c_call("atan", y / x), _copysign(y.of(math.pi), y)
    beside = where(x < 0, straight + half_turn, straight)
    of_zeros = where(_is_negative(x), half_turn, y)
    return where(x == 0, where(y == 0, of_zeros, _sign(y) * (math.pi / 2)), beside)


def _is_negative(x: Any) -> Any:
    """Also of zeros."""
    return where(x == 0, 1 / x, x) < 0


def _copysign(x: Any, y: Any) -> Any:
    return where(_is_negative(y), -abs(x), abs(x))


def _hypot(*parts: Any) -> Any:
    """Of numbers divided by the largest, so that no square overflows."""
    largest = reduce(lambda a, b: where(a > b, a, b), map(abs, parts))
    is_number = largest == largest
    plain = (largest == 0) | (largest == math.inf) | (~is_number)
    by = where(plain, 1, largest)
    found = largest * c_call("sqrt", reduce(lambda a, b: a + b, [(x / by) * (x / by) for x in parts]))
    infinite = reduce(lambda a, b: a | b, [abs(x) == math.inf for x in parts])
    total = reduce(lambda a, b: a + b, map(abs, parts))  # NaN, 0
    return where(infinite, math.inf, where(plain, total, found))


def _power_of_ints(x: Any, y: Any) -> Any:
    """By squares, one for each bit of the exponent: ONNX Runtime takes a power of doubles."""
    found, factor = x.of(1), x
    for bit in range(x.dtype.itemsize * 8 - (y.kind != "u")):
        found = where((y >> bit) & 1 == 1, found * factor, found)
        factor = factor * factor
    return found


def _atan(x: Any) -> Any:
    """In double precision: that of a float32, and what is missing, by the tangent of a difference."""
    far = abs(x) > 1
    inner = where(far, 1 / where(x == 0, 1, x), x)
    rough = c_call("atan", inner.to(np.dtype("float32"))).to(x.dtype)
    sine, cosine = c_call("sin", rough), c_call("cos", rough)
    angle = rough + (inner * cosine - sine) / (cosine + inner * sine)
    return where(x == 0, x, where(far, where(x < 0, x.of(-math.pi / 2), math.pi / 2) - angle, angle))


def _asinh(x: Any) -> Any:
    size = abs(x)
    large = size > 1e150  # whose square overflows
    small = where(large, 0, size)
    found = c_call("log1p", small + small * small / (c_call("sqrt", small * small + 1) + 1))
    return _sign(x) * where(large, c_call("log", size) + math.log(2), found)


def _acosh(x: Any) -> Any:
    large = x > 1e150
    over = where(large, 1, x) - 1
    found = c_call("log1p", over + c_call("sqrt", over) * c_call("sqrt", over + 2))
    return where(large, c_call("log", x) + math.log(2), found)


def _atanh(x: Any) -> Any:
    return _sign(x) * 0.5 * c_call("log1p", abs(x) * 2 / (1 - abs(x)))


def _erf(x: Any) -> Any:
    """The series near 0; elsewhere 1 - erfc."""
    square = x * x
    terms = [2 / math.sqrt(math.pi) * (-1) ** n / math.factorial(n) / (2 * n + 1) for n in range(24)]
    series = x * reduce(lambda total, term: total * square + term, terms[::-1], x * 0)
    return where(abs(x) < 1, series, _sign(x) * (1 - _erfc(abs(x))))


def _erfc(x: Any) -> Any:
    """exp(-x**2) times a polynomial of Chebyshev's in (x - 4) / (x + 4), for x >= 0."""
    size = where(abs(x) > 30, 30, abs(x))
    t = (size - 4) / (size + 4)
    ahead = behind = t * 0
    for coefficient in _erfc_coefficients()[:0:-1]:
        ahead, behind = t * ahead * 2 - behind + coefficient, ahead
    head = size.to(np.dtype("float32")).to(x.dtype)  # exp(-x**2) without the error of the square
    decay = c_call("exp", -(head * head)) * c_call("exp", (head - size) * (head + size))
    found = decay * (t * ahead - behind + _erfc_coefficients()[0])
    return where(x != x, x, where(x < 0, 2 - found, found))


@cache
def _erfc_coefficients() -> list[float]:
    """Of erfc(x) exp(x**2) over t in [-1, 1]; of the asymptotic series where x is large."""

    def scaled(t: float) -> float:
        x = 4 * (1 + t) / (1 - t) if t < 1 else math.inf
        if x < 10:
            head = float(np.float32(x))
            return math.erfc(x) * math.exp(head * head) * math.exp((x - head) * (x + head))
        terms = [math.prod(-(2 * k - 1) / (2 * x * x) for k in range(1, n + 1)) for n in range(14)]
        return math.fsum(terms) / (x * math.sqrt(math.pi))

    points = np.cos(np.pi * (np.arange(64) + 0.5) / 64)
    fitted = np.polynomial.chebyshev.chebfit(points, [scaled(t) for t in points], 40)
    return [float(c) for c in fitted]


def _sinh(x: Any) -> Any:
    size = abs(x)
    above = c_call("expm1", where(size > 1, 0, size))
    near = (above + above / (above + 1)) * 0.5
    return _sign(x) * where(size > 1, _half_exp(size) - _half_exp(-size), near)


def _half_exp(x: Any) -> Any:
    """exp(x) / 2, also where exp(x) overflows."""
    root = c_call("exp", x * 0.5)
    return root * 0.5 * root


def _cbrt(x: Any) -> Any:
    """A power, and a step of Newton's method."""
    near = c_call("pow", abs(x), 1 / 3)
    plain = (near == 0) | (near == math.inf)
    by = where(plain, 1, near)
    return _sign(x) * where(plain, near, by - (by - abs(x) / (by * by)) / 3)


_sign = lambda x: where(x < 0, -1, where(x > 0, 1, x))
_FORMULAS: dict[str, Callable[..., Any]] = {
    "atan": _atan, "asinh": _asinh, "acosh": _acosh, "atanh": _atanh, "erf": _erf, "erfc": _erfc,
    "asin": lambda x: _atan(x / c_call("sqrt", (1 - x) * (x + 1))),
    "acos": lambda x: _atan(c_call("sqrt", (1 - x) / (x + 1))) * 2,
    "copysign": _copysign, "hypot": _hypot, "atan2": _atan2, "expm1": _expm1, "log1p": _log1p,
    "exp2": lambda x: c_call("pow", x.of(2), x),
    "log2": lambda x: c_call("log", x) * (1 / math.log(2)),
    "log10": lambda x: c_call("log", x) * (1 / math.log(10)),
    "sinh": _sinh, "cosh": lambda x: _half_exp(abs(x)) + _half_exp(-abs(x)),
    "tan": lambda x: c_call("sin", x) / c_call("cos", x),
    "cbrt": _cbrt,
    "trunc": lambda x: _sign(x) * c_call("floor", abs(x)),
}  # fmt: skip
