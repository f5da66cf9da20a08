"""A linear recurrence along the last axis, s[k] = b[k] + a[k] * s[k - 1]: what derivatives of products need.

>>> import numpy as np
>>> from runtime.ops import REGISTRY
>>> REGISTRY["recurrence"].kernel(np.ones(4), np.full(4, 2.0))
array([ 1.,  3.,  7., 15.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import op
from runtime.ops.expressions import Expr, ops, zeros_like
from runtime.ops.promotion import numeric
from runtime.types import ArrayType, Type


def recurrence(b: Any, a: Any) -> Any:
    s = np.array(b, dtype=np.result_type(b, a))
    for k in range(1, s.shape[-1]):
        s[..., k] += a[..., k] * s[..., k - 1]
    return s


def _recurrence_rule(types: tuple[Type, ...]) -> Type:
    b, a = numeric(types, "a recurrence")
    return ArrayType(np.result_type(b.dtype, a.dtype), b.shape)


def shifted(x: Expr, first: float) -> Expr:
    """Along the last axis each item moves one place on; ``first`` comes in."""
    lead = zeros_like(x[..., :1]) + x.dtype.type(first)
    found: Expr = ops.concatenate(lead, x[..., :-1], axis=-1)
    return found


def backwards(x: Expr) -> Expr:
    """From the last item to the first along the last axis."""
    found: Expr = ops.flip(x, axis=-1)
    return found


def _recurrence_vjp(g: Expr, s: Expr, b: Expr, a: Expr) -> tuple[Any, ...]:
    """The same recurrence from the end."""
    found = backwards(ops.recurrence(backwards(g), shifted(backwards(a), 0)))
    return found, found * shifted(s, 0)


op(
    "recurrence",
    recurrence,
    _recurrence_rule,
    samples=[[(4,), (4,)], [(2, 3), (2, 3)]],
    family="scan",
    vjp=_recurrence_vjp,
)
