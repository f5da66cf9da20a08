"""What a block of traced code works on: the values of its variables, and the tensors in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import optree

from autograph.operators import Undefined
from runtime.graph import Value
from runtime.tf.structures import NAMESPACE
from runtime.tf.tensors import Tensor, apply, convert
from runtime.tf.traces import Trace, current
from runtime.types import Type


def traced() -> Trace:
    trace = current()
    assert trace is not None
    return trace


def truth(cond: Any) -> Tensor:
    """A test as a boolean scalar."""
    cond = convert(cond)
    if cond.ndim:
        raise ValueError(
            f"The truth value of a tensor of shape {cond.shape} is ambiguous: use tf.reduce_any or"
            f" tf.reduce_all"
        )
    return cond if cond.dtype == np.bool_ else apply("not_equal", cond, convert(0, cond.dtype))


def is_undefined(value: Any) -> bool:
    return isinstance(value, Undefined)


def is_of_program(name: str) -> bool:
    """Is it a variable that the program has, and not one of the conversion?"""
    return not name.startswith(("retval", "do_return", "did_", "ag_"))


def flatten(value: Any) -> tuple[list[Any], Any]:
    return optree.tree_flatten(value, none_is_leaf=True, namespace=NAMESPACE)


def is_tensor_like(value: Any) -> bool:
    """What becomes a tensor where it changes: tensors, numbers and arrays."""
    return isinstance(value, Tensor | bool | int | float | complex | np.ndarray | np.generic) or hasattr(
        value, "_as_tensor"
    )


def like_of(value: Any, like: Tensor | None) -> Tensor | None:
    """The tensor whose element type a Python number takes, where it can hold it."""
    if like is None or isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        return None
    number = np.asarray(value)
    return like if "biufc".index(number.dtype.kind) <= "biufc".index(like.dtype._numpy.kind) else None


def placeholder(trace: Trace, type: Type) -> Value:
    """A value of this type that nobody reads."""
    return trace.append("undef", (), (type,), {"type": type})[0]
