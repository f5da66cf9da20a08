"""Convolutions of floats in machine code, which copies no patches.

The sums of some pixels beside each other, for some channels, stay in registers while all numbers of their
patches are multiplied; so do those of the kernel's gradient while all pixels are. Rates, other dtypes, the
input's gradient of a convolution with strides, short rows of pixels, and channels that do not fill whole
registers are left to the NumPy kernels.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runtime.engines.native.ir import FunctionWriter, V, counted_loop, i64
from runtime.engines.native.jit import Library, jit
from runtime.ops import REGISTRY, threads
from runtime.ops.convolution import LARGE

Two = tuple[int, int]
Shape = tuple[int, ...]

#: so many sums are in registers at once: of 16 registers of 32 bytes they take 12
_SUMS = 6

#: bytes of channels that are multiplied at once
_WIDTH = 64

#: images of so many bytes are one thread's next part
_BYTES = 2**18


def conv2d(x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    shape, count = _shape(x, kernel, strides), kernel.shape[3]
    if not shape or shape[2] < _SUMS or not _suits(x, kernel, count, rates):
        return _by_numpy("conv2d", x, kernel, strides=strides, rates=rates)
    x, kernel, found = np.ascontiguousarray(x), np.ascontiguousarray(kernel), np.empty(shape, x.dtype)
    run = _functions(x.dtype)[0]

    def compute(parts: Iterator[slice]) -> None:
        for part in parts:
            run(x[part], kernel, found[part], found[part].shape, kernel.shape, strides)

    _share(compute, _parts(x), found.size * kernel[..., 0].size)
    return found


def input_gradient(g: Any, kernel: Any, x: Any, strides: Two, rates: Two) -> Any:
    """A convolution, too: of the cotangent with a border of zeros, by the kernel turned round."""
    height, width, depth, count = kernel.shape
    suits = g.shape == _shape(x, kernel, strides) and strides == (1, 1) and x.shape[2] >= _SUMS
    if not suits or not _suits(g, kernel, depth, rates):
        return _by_numpy("conv2d_input_gradient", g, kernel, x, strides=strides, rates=rates)
    turned = np.ascontiguousarray(kernel[::-1, ::-1].swapaxes(2, 3))
    found, parts = np.empty(x.shape, g.dtype), _parts(g)
    run = _functions(g.dtype)[0]
    rows, columns = g.shape[1:3]
    shape = min(parts[0].stop, len(g)), rows + 2 * height - 2, columns + 2 * width - 2, count

    def compute(parts: Iterator[slice]) -> None:
        wide = np.zeros(shape, g.dtype)
        for part in parts:
            target = found[part]
            images = wide[: len(target)]
            images[:, height - 1 : height - 1 + rows, width - 1 : width - 1 + columns] = g[part]
            run(images, turned, target, target.shape, turned.shape, strides)

    _share(compute, parts, found.size * kernel[:, :, 0].size)
    return found


def kernel_gradient(g: Any, x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    """The sum of those of some images each, added in their order."""
    suits = g.shape == _shape(x, kernel, strides) and kernel.shape[1] * kernel.shape[2] >= _SUMS
    if not suits or not _suits(x, g, g.shape[3], rates):
        return _by_numpy("conv2d_kernel_gradient", g, x, kernel, strides=strides, rates=rates)
    x, g = np.ascontiguousarray(x), np.ascontiguousarray(g)
    blocks = _parts(x)
    found = np.empty((len(blocks), *kernel.shape), x.dtype)
    run = _functions(x.dtype)[1]

    def compute(parts: Iterator[int]) -> None:
        for part in parts:
            pixels = g[blocks[part]]
            run(x[blocks[part]], pixels, found[part], pixels.shape, kernel.shape, strides)

    _share(compute, range(len(blocks)), g.size * kernel[..., 0].size)
    return found.sum(0)


#: what is called in place of the kernels of these operations
KERNELS: dict[str, Callable[..., Any]] = {
    "conv2d": conv2d,
    "conv2d_input_gradient": input_gradient,
    "conv2d_kernel_gradient": kernel_gradient,
}


def _by_numpy(name: str, *arguments: Any, **how: Any) -> Any:
    kernel = REGISTRY[name].kernel
    assert kernel is not None
    return kernel(*arguments, **how)


def _shape(x: Any, kernel: Any, strides: Two) -> Shape:
    """Of the convolution of x by the kernel; empty where there is none."""
    rows, columns = [(x.shape[k] - kernel.shape[k - 1]) // strides[k - 1] + 1 for k in (1, 2)]
    fit = len(x) and x.shape[3] == kernel.shape[2] and min(rows, columns, kernel.size) > 0
    return (len(x), rows, columns, kernel.shape[3]) if fit else ()


def _suits(a: Any, b: Any, channels: int, rates: Two) -> bool:
    """Is there machine code for these dtypes, and this number of channels that are multiplied at once?"""
    if a.dtype != b.dtype or a.dtype not in (np.float32, np.float64) or not a.dtype.isnative:
        return False
    return rates == (1, 1) and channels % (_WIDTH // a.itemsize) == 0


def _parts(images: Any) -> list[slice]:
    size = max(_BYTES // max(images[:1].nbytes, 1), 1)
    return [slice(k, k + size) for k in range(0, len(images), size)]


def _share(work: Callable[[Iterator[Any]], None], parts: Sequence[Any], multiplications: int) -> None:
    if multiplications < LARGE or len(parts) < 2:
        work(iter(parts))
    else:
        threads.share(work, parts)


# -- machine code --------------------------------------------------------------------------------------


@functools.cache
def _functions(dtype: np.dtype[Any]) -> tuple[Callable[..., None], Callable[..., None]]:
    """What computes a convolution, of images and a kernel, and what the gradient of the kernel, of images and
    the cotangent: see ``_caller``."""
    kind = {"float32": "float", "float64": "double"}[dtype.name]
    writers = [write(kind, _WIDTH // dtype.itemsize) for write in (_write_convolution, _write_gradient)]
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
        self.places = [f.alloca(self.vector) for _ in range(_SUMS)]

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

    def put(self, target: V, step: V) -> None:
        size = {"float": 4, "double": 8}[self.kind]
        for k, place in enumerate(self.places):
            at = self.f.offset(target, self.f.binary("mul", step, i64(k)), self.kind)
            self.f.store(self.f.load(self.vector, place, align=8), at, align=size)


def _in_blocks(f: FunctionWriter, length: V, body: Callable[[V], None]) -> None:
    """For the first of each block of items; the last block begins earlier, so that it is full."""
    last = f.binary("sub", length, i64(_SUMS))

    def block(k: V) -> None:
        body(f.select(f.compare("icmp slt", k, last), k, last))

    counted_loop(f, i64(0), length, i64(_SUMS), block)


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
    sums = _Sums(f, kind, lanes)
    at = functools.partial(_at, f, kind)

    def numbers(i: V, first: V) -> None:
        """Of a row of the kernel, those from ``first`` on."""

        def channels(channel: V) -> None:
            sums.clear()

            def pixel(image: V, row: V, column: V) -> None:
                patch = at(p["x"], (image, p["image"]), (row, p["down"]), (column, p["across"]))
                factor = _pixel(f, kind, p, p["factor"], image, row, column, channel)
                sums.add(at(patch, (i, p["row"]), (first, i64(1))), i64(1), factor)

            _loops(f, [(p["images"], 1), (p["rows"], 1), (p["columns"], 1)], pixel)
            place = f.binary("add", f.binary("mul", i, p["run"]), first)
            sums.put(at(p["result"], (place, p["channels"]), (channel, i64(1))), p["channels"])

        _loops(f, [(p["channels"], lanes)], channels)

    _loops(
        f,
        [(p["height"], 1)],
        lambda i: _in_blocks(f, p["run"], lambda first: numbers(i, first)),
    )
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
