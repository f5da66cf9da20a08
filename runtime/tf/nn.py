"""`tf.nn`: activations, losses, convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.tf import math
from runtime.tf.arguments import name_results, only
from runtime.tf.math import l2_normalize as l2_normalize
from runtime.tf.math import sigmoid as sigmoid
from runtime.tf.math import softplus as softplus
from runtime.tf.math import tanh as tanh
from runtime.tf.math import top_k as top_k
from runtime.tf.names import refusing
from runtime.tf.random import dropout as dropout
from runtime.tf.tensors import Tensor, apply, cast, convert, pair


def relu(features: Any) -> Any:
    return apply("relu", convert(features))


def relu6(features: Any) -> Any:
    return math.clip_by_value(features, 0, 6)


def leaky_relu(features: Any, alpha: float = 0.2) -> Any:
    x = convert(features)
    return math.where(x > 0, x, x * alpha)


def elu(features: Any) -> Any:
    x = convert(features)
    return math.where(x > 0, x, math.expm1(math.minimum(x, 0)))


def selu(features: Any) -> Any:
    x = convert(features)
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    return math.where(x > 0, x * scale, math.expm1(math.minimum(x, 0)) * (scale * alpha))


def silu(features: Any, beta: float = 1.0) -> Any:
    x = convert(features)
    return x * sigmoid(x * beta)


swish = silu


def gelu(features: Any, approximate: bool = False) -> Any:
    only("tf.nn.gelu", approximate=(approximate, True))
    x = convert(features)
    inner = (x + x * x * x * 0.044715) * float(np.sqrt(2 / np.pi))
    return x * (tanh(inner) + 1) * 0.5


def softmax(logits: Any, axis: int = -1) -> Any:
    x = convert(logits)
    raised = math.exp(x - apply("stop_gradient", math.reduce_max(x, axis, True)))
    return raised / math.reduce_sum(raised, axis, True)


def log_softmax(logits: Any, axis: int = -1) -> Any:
    x = convert(logits)
    moved = x - apply("stop_gradient", math.reduce_max(x, axis, True))
    return moved - math.log(math.reduce_sum(math.exp(moved), axis, True))


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1) -> Any:
    return math.negative(math.reduce_sum(math.multiply(labels, log_softmax(logits, axis)), axis))


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any) -> Any:
    index = math.expand_dims(cast(labels, np.int64), -1)
    picked = apply("take_along_axis", log_softmax(logits), index, axis=-1)
    return math.negative(math.squeeze(picked, -1))


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None) -> Any:
    z, x = pair(labels, logits)
    return relu(x) - x * z + math.log1p(math.exp(-abs(x)))


def bias_add(value: Any, bias: Any) -> Any:
    return math.add(value, bias)


def moments(x: Any, axes: Any, keepdims: bool = False) -> tuple[Any, Any]:
    x = convert(x)
    mean = math.reduce_mean(x, axes, True)
    variance = math.reduce_mean(math.square(x - mean), axes, keepdims)
    return (mean if keepdims else math.reduce_mean(x, axes)), variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float
) -> Any:
    factor = math.rsqrt(math.add(variance, variance_epsilon))
    factor = factor if scale is None else math.multiply(factor, scale)
    found = math.multiply(math.subtract(x, mean), factor)
    return found if offset is None else math.add(found, offset)


def embedding_lookup(params: Any, ids: Any, max_norm: None = None) -> Any:
    only("tf.nn.embedding_lookup", max_norm=(max_norm, None))
    return math.gather(params, ids)


# -- windows -----------------------------------------------------------------------------------------------


def _two(size: Any) -> tuple[int, int]:
    """A size for both axes of an image: a number, a pair, or one of four with those of batch and channels."""
    if isinstance(size, int):
        return size, size
    size = tuple(size)
    return size if len(size) == 2 else (size[0], size[0]) if len(size) == 1 else (size[1], size[2])


def _padded(
    x: Tensor, window: tuple[int, int], strides: tuple[int, int], padding: str, value: float = 0.0
) -> Any:
    if padding.upper() == "VALID":
        return x
    if padding.upper() != "SAME":
        raise ValueError(f"padding is 'VALID' or 'SAME', not {padding!r}")
    widths = [(0, 0)]
    for length, size, step in zip(x.shape[1:3], window, strides, strict=True):
        if length is None and step != 1:
            raise NotImplementedError(
                "padding='SAME' with strides needs lengths that are known while tracing"
            )
        total = size - 1 if step == 1 else max((-(-length // step) - 1) * step + size - length, 0)
        widths.append((total // 2, total - total // 2))
    widths.append((0, 0))
    return apply("pad", x, convert(value, x.dtype), pad_width=tuple(widths))


def _windows(x: Tensor, window: tuple[int, int], strides: tuple[int, int]) -> list[Tensor]:
    """For each place in a window, the pixels that stand there in all windows."""
    parts = []
    for place in np.ndindex(window):
        rows, columns = [
            slice(k, k - n + 1 or None, step) for k, n, step in zip(place, window, strides, strict=True)
        ]
        parts.append(x[:, rows, columns, :])
    return parts


def conv2d(
    input: Any,
    filters: Any,
    strides: Any = 1,
    padding: str = "VALID",
    data_format: str = "NHWC",
    dilations: Any = 1,
) -> Any:
    """Images [n, height, width, in] by a kernel [height, width, in, out]."""
    only("tf.nn.conv2d", data_format=(data_format, "NHWC"))
    x, kernel = pair(input, filters)
    height, width = kernel.shape[:2]
    rates = _two(dilations)
    reach = ((height - 1) * rates[0] + 1, (width - 1) * rates[1] + 1)
    x = _padded(x, reach, _two(strides), padding)
    return apply("conv2d", x, kernel, strides=_two(strides), rates=rates)


def max_pool2d(input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC") -> Any:
    only("tf.nn.max_pool2d", data_format=(data_format, "NHWC"))
    x = convert(input)
    lowest = x.dtype.min
    return _pooled(x, ksize, strides, padding, math.maximum, lowest)


max_pool = max_pool2d


def avg_pool2d(input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC") -> Any:
    only("tf.nn.avg_pool2d", data_format=(data_format, "NHWC"))
    x = convert(input)
    total = _pooled(x, ksize, strides, padding, math.add, 0.0)
    if padding.upper() == "VALID":
        return total / (_two(ksize)[0] * _two(ksize)[1])
    return total / _pooled(math.ones_like(x), ksize, strides, padding, math.add, 0.0)


avg_pool = avg_pool2d


def _pooled(
    x: Tensor, ksize: Any, strides: Any, padding: str, combine: Callable[[Any, Any], Tensor], value: float
) -> Any:
    window, steps = _two(ksize), _two(strides)
    first, *others = _windows(_padded(x, window, steps, padding, value), window, steps)
    for part in others:
        first = combine(first, part)
    return first


name_results(globals())
__getattr__ = refusing(__name__, "tf.nn")
