"""Convolutions of images [n, height, width, in] by a kernel [height, width, in, out], and their gradients.

Each is a product of matrices, with the patches of the images that the kernel goes over (im2col) as one
factor. They are taken of a few images or rows at a time, so that they stay in the processor's cache, and
several threads take them where there is much to do.

>>> from runtime.ops import REGISTRY
>>> image, kernel = np.arange(9.0).reshape(1, 3, 3, 1), np.ones((2, 2, 1, 1))
>>> REGISTRY["conv2d"].kernel(image, kernel, strides=(1, 1), rates=(1, 1))[0, :, :, 0]
array([[ 8., 12.],
       [20., 24.]])
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runtime.ops import threads
from runtime.ops.definition import UnsupportedError, family
from runtime.ops.expressions import Expr, ops
from runtime.types import ArrayType, Type

op = family("convolution")

Two = tuple[int, int]

#: so many bytes of patches are taken at once: about what fits a core's own cache
_BYTES = 2**20

#: products of so few multiplications OpenBLAS does in the thread that asks: waking others takes longer,
#: and very long where the processor has other work
_SMALL = 2**18

#: images of fewer channels are copied pixel by pixel
_FEW = 4

#: with so many multiplications, some tenths of a millisecond, waking another thread pays
LARGE = 2**23


def _patches(images: Any, size: Two, strides: Two, rates: Two) -> Any:
    """A view [n, rows, columns, *size, channels] of images that lie in C order; it can be written to."""
    counts = []
    for length, n, step, rate in zip(images.shape[1:3], size, strides, rates, strict=True):
        reach = (n - 1) * rate + 1
        if length < reach:
            raise ValueError(f"a patch of {reach} pixels does not fit into {length} of them")
        counts.append((length - reach) // step + 1)
    image, *pixel, channel = images.strides
    apart = [stride * n for steps in (strides, rates) for stride, n in zip(pixel, steps, strict=True)]
    shape = len(images), *counts, *size, images.shape[3]
    return np.ndarray(shape, images.dtype, images, strides=(image, *apart, channel))


def _blocks(patches: Any) -> tuple[list[slice], list[slice]]:
    """How patches are cut: some images with all their rows, or one image and some of its rows."""
    n, rows = patches.shape[:2]
    size = max(patches[:1, :1].nbytes, 1)
    high = min(max(_BYTES // size, 1), max(rows, 1))
    return _cut(n, max(_BYTES // (size * high), 1)), _cut(rows, high)


def _cut(length: int, size: int) -> list[slice]:
    return [slice(k, k + size) for k in range(0, length, size)]


def _share(work: Callable[[Iterator[Any]], None], parts: Sequence[Any], all: int, one: int) -> None:
    """Have ``work`` take the parts, in several threads where there is much to do: ``all`` multiplications,
    of which each product of matrices has so many as ``one``. Large products OpenBLAS shares itself."""
    if all < LARGE or one > _SMALL or len(parts) < 2:
        work(iter(parts))
    else:
        threads.share(work, parts)


class _Memory:
    """Memory that one block after the other is computed in: fresh pages would take longer than that."""

    def __init__(self) -> None:
        self._held = np.empty(0)

    def array(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array with undefined contents, in the memory of the last one."""
        size = math.prod(shape)
        if size > self._held.size:  # the first block is the largest one
            self._held = np.empty(size, dtype)
        return self._held[:size].reshape(shape)


def _rows_at_once(rows: int, row: int) -> int:
    """How many rows of an image one product takes, where one row is so many multiplications: they divide the
    rows evenly. All of them, where a single row is large."""
    small = [n for n in range(1, rows + 1) if rows % n == 0 and n * row <= _SMALL]
    return max(small, default=max(rows, 1))


def _matrices(patches: Any, at_once: int, memory: _Memory) -> Any:
    """A copy of patches as matrices [image, some rows of it, patch, number in the patch]. What is copied in
    one go is a row of a patch, or where the channels are few one place of it in a row of patches."""
    n, rows, columns, *size = patches.shape
    few = size[-1] < _FEW
    patches = patches.transpose(0, 3, 4, 5, 1, 2) if few else patches
    held = memory.array(patches.shape, patches.dtype)
    np.copyto(held, patches)
    parts = rows // at_once, at_once * columns
    if few:
        return held.reshape(n, math.prod(size), *parts).transpose(0, 2, 3, 1)
    return held.reshape(n, *parts, math.prod(size))


def _conv2d(x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    *size, depth, count = kernel.shape
    patches = _patches(np.ascontiguousarray(x), tuple(size), strides, rates)
    matrix = kernel.reshape(-1, count)
    found = np.empty((*patches.shape[:3], count), np.result_type(x, kernel))
    row = patches.shape[2] * matrix.size

    def compute(blocks: Iterator[tuple[slice, slice]]) -> None:
        memory = _Memory()
        for block in blocks:
            part = patches[block]
            matrices = _matrices(part, _rows_at_once(part.shape[1], row), memory)
            np.matmul(matrices, matrix, out=found[block].reshape(*matrices.shape[:3], count))

    _share(compute, list(itertools.product(*_blocks(patches))), found.size * len(matrix), row)
    return found


def _kernel_gradient(g: Any, x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    """Of the kernel only the shape counts."""
    how = strides, rates
    parts = _by_patches(g, x, kernel, *how) if kernel.shape[2] < _FEW else _by_places(g, x, kernel, *how)
    return parts.sum(0, parts.dtype)


def _by_patches(g: Any, x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    """The gradient's parts, each from some of the patches."""
    patches = _patches(np.ascontiguousarray(x), kernel.shape[:2], strides, rates)
    row = g.shape[2] * kernel.size
    blocks = list(itertools.product(*_blocks(patches)))
    found = np.empty((len(blocks), *kernel.shape), np.result_type(g, x))

    def compute(parts: Iterator[int]) -> None:
        memory = _Memory()
        for part in parts:
            block = blocks[part]
            matrices = _matrices(patches[block], _rows_at_once(g[block].shape[1], row), memory)
            products = matrices.mT @ g[block].reshape(*matrices.shape[:3], -1)
            np.sum(products, (0, 1), out=found[part].reshape(products.shape[2:]))

    _share(compute, range(len(blocks)), g.size * kernel[..., 0].size, row)
    return found


def _by_places(g: Any, x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    """The gradient's parts, each from some images. The pixels at one place in all patches are copied
    for each column of the kernel: for its rows they are parts of that copy."""
    height, width, depth, count = kernel.shape
    n, rows, columns, _ = g.shape
    g = g.reshape(n, rows * columns, count)
    blocks = _cut(n, max(_BYTES // 2 // max(x[:1].nbytes, g[:1].nbytes, 1), 1))
    found = np.empty((len(blocks), *kernel.shape), np.result_type(g, x))

    def compute(parts: Iterator[int]) -> None:
        for part in parts:
            block = blocks[part]
            for j in range(width):
                copy = np.ascontiguousarray(x[block, :, j * rates[1] :: strides[1]][:, :, :columns])
                for i in range(height):
                    pixels = copy[:, i * rates[0] :: strides[0]][:, :rows]
                    products = pixels.reshape(len(copy), -1, depth).mT @ g[block]
                    np.sum(products, 0, out=found[part, i, j])

    _share(compute, range(len(blocks)), g.size * kernel[..., 0].size, rows * columns * depth * count)
    return found


def _input_gradient(g: Any, kernel: Any, x: Any, strides: Two, rates: Two) -> Any:
    """Of the images ``x`` only the shape counts. For each place in a patch a product is added to the pixels
    that stand there in all patches."""
    height, width, depth, count = kernel.shape
    found = np.zeros(x.shape, np.result_type(g, kernel))
    patches = _patches(found, (height, width), strides, rates)
    matrices = np.ascontiguousarray(kernel.reshape(-1, depth, count).transpose(0, 2, 1))
    images, parts_of_image = _blocks(patches)

    def compute(images: Iterator[slice]) -> None:
        memory = _Memory()
        for block in itertools.product(images, parts_of_image):
            part, pixels = g[block], patches[block]
            rows = part.reshape(len(part), 1, -1, count)
            held = memory.array((len(part), len(matrices), rows.shape[2], depth), found.dtype)
            np.matmul(rows, matrices, out=held)
            for k in range(len(matrices)):
                seen = pixels[:, :, :, k // width, k % width]
                seen += held[:, k].reshape(seen.shape)

    _share(compute, images, g.size * kernel[..., 0].size, g[:1].size * depth)
    return found


def _conv2d_rule(types: tuple[Type, ...], strides: Two, rates: Two) -> Type:
    x, kernel = types
    if not isinstance(x, ArrayType) or x.ndim != 4:
        raise UnsupportedError(f"a convolution is of images [n, height, width, channels], not of {x}")
    if not isinstance(kernel, ArrayType) or kernel.ndim != 4:
        raise UnsupportedError(f"a convolution is by a kernel [height, width, in, out], not by {kernel}")
    if None not in (x.shape[3], kernel.shape[2]) and x.shape[3] != kernel.shape[2]:
        raise ValueError(f"images of {x.shape[3]} channels, and a kernel for {kernel.shape[2]} of them")
    lengths: list[int | None] = []
    for length, n, step, rate in zip(x.shape[1:3], kernel.shape[:2], strides, rates, strict=True):
        reach = None if n is None else (n - 1) * rate + 1
        if length is not None and reach is not None and length < reach:
            raise ValueError(f"a patch of {reach} pixels does not fit into {length} of them")
        lengths.append(None if length is None or reach is None else (length - reach) // step + 1)
    return ArrayType(np.result_type(x.dtype, kernel.dtype), (x.shape[0], *lengths, kernel.shape[3]))


def _gradient_rule(types: tuple[Type, ...], **how: Any) -> Type:
    """The last input is there for its shape."""
    a, b, like = types
    assert isinstance(a, ArrayType) and isinstance(b, ArrayType) and isinstance(like, ArrayType)
    return ArrayType(np.result_type(a.dtype, b.dtype), like.shape)


def _conv2d_vjp(g: Expr, y: Expr, x: Expr, kernel: Expr, **how: Any) -> tuple[Any, ...]:
    return ops.conv2d_input_gradient(g, kernel, x, **how), ops.conv2d_kernel_gradient(g, x, kernel, **how)


def _input_gradient_vjp(u: Expr, y: Expr, g: Expr, kernel: Expr, x: Expr, **how: Any) -> tuple[Any, ...]:
    return ops.conv2d(u, kernel, **how), ops.conv2d_kernel_gradient(g, u, kernel, **how)


def _kernel_gradient_vjp(u: Expr, y: Expr, g: Expr, x: Expr, kernel: Expr, **how: Any) -> tuple[Any, ...]:
    return ops.conv2d(x, u, **how), ops.conv2d_input_gradient(g, u, x, **how)


_HOW: dict[str, Any] = {"strides": (1, 2), "rates": (2, 1)}
_IMAGES, _KERNEL, _FOUND = (2, 5, 6, 3), (2, 3, 3, 4), (2, 3, 2, 4)

op("conv2d", _conv2d, _conv2d_rule, samples=[[_IMAGES, _KERNEL, _HOW]], vjp=_conv2d_vjp)
op(
    "conv2d_input_gradient",  # of the cotangent, the kernel, and the images for their shape
    _input_gradient,
    _gradient_rule,
    samples=[[_FOUND, _KERNEL, _IMAGES, _HOW]],
    vjp=_input_gradient_vjp,
)
op(
    "conv2d_kernel_gradient",  # of the cotangent, the images, and the kernel for its shape
    _kernel_gradient,
    _gradient_rule,
    samples=[[_FOUND, _IMAGES, _KERNEL, _HOW]],
    vjp=_kernel_gradient_vjp,
)
