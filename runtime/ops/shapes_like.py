"""Operations that give a value the shape of another: what rules of derivatives end in.

``sum_like`` undoes a broadcast, ``broadcast_like`` undoes ``sum_like``, ``reshape_like`` undoes a
reshape, ``scatter`` undoes an indexing: each is the transpose of another.

>>> import numpy as np
>>> from runtime.ops import REGISTRY
>>> REGISTRY["sum_like"].kernel(np.ones((4, 3)), np.ones((1, 3)))
array([[4., 4., 4.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, Effects, family
from runtime.ops.expressions import Expr, ops
from runtime.ops.indexing import Index, add_items, getitem_rule
from runtime.ops.promotion import numeric
from runtime.types import ArrayType, ScalarType, Type

op = family("shape")


def sum_like(x: Any, like: Any) -> Any:
    """``x`` in the shape of ``like``, with which it broadcasts: summed, or spread from length 1."""
    if type(x) is type(like) is np.ndarray and x.shape == like.shape:  # nearly always
        return x
    shape = np.shape(like)
    lead = np.ndim(x) - len(shape)
    axes = tuple([k for k in range(np.ndim(x)) if k < lead or (shape[k - lead] == 1 != np.shape(x)[k])])
    if axes:
        x = np.sum(x, axis=axes, dtype=np.asarray(x).dtype, keepdims=True)
        x = x.reshape(x.shape[max(lead, 0) :])
    return x if np.shape(x) == shape else np.broadcast_to(x, shape)


def _as(types: tuple[Type, ...], **_: Any) -> Type:
    x, like, *_rest = numeric(types, "an array in the shape of another")
    return ArrayType(x.dtype, like.shape) if isinstance(like, ArrayType) else ScalarType(x.dtype)


op(
    "sum_like",
    sum_like,
    _as,
    Effects(view_of=0),
    [[(4, 3), (1, 3)], [(2, 4, 3), (4, 1)], [(4, 3), (4, 3)], [(1, 3), (4, 1)]],
    lambda g, y, x, like: (ops.sum_like(g, x),),
    traits=["own shadow", "like", "repeats"],
)

op(
    "broadcast_like",
    lambda x, like: np.broadcast_to(x, np.shape(like)),
    lambda types: _as(types) if isinstance(types[1], ArrayType) else types[0],
    Effects(view_of=0, reads=False, may_raise=True),
    [[(1, 3), (4, 3)], [(4, 1), (2, 4, 3)]],
    lambda g, y, x, like: (g,),
    traits=["own shadow", "like", "repeats"],
)

op(
    "reshape_like",
    lambda x, like, order="C": np.reshape(x, np.shape(like), order),
    _as,
    Effects(view_of=0, copies=True, may_raise=True),
    [[(4, 3), (2, 6)], [(4, 3), (12,), {"order": "F"}]],
    lambda g, y, x, like, order="C": (ops.reshape_like(g, x, order=order),),
    traits=["like"],
)


def _scatter(g: Any, like: Any, *dynamic: Any, index: Index) -> Any:
    made = np.zeros(np.shape(like), np.asarray(g).dtype)
    add_items(made, g, *dynamic, index=index)
    return made


def _scatter_rule(types: tuple[Type, ...], index: Index) -> Type:
    g, like, *dynamic = numeric(types, "an array of items")
    getitem_rule((like, *dynamic), index)
    return ArrayType(g.dtype, like.shape)


def _scatter_vjp(g: Expr, y: Expr, x: Expr, like: Expr, *dynamic: Expr, index: Index) -> tuple[Any, ...]:
    return (ops.getitem(g, *dynamic, index=index),)


op(
    "scatter",  # zeros in the shape of the second operand, and the items at `index` of the first added
    _scatter,
    _scatter_rule,
    MAY_RAISE,
    [[(4,), (3, 4), {"index": (1,)}], [(2, 4), (3, 4), {"index": (slice(None, None, 2),)}]],
    family="indexing",
    vjp=_scatter_vjp,
    traits=["like"],
)


def _add_along_axis(g: Any, like: Any, indices: Any, axis: int | None = -1) -> Any:
    made = np.zeros(np.shape(like), np.asarray(g).dtype)
    if axis is None:
        np.add.at(made.reshape(-1), indices, g)
        return made
    places = list(np.ogrid[tuple([slice(n) for n in np.shape(g)])])
    places[axis] = indices
    np.add.at(made, tuple(places), g)
    return made


op(
    "add_along_axis",  # zeros in the shape of the second operand, and the items of the first added
    _add_along_axis,
    lambda types, axis=-1: _as(types),
    MAY_RAISE,
    family="indexing",
    vjp=lambda g, y, x, like, indices, axis=-1: (ops.take_along_axis(g, indices, axis=axis),),
)
