"""The loops of convolutions, as functions of machine code for any lengths: see convolution.py.

The sums of some pixels beside each other, for a vector of channels, stay in registers while all numbers of
their patches are multiplied. So do those of some numbers of the kernel's gradient, pixel after pixel.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.engines.native.ir import FunctionWriter, V, counted_loop, i64
from runtime.engines.native.jit import Library, jit

Two = tuple[int, int]
Shape = tuple[int, ...]

#: so many vectors of sums are in registers: of 16 registers of 32 bytes they take 12
SUMS = 6

#: the bytes of a vector
WIDTH = 64


@functools.cache
def loops(dtype: np.dtype) -> tuple[Callable[..., None], Callable[..., None]]:
    """What computes a convolution, of images and a kernel, and what the gradient of the kernel, of images and
    the cotangent: see ``_caller``."""
    kind = {"float32": "float", "float64": "double"}[dtype.name]
    writers = [write(kind, WIDTH // dtype.itemsize) for write in (_write_convolution, _write_gradient)]
    text = "\n".join(writer.text() for writer in writers)
    library = jit().compile_loops(text, [writer.name for writer in writers])
    first, second = [_caller(library, writer.name) for writer in writers]
    return first, second


#: images; rows, columns and channels of the pixels; numbers from an image to the next, from one row of pixels
#: to the next, from pixel to pixel; from one row of a patch to the next, and in it; rows of a patch
_LENGTHS = "images rows columns channels image down across row run height"


def _caller(library: Library, name: str) -> Callable[..., None]:
    numbers = [ctypes.c_int64] * len(_LENGTHS.split())
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *numbers)(library.address(name))

    def run(x: Any, factor: Any, result: Any, pixels: Shape, kernel: Shape, strides: Two) -> None:
        """``pixels`` is the shape of the convolution of x by a kernel of that shape."""
        assert library is not None  # it lives as long as this function
        row = x.shape[2] * x.shape[3]
        steps = x.shape[1] * row, strides[0] * row, strides[1] * x.shape[3]
        addresses = [array.ctypes.data for array in (x, factor, result)]
        function(*addresses, *pixels, *steps, row, kernel[1] * x.shape[3], kernel[0])

    return run


def _begin(name: str) -> tuple[FunctionWriter, dict[str, V]]:
    params = [(p, "ptr") for p in ("x", "factor", "result")] + [(p, "i64") for p in _LENGTHS.split()]
    f = FunctionWriter(name, "void", [(type, p) for p, type in params])
    return f, {p: value for (p, _), value in zip(params, f.params, strict=True)}


class _Sums:
    """Vectors of sums, in registers once LLVM has seen that nobody has their address."""

    def __init__(self, f: FunctionWriter, kind: str, lanes: int) -> None:
        self.f, self.kind, self.lanes, self.vector = f, kind, lanes, f"<{lanes} x {kind}>"
        self.places = [f.alloca(self.vector) for _ in range(SUMS)]

    def clear(self) -> None:
        for place in self.places:
            self.f.store(V(self.vector, "zeroinitializer"), place, align=8)

    def add(self, numbers: V, step: V, factor: V) -> None:
        """Of numbers so far from each other, each times the vector at ``factor``."""
        f, size = self.f, {"float": 4, "double": 8}[self.kind]
        other = f.load(self.vector, factor, align=size)
        for k, place in enumerate(self.places):
            number = f.load(self.kind, f.offset(numbers, f.binary("mul", step, i64(k)), self.kind))
            one = f.value(self.vector, f"insertelement {self.vector} poison, {number}, i32 0")
            all = f"shufflevector {one}, {self.vector} poison, <{self.lanes} x i32> zeroinitializer"
            term = f.binary("fmul contract", f.value(self.vector, all), other)
            f.store(f.binary("fadd contract", f.load(self.vector, place, align=8), term), place, align=8)

    def collect(self, others: _Sums) -> None:
        for place, other in zip(self.places, others.places, strict=True):
            a, b = [self.f.load(self.vector, at, align=8) for at in (place, other)]
            self.f.store(self.f.binary("fadd", a, b), place, align=8)

    def put(self, target: V, step: V) -> None:
        size = {"float": 4, "double": 8}[self.kind]
        for k, place in enumerate(self.places):
            at = self.f.offset(target, self.f.binary("mul", step, i64(k)), self.kind)
            self.f.store(self.f.load(self.vector, place, align=8), at, align=size)


def _in_blocks(f: FunctionWriter, length: V, body: Callable[[V], None]) -> None:
    """For the first of each block of items; the last block begins earlier, so that it is full."""
    last = f.binary("sub", length, i64(SUMS))

    def block(k: V) -> None:
        body(f.select(f.compare("icmp slt", k, last), k, last))

    counted_loop(f, i64(0), length, i64(SUMS), block)


def _loops(f: FunctionWriter, ends: list[tuple[V, int]], body: Callable[..., None], *at: V) -> None:
    """Loops in one another, each to its end with its step."""
    if not ends:
        return body(*at)
    (end, step), *inner = ends
    return counted_loop(f, i64(0), end, i64(step), lambda k: _loops(f, inner, body, *at, k))


def _write_convolution(kind: str, lanes: int) -> FunctionWriter:
    f, p = _begin(f"convolution.{kind}")
    sums = _Sums(f, kind, lanes)
    at = functools.partial(_at, f, kind)

    def pixels(image: V, row: V, column: V) -> None:
        def channels(channel: V) -> None:
            sums.clear()
            patch = at(p["x"], (image, p["image"]), (row, p["down"]), (column, p["across"]))

            def number(i: V, k: V) -> None:
                place = f.binary("add", f.binary("mul", i, p["run"]), k)
                factor = at(p["factor"], (place, p["channels"]), (channel, i64(1)))
                sums.add(at(patch, (i, p["row"]), (k, i64(1))), p["across"], factor)

            _loops(f, [(p["height"], 1), (p["run"], 1)], number)
            sums.put(_pixel(f, kind, p, p["result"], image, row, column, channel), p["channels"])

        _loops(f, [(p["channels"], lanes)], channels)

    _loops(
        f,
        [(p["images"], 1), (p["rows"], 1)],
        lambda image, row: _in_blocks(f, p["columns"], lambda column: pixels(image, row, column)),
    )
    f.ret()
    return f


def _write_gradient(kind: str, lanes: int) -> FunctionWriter:
    f, p = _begin(f"convolution.gradient.{kind}")
    of_row, sums = _Sums(f, kind, lanes), _Sums(f, kind, lanes)
    at = functools.partial(_at, f, kind)

    def numbers(i: V, first: V) -> None:
        """Of a row of the kernel, those from ``first`` on."""

        def pixels(channel: V, image: V, row: V) -> None:
            of_row.clear()

            def pixel(column: V) -> None:
                patch = at(p["x"], (image, p["image"]), (row, p["down"]), (column, p["across"]))
                factor = _pixel(f, kind, p, p["factor"], image, row, column, channel)
                of_row.add(at(patch, (i, p["row"]), (first, i64(1))), i64(1), factor)

            _loops(f, [(p["columns"], 1)], pixel)
            sums.collect(of_row)  # not all in one sum, which many roundings would spoil

        def channels(channel: V) -> None:
            sums.clear()
            _loops(f, [(p["images"], 1), (p["rows"], 1)], functools.partial(pixels, channel))
            place = f.binary("add", f.binary("mul", i, p["run"]), first)
            sums.put(at(p["result"], (place, p["channels"]), (channel, i64(1))), p["channels"])

        _loops(f, [(p["channels"], lanes)], channels)

    _loops(f, [(p["height"], 1)], lambda i: _in_blocks(f, p["run"], functools.partial(numbers, i)))
    f.ret()
    return f


def _at(f: FunctionWriter, kind: str, pointer: V, *steps: tuple[V, V]) -> V:
    for count, size in steps:
        pointer = f.offset(pointer, f.binary("mul", count, size), kind)
    return pointer


def _pixel(
    f: FunctionWriter, kind: str, p: dict[str, V], images: V, image: V, row: V, column: V, channel: V
) -> V:
    """A channel of a pixel of the convolution."""
    line = f.binary("add", f.binary("mul", image, p["rows"]), row)
    place = f.binary("add", f.binary("mul", line, p["columns"]), column)
    return _at(f, kind, images, (place, p["channels"]), (channel, i64(1)))
