"""`tf.compat`."""

from __future__ import annotations

from runtime.tf.compat import v1 as v1
