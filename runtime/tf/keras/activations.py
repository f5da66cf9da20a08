"""`tf.keras.activations`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.tf import math
from runtime.tf.names import by_name
from runtime.tf.nn import elu as elu
from runtime.tf.nn import leaky_relu as leaky_relu
from runtime.tf.nn import relu as relu
from runtime.tf.nn import selu as selu
from runtime.tf.nn import sigmoid as sigmoid
from runtime.tf.nn import silu as silu
from runtime.tf.nn import softmax as softmax
from runtime.tf.nn import softplus as softplus
from runtime.tf.nn import tanh as tanh
from runtime.tf.tensors import convert


def linear(x: Any) -> Any:
    return convert(x)


def exponential(x: Any) -> Any:
    return math.exp(x)


_NAMES = "linear relu elu selu leaky_relu sigmoid silu softmax softplus tanh exponential"
_KNOWN: dict[str, Callable[..., Any]] = {"swish": silu, **{name: globals()[name] for name in _NAMES.split()}}


def get(identifier: Any) -> Callable[..., Any]:
    """The function that a name stands for; None is `linear`."""
    return linear if identifier is None else by_name("activation", identifier, _KNOWN)
