"""Formulas for numbers, element by element, of what ONNX has."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import numpy as np

from runtime.export.onnx_call import FLOAT64, INT64, Call
from runtime.export.onnx_errors import NotExportable
from runtime.export.onnx_nodes import Nodes


def divide(c: Call) -> str:
    return c.emit("Div", *c.inputs())


def c_remainder(c: Call, x: str, y: str) -> tuple[str, str]:
    """C's remainder, and whether its sign is not the one that Python's has, the divisor's."""
    rest, zero = c.emit("Mod", x, y, fmod=1), c.number(0)
    other_sign = c.emit("Xor", c.emit("Less", rest, zero), c.emit("Less", y, zero))
    return rest, c.emit("And", other_sign, c.emit("Not", c.emit("Equal", rest, zero)))


def mod(c: Call, x: str, y: str) -> str:
    if c.dtype.kind in "iu":
        return c.emit("Mod", x, y)
    rest, wrong = c_remainder(c, x, y)
    return c.emit("Where", wrong, c.emit("Add", rest, y), rest)


def floor_divide(c: Call, x: str, y: str) -> str:
    """As NumPy: the quotient without the remainder, which is whole but for rounding."""
    if c.dtype.kind in "iu":
        return c.emit("Div", c.emit("Sub", x, c.emit("Mod", x, y)), y)
    rest, wrong = c_remainder(c, x, y)
    quotient = c.emit("Round", c.emit("Div", c.emit("Sub", x, rest), y))
    below = c.emit("Where", wrong, c.emit("Sub", quotient, c.number(1)), quotient)
    return c.emit("Where", c.emit("Equal", y, c.number(0)), c.emit("Div", x, y), below)


def sign_of(c: Call, x: str) -> str:
    return c.emit("Sign", x)


def copysign(c: Call, x: str, y: str) -> str:
    size = c.emit("Abs", x)
    return c.emit("Where", c.emit("Less", y, c.number(0)), c.emit("Neg", size), size)


def hypot(c: Call, *lengths: str) -> str:
    squares = [c.emit("Mul", x, x) for x in lengths]
    return c.emit("Sqrt", reduce(lambda a, b: c.emit("Add", a, b), squares, c.number(0)))


def scaled(factor: float) -> Callable[[Call, str], str]:
    return lambda c, x: c.emit("Mul", x, c.number(factor))


def trunc(c: Call, x: str) -> str:
    if c.dtype.kind != "f":
        return c.emit("Identity", x)
    return c.emit("Mul", c.emit("Sign", x), c.emit("Floor", c.emit("Abs", x)))


def expm1(c: Call, x: str) -> str:
    """2 tanh(x/2) / (1 - tanh(x/2)), which does not cancel near 0; for large x the plain form."""
    half = c.emit("Tanh", c.emit("Mul", x, c.number(0.5)))
    near = c.emit("Div", c.emit("Mul", c.number(2), half), c.emit("Sub", c.number(1), half))
    far = c.emit("Sub", c.emit("Exp", x), c.number(1))
    return c.emit("Where", c.emit("Less", c.emit("Abs", x), c.number(1)), near, far)


def log1p(c: Call, x: str) -> str:
    """x log(1+x) / ((1+x) - 1), which does not cancel near 0."""
    up = c.emit("Add", x, c.number(1))
    shifted = c.emit("Sub", up, c.number(1))
    exact = c.emit("Equal", shifted, c.number(0))
    ratio = c.emit("Div", x, c.emit("Where", exact, c.number(1), shifted))
    usual = c.emit("Mul", c.emit("Log", up), ratio)
    infinite = c.emit("IsInf", x)
    return c.emit("Where", exact, x, c.emit("Where", infinite, x, usual))


def logaddexp(c: Call, x: str, y: str) -> str:
    larger, gap = c.emit("Max", x, y), c.emit("Neg", c.emit("Abs", c.emit("Sub", x, y)))
    return c.emit("Add", larger, log1p(c, c.emit("Exp", gap)))


def exponential(sign: int) -> Callable[[Call, str], str]:
    """sinh and cosh by exponentials, which ONNX Runtime has for every float."""

    def make(c: Call, x: str) -> str:
        up, down = c.emit("Exp", x), c.emit("Exp", c.emit("Neg", x))
        return c.emit("Mul", c.emit("Add" if sign > 0 else "Sub", up, down), c.number(0.5))

    return make


def tan(c: Call, x: str) -> str:
    return c.emit("Div", c.emit("Sin", x), c.emit("Cos", x))


def cbrt(c: Call, x: str) -> str:
    return c.emit("Mul", c.emit("Sign", x), c.emit("Pow", c.emit("Abs", x), c.number(1 / 3)))


def arctan2(c: Call, y: str, x: str) -> str:
    """The angle of (x, y), by the arc tangent of the smaller ratio."""
    zero = c.number(0)
    straight = c.emit("Atan", c.emit("Div", y, x))
    turned = c.emit("Where", c.emit("Less", y, zero), c.number(-math.pi), c.number(math.pi))
    left = c.emit("Less", x, zero)
    beside = c.emit("Where", left, c.emit("Add", straight, turned), straight)
    upright = c.emit("Mul", c.emit("Sign", y), c.number(math.pi / 2))
    return c.emit("Where", c.emit("Equal", x, zero), upright, beside)


def fmax(kind: str) -> Callable[..., str]:
    """Of a NaN and a number, the number."""

    def make(c: Call, x: str, y: str) -> str:
        best = c.emit(kind, x, y)
        if c.dtype.kind != "f":
            return best
        return c.emit("Where", c.emit("IsNaN", x), y, c.emit("Where", c.emit("IsNaN", y), x, best))

    return make


def clip(c: Call) -> str:
    x, low, high = c.inputs()
    return c.emit("Min", c.emit("Max", x, low), high)


def round_to(c: Call) -> str:
    decimals = c.attributes.get("decimals", 0)
    x = c.input(0)
    if c.dtype.kind != "f":
        if decimals < 0:
            raise NotExportable("an int is rounded to tens")
        return c.emit("Identity", x)
    if not decimals:
        return c.emit("Round", x)
    factor = c.number(10.0 ** abs(decimals))
    there, back = ("Mul", "Div") if decimals > 0 else ("Div", "Mul")
    return c.emit(back, c.emit("Round", c.emit(there, x, factor)), factor)


def py_round(c: Call) -> str:
    return c.nodes.cast(c.emit("Round", c.input(0, FLOAT64)), FLOAT64, c.dtype)


def length_of_range(c: Call) -> str:
    return range_length(c.nodes, *c.inputs(INT64))


def range_length(nodes: Nodes, start: str, stop: str, step: str) -> str:
    """How many numbers there are in a range: (stop - start + step - sign) // step, at least 0."""
    emit, zero = nodes.emit, nodes.number(0, INT64)
    ends = emit("Sub", emit("Add", emit("Sub", stop, start), step), emit("Sign", step))
    quotient = emit("Div", emit("Sub", ends, emit("Mod", ends, step)), step)
    return emit("Max", quotient, zero)


def isclose(c: Call) -> str:
    dtype = np.result_type(c.common(), np.float32)
    a, b, relative, absolute = c.inputs(dtype)
    allowed = c.emit("Add", absolute, c.emit("Mul", relative, c.emit("Abs", b)))
    near = c.emit("LessOrEqual", c.emit("Abs", c.emit("Sub", a, b)), allowed)
    near = c.emit("And", near, c.emit("Not", c.emit("IsInf", b)))
    found = c.emit("Or", near, c.emit("Equal", a, b))
    if c.attributes.get("equal_nan"):
        found = c.emit("Or", found, c.emit("And", c.emit("IsNaN", a), c.emit("IsNaN", b)))
    return found
