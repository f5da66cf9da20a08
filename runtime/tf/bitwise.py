"""`tf.bitwise`."""

from __future__ import annotations

from runtime.tf.math import bitwise_and as bitwise_and
from runtime.tf.math import bitwise_or as bitwise_or
from runtime.tf.math import bitwise_xor as bitwise_xor
from runtime.tf.math import invert as invert
from runtime.tf.math import left_shift as left_shift
from runtime.tf.math import right_shift as right_shift
from runtime.tf.names import refusing

__getattr__ = refusing(__name__, "tf.bitwise")
