"""`tf.keras.losses`: a loss for each example, and their mean."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from runtime.tf import math, nn
from runtime.tf.names import by_name, refusing
from runtime.tf.tensors import cast, convert
from runtime.tf.traces import name_scope

EPSILON = 1e-7


def _like(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    y_pred = convert(y_pred)
    return cast(y_true, y_pred.dtype), y_pred


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = _like(y_true, y_pred)
    return math.reduce_mean(math.squared_difference(y_pred, y_true), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = _like(y_true, y_pred)
    return math.reduce_mean(math.abs(y_pred - y_true), -1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    y_true, y_pred = _like(y_true, y_pred)
    error = math.abs(y_pred - y_true)
    found = math.where(error <= delta, error * error * 0.5, error * delta - 0.5 * delta**2)
    return math.reduce_mean(found, -1)


def binary_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False) -> Any:
    y_true, y_pred = _like(y_true, y_pred)
    if from_logits:
        return math.reduce_mean(nn.sigmoid_cross_entropy_with_logits(y_true, y_pred), -1)
    p = math.clip_by_value(y_pred, EPSILON, 1 - EPSILON)
    return -math.reduce_mean(y_true * math.log(p) + (1 - y_true) * math.log(1 - p), -1)


def categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False) -> Any:
    y_true, y_pred = _like(y_true, y_pred)
    if from_logits:
        return nn.softmax_cross_entropy_with_logits(y_true, y_pred)
    p = y_pred / math.reduce_sum(y_pred, -1, True)
    return -math.reduce_sum(y_true * math.log(math.clip_by_value(p, EPSILON, 1 - EPSILON)), -1)


def sparse_categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False) -> Any:
    y_pred = convert(y_pred)
    y_true = convert(y_true)
    if y_true.ndim == y_pred.ndim:
        y_true = math.squeeze(y_true, -1)
    logits = y_pred if from_logits else math.log(math.clip_by_value(y_pred, EPSILON, 1 - EPSILON))
    return nn.sparse_softmax_cross_entropy_with_logits(y_true, logits)


def hinge(y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = _like(y_true, y_pred)
    return math.reduce_mean(math.maximum(1 - y_true * y_pred, 0), -1)


class Loss:
    """`loss(y_true, y_pred, sample_weight=None)`: the mean over all examples."""

    def __init__(self, reduction: str = "sum_over_batch_size", name: str | None = None) -> None:
        if reduction not in ("sum_over_batch_size", "sum", "none", "auto"):
            raise ValueError(f"reduction is 'sum_over_batch_size', 'sum' or 'none', not {reduction!r}")
        self.reduction = reduction
        self.name = name or type(self).__name__

    def call(self, y_true: Any, y_pred: Any) -> Any:
        raise NotImplementedError

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        with name_scope(self.name):
            losses = self.call(y_true, y_pred)
            if sample_weight is not None:
                losses = losses * cast(sample_weight, losses.dtype)
            if self.reduction == "none":
                return losses
            return math.reduce_sum(losses) if self.reduction == "sum" else math.reduce_mean(losses)


class _OfFunction(Loss):
    """The mean of what a function gives."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(name=getattr(function, "__name__", None))
        self._function = function

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return self._function(y_true, y_pred)


_KNOWN: dict[str, Any] = {}


def _class_of(function: Callable[..., Any], *names: str) -> Any:
    """The class of a loss. The function's parameters behind the first two are its options."""
    options = list(inspect.signature(function).parameters.values())[2:]

    class Made(Loss):
        def __init__(self, /, *args: Any, **kwargs: Any) -> None:
            given = {option.name: value for option, value in zip(options, args, strict=False)}
            given |= {o.name: kwargs.pop(o.name, o.default) for o in options if o.name not in given}
            super().__init__(*args[len(options) :], **kwargs)
            vars(self).update(given)

        def call(self, y_true: Any, y_pred: Any) -> Any:
            return function(y_true, y_pred, *[getattr(self, option.name) for option in options])

    Made.__name__ = Made.__qualname__ = function.__name__.title().replace("_", "")
    Made.__doc__ = function.__doc__
    _KNOWN.update(dict.fromkeys((function.__name__, *names), Made))
    return Made


MeanSquaredError = _class_of(mean_squared_error, "mse")
MeanAbsoluteError = _class_of(mean_absolute_error, "mae")
Huber, Hinge = _class_of(huber), _class_of(hinge)
BinaryCrossentropy = _class_of(binary_crossentropy)
CategoricalCrossentropy = _class_of(categorical_crossentropy)
SparseCategoricalCrossentropy = _class_of(sparse_categorical_crossentropy)


def get(identifier: Any) -> Loss:
    found = by_name("loss", identifier, _KNOWN)
    if isinstance(found, type):
        return found()
    return found if isinstance(found, Loss) else _OfFunction(found)


__getattr__ = refusing(__name__, "tf.keras.losses")
