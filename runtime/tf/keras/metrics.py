"""`tf.keras.metrics`: numbers collected over batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.tf import math
from runtime.tf.arguments import only
from runtime.tf.dtypes import float32
from runtime.tf.keras import initializers, losses
from runtime.tf.keras.layers import _snake
from runtime.tf.names import by_name, refusing
from runtime.tf.tensors import cast, convert
from runtime.tf.variables import Module, Variable


class Metric(Module):
    """`update_state` takes a batch, `result` gives the number so far, `reset_state` begins anew."""

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        only(f"tf.keras.metrics.{type(self).__name__}", dtype=(dtype, None, "float32", np.float32, float32))
        super().__init__(name or _snake(type(self).__name__))

    def update_state(self, /, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError

    def result(self) -> Any:
        raise NotImplementedError

    def reset_state(self) -> None:
        for variable in self.variables:
            variable.assign(math.zeros_like(variable))

    reset_states = reset_state

    def add_variable(
        self, shape: Any = (), initializer: Any = "zeros", dtype: Any = None, name: Any = None
    ) -> Variable:
        only("add_variable", dtype=(dtype, None, "float32", np.float32, float32))
        first = initializers.get(initializer)(tuple(shape), np.float32)
        return Variable(first, trainable=False, name=name)

    add_weight = add_variable

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        self.update_state(*args, **kwargs)
        return self.result()


class Mean(Metric):
    """The mean of all values."""

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_variable()
        self.count = self.add_variable()

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        self._add(values, sample_weight)

    def _add(self, values: Any, sample_weight: Any = None) -> None:
        values = cast(values, np.float32)
        weights: Any = math.ones_like(values)
        if sample_weight is not None:
            weights = weights * cast(sample_weight, np.float32)
        self.total.assign_add(math.reduce_sum(values * weights))
        self.count.assign_add(math.reduce_sum(weights))

    def result(self) -> Any:
        return math.divide_no_nan(self.total, self.count)


class Sum(Metric):
    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_variable()

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        values = cast(values, np.float32)
        self.total.assign_add(
            math.reduce_sum(values if sample_weight is None else math.multiply(values, sample_weight))
        )

    def result(self) -> Any:
        return self.total.read_value()


class MeanMetricWrapper(Mean):
    """The mean of what a function gives for the true and the predicted values."""

    def __init__(self, fn: Callable[..., Any], name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name or fn.__name__)
        self._function, self._options = fn, kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        self._add(self._function(y_true, y_pred, **self._options), sample_weight)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    y_pred = convert(y_pred)
    said = cast(y_pred > threshold, y_pred.dtype)
    return math.reduce_mean(cast(math.equal_(cast(y_true, y_pred.dtype), said), np.float32), -1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    return cast(math.equal_(math.argmax(y_true, -1), math.argmax(y_pred, -1)), np.float32)


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    y_true, y_pred = convert(y_true), convert(y_pred)
    if y_true.ndim == y_pred.ndim:
        y_true = math.squeeze(y_true, -1)
    return cast(math.equal_(cast(y_true, np.int64), math.argmax(y_pred, -1)), np.float32)


def accuracy_for(y_true: Any, y_pred: Any) -> Any:
    """What "accuracy" means for these shapes."""
    y_true, y_pred = convert(y_true), convert(y_pred)
    if y_pred.shape[-1] == 1 and y_pred.ndim > 1:
        return binary_accuracy(math.reshape(y_true, math.shape(y_pred)), y_pred)
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] != 1:
        return categorical_accuracy(y_true, y_pred)
    return sparse_categorical_accuracy(y_true, y_pred)


_KNOWN: dict[str, Any] = {
    "accuracy": lambda: MeanMetricWrapper(accuracy_for, "accuracy"),
    "acc": lambda: MeanMetricWrapper(accuracy_for, "acc"),
}


def _class_of(function: Callable[..., Any], short: str = "") -> Any:
    """The class of the mean of what a function gives."""
    full = function.__name__

    class Made(MeanMetricWrapper):
        def __init__(self, name: str = full, dtype: Any = None, **kwargs: Any) -> None:
            super().__init__(function, name, **kwargs)

    Made.__name__ = Made.__qualname__ = full.title().replace("_", "")
    _KNOWN.setdefault(full, Made)
    if short:
        _KNOWN[short] = lambda: Made(short)
    return Made


def accuracy(y_true: Any, y_pred: Any) -> Any:
    return cast(math.equal_(y_true, y_pred), np.float32)


Accuracy, BinaryAccuracy = _class_of(accuracy), _class_of(binary_accuracy)
CategoricalAccuracy = _class_of(categorical_accuracy)
SparseCategoricalAccuracy = _class_of(sparse_categorical_accuracy)
MeanSquaredError = _class_of(losses.mean_squared_error, "mse")
MeanAbsoluteError = _class_of(losses.mean_absolute_error, "mae")
SparseCategoricalCrossentropy = _class_of(losses.sparse_categorical_crossentropy)


def get(identifier: Any) -> Metric:
    found = by_name("metric", identifier, _KNOWN)
    if isinstance(found, Metric):
        return found
    return found() if isinstance(identifier, str) or isinstance(found, type) else MeanMetricWrapper(found)


__getattr__ = refusing(__name__, "tf.keras.metrics")
