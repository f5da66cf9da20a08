"""Convolutions of floats by machine code (convolution_loops.py), which copies no patches.

Several threads take the images of a large one. Rates, other dtypes, the input's gradient of a convolution
with strides, short rows of pixels, and channels that do not fill vectors are left to the NumPy kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runtime.engines.native.convolution_loops import SUMS, WIDTH, loops
from runtime.ops import REGISTRY, threads
from runtime.ops.convolution import LARGE

Two = tuple[int, int]
Shape = tuple[int, ...]

#: images of so many bytes are one thread's next part
_BYTES = 2**18


def conv2d(x: Any, kernel: Any, strides: Two, rates: Two) -> Any:
    shape, count = _shape(x, kernel, strides), kernel.shape[3]
    if not shape or shape[2] < SUMS or not _suits(x, kernel, count, rates):
        return _by_numpy("conv2d", x, kernel, strides=strides, rates=rates)
    x, kernel, found = np.ascontiguousarray(x), np.ascontiguousarray(kernel), np.empty(shape, x.dtype)
    run = loops(x.dtype)[0]

    def compute(parts: Iterator[slice]) -> None:
        for part in parts:
            run(x[part], kernel, found[part], found[part].shape, kernel.shape, strides)

    _share(compute, _parts(x), found.size * kernel[..., 0].size)
    return found


def input_gradient(g: Any, kernel: Any, x: Any, strides: Two, rates: Two) -> Any:
    """A convolution, too: of the cotangent with a border of zeros, by the kernel turned round."""
    height, width, depth, count = kernel.shape
    suits = g.shape == _shape(x, kernel, strides) and strides == (1, 1) and x.shape[2] >= SUMS
    if not suits or not _suits(g, kernel, depth, rates):
        return _by_numpy("conv2d_input_gradient", g, kernel, x, strides=strides, rates=rates)
    turned = np.ascontiguousarray(kernel[::-1, ::-1].swapaxes(2, 3))
    found, parts = np.empty(x.shape, g.dtype), _parts(g)
    run = loops(g.dtype)[0]
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
    suits = g.shape == _shape(x, kernel, strides) and kernel.shape[1] * kernel.shape[2] >= SUMS
    if not suits or not _suits(x, g, g.shape[3], rates):
        return _by_numpy("conv2d_kernel_gradient", g, x, kernel, strides=strides, rates=rates)
    x, g = np.ascontiguousarray(x), np.ascontiguousarray(g)
    blocks = _parts(x)
    found = np.empty((len(blocks), *kernel.shape), x.dtype)
    run = loops(x.dtype)[1]

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
    return rates == (1, 1) and channels % (WIDTH // a.itemsize) == 0


def _parts(images: Any) -> list[slice]:
    size = max(_BYTES // max(images[:1].nbytes, 1), 1)
    return [slice(k, k + size) for k in range(0, len(images), size)]


def _share(work: Callable[[Iterator[Any]], None], parts: Sequence[Any], multiplications: int) -> None:
    if multiplications < LARGE or len(parts) < 2:
        work(iter(parts))
    else:
        threads.share(work, parts)
