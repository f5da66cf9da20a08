"""The patches of images that a kernel goes over (im2col), so that a convolution is one product of matrices.

>>> from runtime.ops import REGISTRY
>>> image = np.arange(9.0).reshape(1, 3, 3, 1)
>>> REGISTRY["patches"].kernel(image, size=(2, 2), strides=(1, 1), rates=(1, 1))[0, 0]
array([[0., 1., 3., 4.],
       [1., 2., 4., 5.]])
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.ops.definition import PURE, UnsupportedError, op
from runtime.ops.expressions import Expr, ops
from runtime.types import ArrayType, Type

Two = tuple[int, int]


def places(size: Two, strides: Two, rates: Two) -> Iterator[tuple[slice, slice]]:
    """For each place in a patch, where the pixels are that stand there in all patches."""
    for i in range(size[0]):
        for j in range(size[1]):
            lefts = [(n - 1 - k) * rate for n, k, rate in zip(size, (i, j), rates, strict=True)]
            starts = [k * rate for k, rate in zip((i, j), rates, strict=True)]
            down, across = [
                slice(start, -left if left else None, step)
                for start, left, step in zip(starts, lefts, strides, strict=True)
            ]
            yield down, across


def _patches(x: Any, size: Two, strides: Two, rates: Two) -> Any:
    """[n, height, width, channels] -> [n, rows, columns, size[0] * size[1] * channels]."""
    reach = [(n - 1) * rate + 1 for n, rate in zip(size, rates, strict=True)]
    seen = np.lib.stride_tricks.sliding_window_view(x, reach, (1, 2))
    seen = seen[:, :: strides[0], :: strides[1], :, :: rates[0], :: rates[1]].transpose(0, 1, 2, 4, 5, 3)
    return np.ascontiguousarray(seen).reshape(*seen.shape[:3], -1)


def _patches_rule(types: tuple[Type, ...], size: Two, strides: Two, rates: Two) -> Type:
    x = types[0]
    if not isinstance(x, ArrayType) or x.ndim != 4:
        raise UnsupportedError(f"patches are taken of images [n, height, width, channels], not of {x}")
    lengths: list[int | None] = []
    for length, n, step, rate in zip(x.shape[1:3], size, strides, rates, strict=True):
        reach = (n - 1) * rate + 1
        if length is not None and length < reach:
            raise ValueError(f"a patch of {reach} pixels does not fit into {length} of them")
        lengths.append(None if length is None else (length - reach) // step + 1)
    depth = None if x.shape[3] is None else size[0] * size[1] * x.shape[3]
    return ArrayType(x.dtype, (x.shape[0], *lengths, depth))


def _sum_of_patches(g: Any, x: Any, size: Two, strides: Two, rates: Two) -> Any:
    """What was taken of each pixel, added up."""
    found = np.zeros(x.shape, g.dtype)
    parts = np.moveaxis(g.reshape(*g.shape[:3], size[0] * size[1], -1), 3, 0)
    for part, (down, across) in zip(parts, places(size, strides, rates), strict=True):
        found[:, down, across] += part
    return found


def _patches_vjp(g: Expr, y: Expr, x: Expr, **how: Any) -> tuple[Any, ...]:
    return (ops.sum_of_patches(g, x, **how),)


op(
    "patches",
    kernel=_patches,
    infer=_patches_rule,
    native=None,
    effects=PURE,
    samples=[[(2, 5, 6, 3), {"size": (2, 3), "strides": (1, 2), "rates": (2, 1)}]],
    family="patches",
    vjp=_patches_vjp,
)
op(
    "sum_of_patches",  # the transpose: of patches g, and of the images for their shape
    kernel=_sum_of_patches,
    infer=lambda types, **how: ArrayType(types[0].dtype, types[1].shape),
    native=None,
    effects=PURE,
    samples=[],
    family="patches",
    vjp=lambda g, y, taken, x, **how: (ops.patches(g, **how), None),
)
