"""Convolutions of images [n, height, width, in] by a kernel [height, width, in, out], and their gradients.

Each is a product of matrices, with the patches of the images that the kernel goes over (im2col) as one
factor. They are taken of a few rows at a time, so that they stay in the processor's cache.

>>> from runtime.ops import REGISTRY
>>> image, kernel = np.arange(9.0).reshape(1, 3, 3, 1), np.ones((2, 2, 1, 1))
>>> REGISTRY["conv2d"].kernel(image, kernel, strides=(1, 1), rates=(1, 1))[0, :, :, 0]
array([[ 8., 12.],
       [20., 24.]])
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.ops.definition import PURE, UnsupportedError, op
from runtime.ops.expressions import Expr, ops
from runtime.types import ArrayType, Type

Two = tuple[int, int]

#: so many bytes of patches are taken at once: about what fits a core's own cache
_BYTES = 2**20

#: products of so few multiplications OpenBLAS does in the thread that asks: waking others takes longer,
#: and very long where the processor has other work
_SMALL = 2**18


def _patches(images: Any, size: Two, strides: Two, rates: Two) -> Any:
    """A view [n, rows, columns, *size, channels] of images; it can be written to."""
    reach = [(n - 1) * rate + 1 for n, rate in zip(size, rates, strict=True)]
    seen = np.lib.stride_tricks.sliding_window_view(images, reach, (1, 2), writeable=images.flags.writeable)
    seen = seen[:, :: strides[0], :: strides[1], :, :: rates[0], :: rates[1]]
    return seen.transpose(0, 1, 2, 4, 5, 3)


def _blocks(patches: Any) -> Iterator[tuple[slice, slice]]:
    """Some images with all their rows, or some rows of one image, time after time."""
    n, rows = patches.shape[:2]
    size = max(patches[:1, :1].nbytes, 1)
    high = min(max(_BYTES // size, 1), max(rows, 1))
    many = max(_BYTES // (size * high), 1)
    for i in range(0, n, many):
        for j in range(0, rows, high):
            yield slice(i, i + many), slice(j, j + high)


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


def _conv2d(x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    *size, depth, count = kernel.shape
    patches, memory = _patches(x, tuple(size), strides, rates), _Memory()
    matrix = kernel.reshape(-1, count)
    found = np.empty((*patches.shape[:3], count), np.result_type(x, kernel))
    small = patches.shape[2] * matrix.size <= _SMALL
    many = patches.shape[2] if small else -1
    for block in _blocks(patches):
        part = patches[block]
        held = memory.array(part.shape, part.dtype)
        np.copyto(held, part)
        rows = held.reshape(-1 if small else 1, many, len(matrix))
        np.matmul(rows, matrix, out=found[block].reshape(*rows.shape[:2], count))
    return found


def _kernel_gradient(g: Any, x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    """Of the kernel only the shape counts. The pixels that stand at one place in all patches are copied for
    each column of the kernel: for its rows they are parts of that copy."""
    height, width, depth, count = kernel.shape
    n, rows, columns, _ = g.shape
    found, g = np.zeros(kernel.shape, np.result_type(g, x)), g.reshape(n, rows * columns, count)
    many = max(_BYTES // max(x[:1].nbytes, g[:1].nbytes, 1), 1)
    for block in [slice(k, k + many) for k in range(0, n, many)]:
        for j in range(width):
            copy = np.ascontiguousarray(x[block, :, j * rates[1] :: strides[1]][:, :, :columns])
            for i in range(height):
                pixels = copy[:, i * rates[0] :: strides[0]][:, :rows]
                found[i, j] += (pixels.reshape(len(copy), -1, depth).mT @ g[block]).sum(0)
    return found


def _input_gradient(g: Any, kernel: Any, x: Any, strides: Two, rates: Two) -> Any:
    """Of the images ``x`` only the shape counts. For each place in a patch a product is added to the pixels
    that stand there in all patches."""
    height, width, depth, count = kernel.shape
    found, memory = np.zeros(x.shape, np.result_type(g, kernel)), _Memory()
    patches = _patches(found, (height, width), strides, rates)
    matrices = np.ascontiguousarray(kernel.reshape(-1, depth, count).transpose(0, 2, 1))
    for block in _blocks(patches):
        part, pixels = g[block], patches[block]
        rows = part.reshape(len(part), 1, -1, count)
        held = memory.array((len(part), len(matrices), rows.shape[2], depth), found.dtype)
        np.matmul(rows, matrices, out=held)
        for k in range(len(matrices)):
            seen = pixels[:, :, :, k // width, k % width]
            seen += held[:, k].reshape(seen.shape)
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

op(
    "conv2d",
    kernel=_conv2d,
    infer=_conv2d_rule,
    native=None,
    effects=PURE,
    samples=[[_IMAGES, _KERNEL, _HOW]],
    family="convolution",
    vjp=_conv2d_vjp,
)
op(
    "conv2d_input_gradient",  # of the cotangent, the kernel, and the images for their shape
    kernel=_input_gradient,
    infer=_gradient_rule,
    native=None,
    effects=PURE,
    samples=[[_FOUND, _KERNEL, _IMAGES, _HOW]],
    family="convolution",
    vjp=_input_gradient_vjp,
)
op(
    "conv2d_kernel_gradient",  # of the cotangent, the images, and the kernel for its shape
    kernel=_kernel_gradient,
    infer=_gradient_rule,
    native=None,
    effects=PURE,
    samples=[[_FOUND, _IMAGES, _KERNEL, _HOW]],
    family="convolution",
    vjp=_kernel_gradient_vjp,
)
