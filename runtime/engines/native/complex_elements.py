"""Complex numbers as pairs of registers: arithmetic on ``{double, double}`` as NumPy rounds it.

A pair is one LLVM value, so that it goes through branches and loops like any number; LLVM takes it apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.engines.native.ir import FunctionWriter, V, floating

#: the type of a pair -> the type of its parts
PARTS = {"{double, double}": "double", "{float, float}": "float"}
PART_DTYPES: dict[str, np.dtype] = {"complex128": np.dtype("float64"), "complex64": np.dtype("float32")}


def part_type(pair: V) -> str:
    return PARTS[pair.type]


def parts(f: FunctionWriter, pair: V) -> tuple[V, V]:
    if pair.ref.startswith("{"):  # a constant
        first, second = pair.ref.strip("{ }").split(", ")
        kind = part_type(pair)
        return V(kind, first.split()[1]), V(kind, second.split()[1])
    if pair.ref in f.pairs:
        return f.pairs[pair.ref]
    kind = part_type(pair)
    real, imaginary = [f.value(kind, f"extractvalue {pair}, {k}") for k in (0, 1)]
    return real, imaginary


def pair(f: FunctionWriter, real: V, imaginary: V) -> V:
    kind = f"{{{real.type}, {real.type}}}"
    first = f.value(kind, f"insertvalue {kind} poison, {real}, 0")
    both = f.value(kind, f"insertvalue {first}, {imaginary}, 1")
    f.pairs[both.ref] = (real, imaginary)
    return both


def constant(kind: str, number: complex) -> V:
    part = PARTS[kind]
    return V(kind, f"{{ {floating(part, number.real)}, {floating(part, number.imag)} }}")


def each(f: FunctionWriter, operation: str, x: V, y: V) -> V:
    (a, b), (c, d) = parts(f, x), parts(f, y)
    return pair(f, f.binary(operation, a, c), f.binary(operation, b, d))


def multiply(f: FunctionWriter, x: V, y: V) -> V:
    (a, b), (c, d) = parts(f, x), parts(f, y)
    real = f.binary("fsub", f.binary("fmul", a, c), f.binary("fmul", b, d))
    return pair(f, real, f.binary("fadd", f.binary("fmul", a, d), f.binary("fmul", b, c)))


def divide(f: FunctionWriter, declare: Any, x: V, y: V) -> V:
    """Smith's way, as NumPy's loop: by the larger part of the divisor; by zero each part by its size."""
    (a, b), (c, d) = parts(f, x), parts(f, y)
    size_c, size_d = magnitude(f, declare, c), magnitude(f, declare, d)
    by_real = f.compare("fcmp oge", size_c, size_d)
    large, small = f.select(by_real, c, d), f.select(by_real, d, c)
    zero = floating(c.type, 0.0)
    nothing = f.binary("and", f.compare("fcmp oeq", size_c, zero), f.compare("fcmp oeq", size_d, zero))
    ratio = f.binary("fdiv", small, large)
    scale = f.binary("fdiv", floating(c.type, 1.0), f.binary("fadd", large, f.binary("fmul", small, ratio)))
    first, second = f.select(by_real, a, b), f.select(by_real, b, a)
    real = f.binary("fadd", first, f.binary("fmul", second, ratio))
    # by the real part: b - a * ratio; by the imaginary one: b * ratio - a
    plus = f.binary("fsub", b, f.binary("fmul", a, ratio))
    minus = f.binary("fsub", f.binary("fmul", b, ratio), a)
    imaginary = f.select(by_real, plus, minus)
    real, imaginary = f.binary("fmul", real, scale), f.binary("fmul", imaginary, scale)
    real = f.select(nothing, f.binary("fdiv", a, size_c), real)
    return pair(f, real, f.select(nothing, f.binary("fdiv", b, size_c), imaginary))


def magnitude(f: FunctionWriter, declare: Any, x: V) -> V:
    name = f"llvm.fabs.{'f64' if x.type == 'double' else 'f32'}"
    declare(f"declare {x.type} @{name}({x.type})")
    return f.call(x.type, name, (x,))


def absolute(f: FunctionWriter, declare: Any, x: V) -> V:
    real, imaginary = parts(f, x)
    name = "hypot" if real.type == "double" else "hypotf"
    declare(f"declare {real.type} @{name}({real.type}, {real.type}) nounwind willreturn memory(none)")
    return f.call(real.type, name, (real, imaginary))


def negative(f: FunctionWriter, x: V) -> V:
    real, imaginary = parts(f, x)
    return pair(f, f.value(real.type, f"fneg {real}"), f.value(real.type, f"fneg {imaginary}"))


def conjugate(f: FunctionWriter, x: V) -> V:
    real, imaginary = parts(f, x)
    return pair(f, real, f.value(real.type, f"fneg {imaginary}"))


def equal(f: FunctionWriter, x: V, y: V, same: bool) -> V:
    (a, b), (c, d) = parts(f, x), parts(f, y)
    if same:
        return f.binary("and", f.compare("fcmp oeq", a, c), f.compare("fcmp oeq", b, d))
    return f.binary("or", f.compare("fcmp une", a, c), f.compare("fcmp une", b, d))
