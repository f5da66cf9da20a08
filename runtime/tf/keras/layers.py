"""`tf.keras.layers`."""

from __future__ import annotations

import inspect
import re
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.calls import call as call_converted
from runtime.tf import math, nn, random
from runtime.tf.arguments import only
from runtime.tf.control_flow import scan_rows
from runtime.tf.dtypes import float32
from runtime.tf.keras import activations, initializers
from runtime.tf.names import refusing
from runtime.tf.tensors import Tensor, convert
from runtime.tf.traces import current, init_scope, name_scope
from runtime.tf.variables import Module, Variable, children, variables_in

_used: Counter[str] = Counter()


class _Mode(threading.local):
    """Is the model that is called being trained?"""

    training: bool = False


_mode = _Mode()


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Layer(Module):
    """A function with weights: `build` makes them for the shape of the first input, `call` computes."""

    _given: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        made._given = (args, kwargs)
        return made

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, input_shape: Any = None
    ) -> None:
        only(f"tf.keras.layers.{type(self).__name__}", dtype=(dtype, None, "float32", np.float32, float32))
        base = _snake(type(self).__name__)
        if name is None:
            name = f"{base}_{_used[base]}" if _used[base] else base
            _used[base] += 1
        super().__init__(name)
        self.trainable = trainable
        self.built = False
        self.input_shape_given = None if input_shape is None else tuple(input_shape)

    def build(self, input_shape: Any) -> None:
        """Make the weights."""

    def call(self, /, *args: Any, **kwargs: Any) -> Any:
        return args[0]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(a, Input) for a in args):
            raise NotImplementedError(
                "layers called on tf.keras.Input are not supported: write a subclass of tf.keras.Model with"
                " `call`, or tf.keras.Sequential([...])"
            )
        args = tuple([convert(a) if isinstance(a, np.ndarray) else a for a in args])
        before = _mode.training
        training = kwargs.pop("training", None)
        _mode.training = before if training is None else bool(training)
        try:
            self._ensure_built(args)
            if "training" in inspect.signature(self.call).parameters:
                kwargs["training"] = _mode.training
            if current() is None:
                return self.call(*args, **kwargs)
            with name_scope(self.name):
                return call_converted(self.call, *args, **kwargs)
        finally:
            _mode.training = before

    def _ensure_built(self, args: tuple[Any, ...]) -> None:
        if not self.built:
            if args and hasattr(args[0], "shape"):
                self.build(args[0].shape)
            self.built = True

    def add_weight(
        self,
        name: Any = None,
        shape: Any = (),
        initializer: Any = "glorot_uniform",
        trainable: bool = True,
        dtype: Any = None,
        regularizer: None = None,
    ) -> Variable:
        if not isinstance(name, str | None):
            name, shape = None, name
        only("add_weight", regularizer=(regularizer, None))
        make = initializers.get(initializer)
        wanted = np.float32 if dtype is None else dtype
        with init_scope():
            first = make(tuple(shape), wanted)
        return Variable(first, trainable=trainable, name=name and f"{self.name}/{name}")

    # -- weights ---------------------------------------------------------------------------------------

    @property
    def weights(self) -> list[Variable]:
        return [v for _, v in variables_in(self)]

    @property
    def variables(self) -> Any:
        return self.weights

    @property
    def trainable_variables(self) -> Any:
        """The variables that training changes: none of a layer whose `trainable` is False."""
        frozen = {id(v) for layer in _layers_below(self) if not layer.trainable for v in layer.weights}
        return [v for v in self.weights if v.trainable and id(v) not in frozen]

    @property
    def trainable_weights(self) -> list[Variable]:
        return self.trainable_variables

    def get_weights(self) -> list[Any]:
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights: Any) -> None:
        if len(weights) != len(self.weights):
            raise ValueError(
                f"layer {self.name} has {len(self.weights)} weights, and {len(weights)} are given"
            )
        for variable, value in zip(self.weights, weights, strict=True):
            variable.assign(value)

    def count_params(self) -> int:
        return sum(v.shape.num_elements() or 0 for v in self.weights)

    def get_config(self) -> dict[str, Any]:
        return {"args": self._given[0], "kwargs": self._given[1]}


def _layers_below(owner: Any) -> list[Layer]:
    found: list[Layer] = []
    todo, seen = [owner], set()
    while todo:
        at = todo.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        if isinstance(at, Layer):
            found.append(at)
        todo += [child for _, child in children(at) if isinstance(child, Module | list | tuple | dict)]
    return found


class Input:
    """`tf.keras.Input` as the first of a Sequential: the shape of one example."""

    def __init__(
        self, shape: Any, batch_size: int | None = None, dtype: Any = None, name: str | None = None
    ) -> None:
        only("tf.keras.Input", dtype=(dtype, None, "float32", np.float32, float32))
        self.shape = tuple(shape)
        self.batch_size = batch_size


InputLayer = Input


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`."""

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.activation = activations.get(activation)
        self.initializers = (kernel_initializer, bias_initializer)

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_weight("kernel", (input_shape[-1], self.units), self.initializers[0])
        self.bias = self.add_weight("bias", (self.units,), self.initializers[1]) if self.use_bias else None

    def call(self, inputs: Any) -> Any:
        _require_features(self, inputs, self.kernel.shape[0])
        found = math.matmul_(inputs, self.kernel)
        return self.activation(found if self.bias is None else math.add(found, self.bias))


def _require_features(layer: Layer, inputs: Any, count: int) -> None:
    """Raises ValueError for inputs of another length than those for which the weights were made."""
    if convert(inputs).shape[-1] not in (None, count):
        raise ValueError(
            f"Input 0 of layer {layer.name!r} is incompatible with the layer: expected axis -1 of input shape"
            f" to have value {count}, but received input with shape {convert(inputs).shape}"
        )


class Conv2D(Layer):
    """Images [n, height, width, in] by a kernel [height, width, in, filters]."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        activation: Any = None,
        use_bias: bool = True,
        dilation_rate: Any = (1, 1),
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.filters, self.padding, self.use_bias = filters, padding, use_bias
        self.kernel_size, self.strides, self.dilation_rate = map(_pair, (kernel_size, strides, dilation_rate))
        self.activation = activations.get(activation)
        self.initializers = (kernel_initializer, bias_initializer)

    def build(self, input_shape: Any) -> None:
        shape = (*self.kernel_size, input_shape[-1], self.filters)
        self.kernel = self.add_weight("kernel", shape, self.initializers[0])
        self.bias = self.add_weight("bias", (self.filters,), self.initializers[1]) if self.use_bias else None

    def call(self, inputs: Any) -> Any:
        _require_features(self, inputs, self.kernel.shape[-2])
        found = nn.conv2d(inputs, self.kernel, self.strides, self.padding, dilations=self.dilation_rate)
        return self.activation(found if self.bias is None else math.add(found, self.bias))


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


class MaxPooling2D(Layer):
    def __init__(
        self, pool_size: Any = (2, 2), strides: Any = None, padding: str = "valid", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.pool_size, self.padding = _pair(pool_size), padding
        self.strides = self.pool_size if strides is None else _pair(strides)

    def call(self, inputs: Any) -> Any:
        return nn.max_pool2d(inputs, self.pool_size, self.strides, self.padding)


class AveragePooling2D(MaxPooling2D):
    def call(self, inputs: Any) -> Any:
        return nn.avg_pool2d(inputs, self.pool_size, self.strides, self.padding)


MaxPool2D, AvgPool2D = MaxPooling2D, AveragePooling2D


def _without_weights(name: str, compute: Callable[[Any], Any]) -> Any:
    """The class of layers that have neither weights nor options."""
    return type(name, (Layer,), {"call": lambda self, inputs: compute(inputs), "__module__": __name__})


GlobalAveragePooling2D = _without_weights(
    "GlobalAveragePooling2D", lambda inputs: math.reduce_mean(inputs, (1, 2))
)
GlobalMaxPooling2D = _without_weights("GlobalMaxPooling2D", lambda inputs: math.reduce_max(inputs, (1, 2)))
Flatten = _without_weights(
    "Flatten", lambda inputs: math.reshape(inputs, [-1, int(np.prod(inputs.shape[1:]))])
)
ReLU, Softmax = _without_weights("ReLU", nn.relu), _without_weights("Softmax", nn.softmax)
Add = _without_weights("Add", math.add_n)


class Reshape(Layer):
    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Any:
        return math.reshape(inputs, [math.shape(inputs)[0], *self.target_shape])


class Activation(Layer):
    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)


class Rescaling(Layer):
    def __init__(self, scale: float, offset: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        return math.cast_(inputs, np.float32) * self.scale + self.offset


class Lambda(Layer):
    def __init__(self, function: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = function

    def call(self, inputs: Any) -> Any:
        return call_converted(self.function, inputs)


class Dropout(Layer):
    """In training a part of the inputs is 0, and the others are larger by as much."""

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs: Any, training: bool = False) -> Any:
        return random.dropout(inputs, self.rate) if training and self.rate else inputs


class BatchNormalization(Layer):
    """Inputs of mean 0 and deviation 1: of the batch in training, of all batches so far otherwise."""

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        only("BatchNormalization", axis=(axis, -1))
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale

    def build(self, input_shape: Any) -> None:
        shape = (input_shape[-1],)
        self.gamma = self.add_weight("gamma", shape, "ones") if self.scale else None
        self.beta = self.add_weight("beta", shape, "zeros") if self.center else None
        self.moving_mean = self.add_weight("moving_mean", shape, "zeros", trainable=False)
        self.moving_variance = self.add_weight("moving_variance", shape, "ones", trainable=False)

    def call(self, inputs: Any, training: bool = False) -> Any:
        mean: Any = self.moving_mean
        variance: Any = self.moving_variance
        if training and self.trainable:
            mean, variance = nn.moments(inputs, tuple(range(inputs.ndim - 1)))
            for moving, new in ((self.moving_mean, mean), (self.moving_variance, variance)):
                moving.assign(moving * self.momentum + new * (1 - self.momentum))
        return nn.batch_normalization(inputs, mean, variance, self.beta, self.gamma, self.epsilon)


class LayerNormalization(Layer):
    def __init__(self, epsilon: float = 0.001, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epsilon = epsilon

    def build(self, input_shape: Any) -> None:
        self.gamma = self.add_weight("gamma", (input_shape[-1],), "ones")
        self.beta = self.add_weight("beta", (input_shape[-1],), "zeros")

    def call(self, inputs: Any) -> Any:
        mean, variance = nn.moments(inputs, -1, keepdims=True)
        return nn.batch_normalization(inputs, mean, variance, self.beta, self.gamma, self.epsilon)


class Embedding(Layer):
    """A row of a table for each number."""

    def __init__(
        self, input_dim: int, output_dim: int, embeddings_initializer: Any = "random_uniform", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.input_dim, self.output_dim, self.initializer = input_dim, output_dim, embeddings_initializer

    def build(self, input_shape: Any) -> None:
        self.embeddings = self.add_weight("embeddings", (self.input_dim, self.output_dim), self.initializer)

    def call(self, inputs: Any) -> Any:
        return math.gather(self.embeddings, math.cast_(inputs, np.int64))


class Concatenate(Layer):
    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        return math.concat(inputs, self.axis)


class LSTMCell(Layer):
    """One step: `cell(x, [h, c])` gives the output and `[h, c]`. The gates stand in the order i, f, c, o."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        unit_forget_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units, self.use_bias, self.unit_forget_bias = units, use_bias, unit_forget_bias
        self.activation, self.recurrent_activation = (
            activations.get(activation),
            activations.get(recurrent_activation),
        )

    def build(self, input_shape: Any) -> None:
        n = self.units
        self.kernel = self.add_weight("kernel", (input_shape[-1], 4 * n))
        self.recurrent_kernel = self.add_weight("recurrent_kernel", (n, 4 * n), "orthogonal")
        first = np.zeros(4 * n, np.float32)
        first[n : 2 * n] = self.unit_forget_bias
        self.bias = self.add_weight("bias", (4 * n,), initializers.Constant(first)) if self.use_bias else None
        self.built = True

    def call(self, inputs: Any, states: Any) -> Any:
        h, c = states
        z = math.matmul_(inputs, self.kernel) + math.matmul_(h, self.recurrent_kernel)
        i, f, g, o = math.split(z if self.bias is None else z + self.bias, 4, -1)
        c = self.recurrent_activation(f) * c + self.recurrent_activation(i) * self.activation(g)
        h = self.recurrent_activation(o) * self.activation(c)
        return h, [h, c]

    def get_initial_state(self, batch_size: Any) -> list[Tensor]:
        return [math.zeros([batch_size, self.units]), math.zeros([batch_size, self.units])]


class LSTM(Layer):
    """A cell over the steps of [n, time, features]."""

    def __init__(
        self, units: int, return_sequences: bool = False, return_state: bool = False, **kwargs: Any
    ) -> None:
        own = {k: kwargs.pop(k) for k in ("name", "input_shape", "trainable") if k in kwargs}
        super().__init__(**own)
        self.cell = LSTMCell(units, **kwargs)
        self.return_sequences, self.return_state = return_sequences, return_state

    def build(self, input_shape: Any) -> None:
        self.cell.build(input_shape)

    def call(self, inputs: Any, initial_state: Any = None) -> Any:
        state = initial_state or self.cell.get_initial_state(math.shape(inputs)[0])
        steps = math.transpose(inputs, [1, 0, *range(2, inputs.ndim)])
        outputs, state = scan_rows(self.cell, steps, state, state[0].dtype)
        found = math.transpose(outputs, [1, 0, 2]) if self.return_sequences else state[0]
        return (found, *state) if self.return_state else found


__getattr__ = refusing(__name__, "tf.keras.layers")
