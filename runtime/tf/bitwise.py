"""`tf.bitwise`."""

from __future__ import annotations

from typing import Any

from runtime.tf.arguments import name_results
from runtime.tf.math import bitwise_and as bitwise_and
from runtime.tf.math import bitwise_or as bitwise_or
from runtime.tf.math import bitwise_xor as bitwise_xor
from runtime.tf.names import refusing
from runtime.tf.tensors import apply, convert, pair


def invert(x: Any, name: str | None = None) -> Any:
    return apply("invert", convert(x))


def left_shift(x: Any, y: Any, name: str | None = None) -> Any:
    return apply("left_shift", *pair(x, y))


def right_shift(x: Any, y: Any, name: str | None = None) -> Any:
    return apply("right_shift", *pair(x, y))


name_results(globals())
__getattr__ = refusing(__name__, "tf.bitwise")
