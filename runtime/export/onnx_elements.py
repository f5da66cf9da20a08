"""Formulas of elements (runtime/ops/formulas.py) as nodes of ONNX: the builder, and what ONNX has by itself.

Nodes work on whole arrays as a formula does on one element. There is no slow way: what a run
would leave to the kernel is computed like the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from autograph.records import record
from runtime.export.onnx_call import BOOL, Call, Rule
from runtime.export.onnx_errors import NotExportable
from runtime.ops.definition import REGISTRY
from runtime.ops.formulas import Number, c_call, where
from runtime.ops.lowering import operand_dtypes

#: operations that ONNX has in one node, where their formula has several, or none for these dtypes
_OWN = {
    "maximum": "Max", "minimum": "Min", "maximum_or_first": "Max", "minimum_or_first": "Min", "sign": "Sign",
    "relu": "Relu", "power": "Pow", "py.pow": "Pow", "scalar.power": "Pow",
}  # fmt: skip
#: what has a formula, and no form: ONNX Runtime shifts unsigned integers; a result without a shape
_LACKING = frozenset(
    {"left_shift", "right_shift", "py.lshift", "py.rshift", "zero_of", "math.erf", "math.erfc"}
)
#: functions of C's, too; of others there is a formula
_C_NAMES = {
    "fabs": "Abs", "rint": "Round", "pow": "Pow", "sqrt": "Sqrt", "exp": "Exp", "log": "Log", "sin": "Sin",
    "cos": "Cos", "tanh": "Tanh", "asin": "Asin", "acos": "Acos", "atan": "Atan", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "floor": "Floor", "ceil": "Ceil",
}  # fmt: skip


@record
class Element:
    """The name of an array, and its dtype."""

    name: str
    dtype: np.dtype[Any]


class OnnxElements:
    """What `runtime.ops.lowering.ElementBuilder` asks for."""

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
        if name in _C_NAMES:
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
        return NotImplemented if name not in _OWN or xs[0].dtype == BOOL else self.node(_OWN[name], *xs)

    def slow_if(self, condition: Element, raises: bool = False) -> None: ...

    raise_if = slow_if

    def abs(self, x: Element) -> Element:
        return self.node("Abs", x)

    def select(self, condition: Element, x: Element, y: Element) -> Element:
        if x.dtype == BOOL:  # which ONNX Runtime cannot choose
            return self.node("Or", self.node("And", condition, x), self.node("And", self.not_(condition), y))
        return self.node("Where", condition, x, y)


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
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "quotient": "Div", "neg": "Neg",
    "checked_add": "Add", "checked_sub": "Sub", "checked_mul": "Mul",
}.items():  # fmt: skip
    setattr(OnnxElements, _method, _node(_kind))
for _method, _kind in {
    "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual", "eq": "Equal"
}.items():  # fmt: skip
    setattr(OnnxElements, _method, _comparison(_kind))
for _method in ("and_", "or_", "xor"):
    setattr(OnnxElements, _method, _bits(_method.rstrip("_").capitalize()))


def element_rules(family: str) -> dict[str, Rule]:
    """The rules of the operations of a family that have a formula."""
    definitions = [d for d in REGISTRY.values() if d.family == family]
    has_form = lambda d: (d.formula is not None or d.name in _OWN) and d.name not in _LACKING
    return {d.name: of_elements for d in definitions if has_form(d)}


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
    exact = (up - 1 == 0) | (abs(x) == math.inf)
    return where(exact, x, c_call("log", up) * (x / where(exact, 1, up - 1)))


def _atan2(y: Any, x: Any) -> Any:
    """The angle of (x, y), by the arc tangent of the smaller ratio."""
    straight = c_call("atan", y / x)
    beside = where(x < 0, straight + where(y < 0, y.of(-math.pi), math.pi), straight)
    return where(x == 0, where(y < 0, -1, where(y > 0, 1, y)) * (math.pi / 2), beside)


def _hypot(*parts: Any) -> Any:
    return c_call("sqrt", reduce(lambda a, b: a + b, [x * x for x in parts]))


def _half(sign: Callable[[Any, Any], Any]) -> Any:
    return lambda x: sign(c_call("exp", x), c_call("exp", -x)) * 0.5


_sign = lambda x: where(x < 0, -1, where(x > 0, 1, x))
_FORMULAS: dict[str, Callable[..., Any]] = {
    "copysign": lambda x, y: where(y < 0, -abs(x), abs(x)),
    "hypot": _hypot, "atan2": _atan2, "expm1": _expm1, "log1p": _log1p,
    "exp2": lambda x: c_call("pow", x.of(2), x),
    "log2": lambda x: c_call("log", x) * (1 / math.log(2)),
    "log10": lambda x: c_call("log", x) * (1 / math.log(10)),
    "sinh": _half(lambda up, down: up - down), "cosh": _half(lambda up, down: up + down),
    "tan": lambda x: c_call("sin", x) / c_call("cos", x),
    "cbrt": lambda x: _sign(x) * c_call("pow", abs(x), 1 / 3),
    "trunc": lambda x: _sign(x) * c_call("floor", abs(x)),
}  # fmt: skip
