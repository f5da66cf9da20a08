"""The memory of adjoints: for an array that is written or seen through views, memory that lies as
the array does.

>>> import numpy as np
>>> from runtime.ops import REGISTRY
>>> REGISTRY["shadow_like"].kernel(np.ones((4, 6))[:, ::2]).strides
(48, 16)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.ops.definition import BY_SWEEP, Effects, family, none
from runtime.ops.indexing import fill_index, getitem_rule
from runtime.ops.promotion import numeric
from runtime.types import ArrayType, Type

op = family("shadow")


def shadow_like(x: Any) -> Any:
    """Zeros with the strides of ``x``, so that whatever is a view of ``x`` is one of them."""
    dense = np.zeros_like(x)
    if dense.strides == x.strides or x.size <= 1:
        return dense
    if any(stride == 0 for stride in x.strides) or any(stride % x.itemsize for stride in x.strides):
        return dense  # a broadcast, which nobody writes
    first = sum(min(0, stride * (n - 1)) for stride, n in zip(x.strides, x.shape, strict=True))
    last = sum(max(0, stride * (n - 1)) for stride, n in zip(x.strides, x.shape, strict=True))
    memory = np.zeros((last - first) // x.itemsize + 1, x.dtype)
    start = memory[-first // x.itemsize :]
    return np.lib.stride_tricks.as_strided(start, x.shape, x.strides)


def _rule(types: tuple[Type, ...]) -> Type:
    (t,) = numeric(types, "an adjoint")
    return ArrayType(t.dtype, t.shape)


op("shadow_like", shadow_like, _rule, Effects(reads=False), [[(3, 4)]], none("zeros"))


def _writable(x: Any) -> Any:
    view = x.view()
    view.flags.writeable = True
    return view


op(
    "writable",  # NumPy's view of a diagonal is read-only
    _writable,
    lambda types: types[0],
    Effects(view_of=0, reads=False),
    vjp=lambda g, y, x: (g,),
)


def _zero_rule(types: tuple[Type, ...]) -> Type:
    if not isinstance(types[0], ArrayType):
        raise TypeError(f"an array is expected, not {types[0]}")
    return types[0]


op(
    "zero_of",  # zeros that are made in the loop that makes the operand
    lambda x: np.zeros_like(x),
    _zero_rule,
    formula=lambda b, x: b.constant(0, b.dtype(x)),
    effects=Effects(reads=False),
    samples=[[(3, 4)], [(3,)]],
    family="elementwise",
    vjp=none("zeros"),
)


def check_apart(written: Any, *others: Any) -> None:
    """Raises StagingError where an array that is written lies in the memory of another one.

    >>> x = np.zeros(4)
    >>> check_apart(x[:2], x[2:])
    """
    if any(np.may_share_memory(written, other) and np.shares_memory(written, other) for other in others):
        raise StagingError(
            "a function that writes into an array is differentiated, and gets two arrays that share memory",
            hint="pass a copy of one of them",
        )


op(
    "check_apart",
    check_apart,
    lambda types: (),
    Effects(reads=False, ordered=True, may_raise=True),
    vjp=none("a check"),
)


def shadow_merge(x: Any, made: Any, order: str = "C") -> None:
    """``x += made`` where ``made``, which has other axes, turned out to be a copy of ``x`` and no view."""
    if not np.may_share_memory(x, made):
        x += made.reshape(x.shape, order=order)


op("shadow_merge", shadow_merge, lambda types, order="C": (), Effects(writes=(0,)), vjp=BY_SWEEP)


def shadow_pull(x: Any, *dynamic: Any, index: Any) -> Any:
    """What ``x[index] = value`` left of ``value``: the adjoint of those items that no later one overwrote.

    They become zero in ``x``.
    """
    places = fill_index(index, dynamic)
    found = np.array(x[places])
    numbers = np.arange(found.size).reshape(found.shape)
    last = np.zeros(x.shape, numbers.dtype)
    last[places] = numbers
    found[last[places] != numbers] = 0
    x[places] = 0
    return found


op(
    "shadow_pull",
    shadow_pull,
    lambda types, index: _items(types, index),
    Effects(writes=(0,), may_raise=True),
    vjp=BY_SWEEP,
)


def _items(types: tuple[Type, ...], index: Any) -> Type:
    return getitem_rule(types, index)
