"""Sorting, searching and selecting: ``sort``, ``searchsorted``, ``unique``, ``nonzero``, ``take``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(*REGISTRY["nonzero"].infer((parse_type("f64[3,4]"),)))
i64[None] i64[None]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Dynamic, family, none, refused
from runtime.ops.expressions import Expr, ops, zeros_like
from runtime.ops.promotion import (
    broadcast_shapes,
    by_run,
    common_dtype,
    known_size,
    normalize_axis,
    numeric,
    ruled,
)
from runtime.ops.reduction_rules import as_before, rows_of
from runtime.ops.written import within
from runtime.types import ArrayType, ScalarType, Shape, Type

INTP = np.dtype(np.intp)


selecting = family("sorting")


# -- sorting -------------------------------------------------------------------------------------------


def sorted_rule(name: str, dtype: np.dtype[Any] | None = None) -> Any:
    def infer(types: tuple[Type, ...], axis: int | None = -1, **attributes: Any) -> Type:
        t, *_ = numeric(types, f"np.{name}()")
        found = dtype or t.dtype
        if axis is None:
            return ArrayType(found, (known_size(t.shape),))
        of_scalar = dtype is not None and not t.ndim  # there is one place, 0
        shape = (1,) if of_scalar else t.shape
        normalize_axis(axis, len(shape))
        return ArrayType(found, shape)

    return infer


def _unsorted(g: Expr, order: Expr) -> Expr:
    """The items of ``g`` back to where they were taken from: ``order`` says it along the last axis."""
    found: Expr = ops.take_along_axis(g, ops.argsort(order, axis=-1), axis=-1)
    return found


def _sort_vjp(g: Expr, y: Expr, x: Expr, *kth: Expr, axis: int | None = -1, **_: Any) -> tuple[Any, ...]:
    """What stands at the place of an item, by its rank. Of equal items the first one has the first rank."""
    rows, g = (rows_of(part, axis) for part in (x, g))
    if kth:  # np.partition: the result has an order of its own
        g = ops.take_along_axis(g, ops.argsort(rows_of(y, axis), axis=-1, stable=True), axis=-1)
    return (as_before(_unsorted(g, ops.argsort(rows, axis=-1, stable=True)), x, axis),)


_ORDER = none("an order")
_COMPARISON = none("comparison")

_SORTED: list[Any] = [[(3, 4)], [(3, 4), {"axis": 0}], [(3, 4), {"axis": None}]]
selecting("sort", np.sort, sorted_rule("sort"), PURE, _SORTED, _sort_vjp)
selecting("argsort", np.argsort, sorted_rule("argsort", INTP), PURE, _SORTED, _ORDER)


_PLACED: list[Any] = [[(3, 4), 1]]
selecting("partition", np.partition, sorted_rule("partition"), MAY_RAISE, _PLACED, _sort_vjp)
selecting("argpartition", np.argpartition, sorted_rule("argpartition", INTP), MAY_RAISE, _PLACED, _ORDER)

_lexsort = lambda *keys, axis=-1: np.lexsort(keys, axis)
_lexsort_rule = ruled(_lexsort, lambda *keys, axis=-1: keys[0], "lexsort")
selecting("lexsort", _lexsort, _lexsort_rule, MAY_RAISE, [[(3,), (3,)]], _ORDER)


_searchsorted = lambda a, v, *sorter, side="left": np.searchsorted(a, v, side, *sorter)
selecting(
    "searchsorted",
    _searchsorted,
    by_run(_searchsorted, "searchsorted"),
    PURE,
    [[(4,), (3, 2)], [(4,), ()], [(4,), 2, {"side": "right"}]],
    _ORDER,
    lowered=("scan",),
)


selecting(
    "digitize",
    np.digitize,
    by_run(np.digitize),
    MAY_RAISE,
    [[(3, 2), (4,)], [(3, 2), (4,), {"right": True}]],
    _ORDER,
)


# -- results whose length the contents decide ------------------------------------------------------------


def unique_rule(types: tuple[Type, ...], **wanted: bool) -> Any:
    (t,) = numeric(types, "np.unique()")
    extra = [wanted.get(f"return_{name}", False) for name in ("index", "inverse", "counts")]
    first = ArrayType(t.dtype, (None,))
    if not any(extra):
        return first
    shapes: list[Shape] = [(None,), t.shape, (None,)]
    return (first, *[ArrayType(INTP, shape) for shape, given in zip(shapes, extra, strict=True) if given])


def _unique_vjp(g: Any, y: Any, x: Expr, **_: Any) -> tuple[Any, ...]:
    """Equal items have equal shares, as of a maximum."""
    g, y = (g[0], y[0]) if isinstance(g, tuple) else (g, y)
    flat = ops.ravel(x)
    place = ops.searchsorted(y, flat)
    index = (Dynamic(0),)
    counts = ops.scatter(zeros_like(flat) + 1, y, place, index=index)
    return (ops.reshape_like((g / counts)[place], x),)


selecting(
    "unique",
    np.unique,
    unique_rule,
    PURE,
    [[(3, 4)], [(5,), {"return_counts": True}], [(3, 4), {"return_inverse": True}]],
    _unique_vjp,
)


def nonzero_rule(types: tuple[Type, ...]) -> tuple[Type, ...]:
    (t,) = numeric(types, "np.nonzero()")
    if not t.ndim:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."
        )
    return (ArrayType(INTP, (None,)),) * t.ndim


def _nonzero(x: Any) -> Any:
    found = np.nonzero(x)
    return found if len(found) > 1 else found[0]


selecting("nonzero", _nonzero, nonzero_rule, PURE, [[(3, 4)], [(5,)]], _COMPARISON)
selecting(
    "flatnonzero",
    np.flatnonzero,
    lambda types: ArrayType(INTP, (None,)),
    PURE,
    [[(3, 4)], [(5,)]],
    _COMPARISON,
)
selecting(
    "argwhere",
    np.argwhere,
    lambda types: ArrayType(INTP, (None, types[0].ndim)),
    PURE,
    [[(3, 4)], [(5,)]],
    _COMPARISON,
)


def bincount_rule(types: tuple[Type, ...], minlength: Any = 0) -> Type:
    _, *weights = numeric(types, "np.bincount()")
    return ArrayType(np.dtype("float64") if weights else INTP, (None,))


def _bincount(x: Any, *weights: Any, minlength: int = 0) -> Any:
    return np.bincount(x, weights[0] if weights else None, minlength)


_COUNTED = [[np.array([1, 0, 3, 1]), (4,)]]
_bincount_vjp = lambda g, y, x, *weights, minlength=0: (None, *[g[x] for _ in weights])
selecting("bincount", _bincount, bincount_rule, MAY_RAISE, _COUNTED, _bincount_vjp)


def compress_rule(types: tuple[Type, ...], axis: int | None = None) -> Type:
    _, x = numeric(types, "np.compress()")
    if axis is None:
        return ArrayType(x.dtype, (None,))
    axis = normalize_axis(axis, x.ndim)
    return ArrayType(x.dtype, (*x.shape[:axis], None, *x.shape[axis + 1 :]))


_COMPRESSED: list[Any] = [[(3,), (3, 4), {"axis": 0}], [(3,), (4,)]]
selecting("compress", np.compress, compress_rule, MAY_RAISE, _COMPRESSED)


def set_rule(types: tuple[Type, ...]) -> Type:
    x, y = numeric(types, "a set function")
    return ArrayType(np.promote_types(x.dtype, y.dtype), (None,))


def union_rule(types: tuple[Type, ...]) -> Type:
    """It concatenates, where Python numbers are weak; the others make arrays of them first."""
    return ArrayType(common_dtype(numeric(types, "np.union1d()")), (None,))


for _name, rule in (
    ("intersect1d", set_rule),
    ("union1d", union_rule),
    ("setdiff1d", lambda types: ArrayType(types[0].dtype, (None,))),
):
    selecting(
        _name,
        getattr(np, _name),
        rule,
        MAY_RAISE if _name == "union1d" else PURE,
        [[(3,), (4,)]],
        refused("a function of sets"),
    )
selecting(
    "isin",
    np.isin,
    lambda types: ArrayType(np.dtype("bool"), types[0].shape),
    PURE,
    [[(3, 2), (4,)], [(), (4,)]],
    _COMPARISON,
)


# -- taking --------------------------------------------------------------------------------------------


def take_rule(types: tuple[Type, ...], axis: int | None = None, mode: str = "raise") -> Type:
    x, indices = numeric(types, "np.take()")
    if axis is None:
        shape: Shape = indices.shape
    else:
        axis = normalize_axis(axis, x.ndim)
        shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    return ArrayType(x.dtype, shape) if shape else ScalarType(x.dtype)


_TAKEN: list[Any] = [
    [(3, 4), np.array([[1, 0, 1]]), {"axis": 1}],
    [(3, 4), np.array([5, 5, 0])],
    [(3, 4), 2, {"axis": 0}],
    [(4,), np.array([5, -3]), {"mode": "wrap"}],
    [(4,), np.array([5, -3]), {"mode": "clip"}],
]
selecting("take", np.take, take_rule, MAY_RAISE, _TAKEN)


def take_along_rule(types: tuple[Type, ...], axis: int | None = -1) -> Type:
    x, indices = numeric(types, "np.take_along_axis()")
    return ArrayType(x.dtype, indices.shape if axis is None else _along(x.shape, indices.shape, axis))


def _along(x: Shape, indices: Shape, axis: int) -> Shape:
    axis = normalize_axis(axis, len(x))
    rest = broadcast_shapes((*x[:axis], *x[axis + 1 :]), (*indices[:axis], *indices[axis + 1 :]))
    return (*rest[:axis], indices[axis], *rest[axis:])


_ALONG: list[Any] = [
    [(2, 3), np.array([[0, 2, 2, 1]]), {"axis": 1}],
    [(2, 3), np.array([5, 5, 0]), {"axis": None}],
]
selecting(
    "take_along_axis",
    np.take_along_axis,
    take_along_rule,
    MAY_RAISE,
    _ALONG,
    lambda g, y, x, indices, axis=-1: (ops.add_along_axis(g, x, indices, axis=axis),),
)


def choose_rule(types: tuple[Type, ...], mode: str = "raise") -> Type:
    index, *choices = numeric(types, "np.choose()")
    shape = broadcast_shapes(*[t.shape for t in (index, *choices)])
    dtype = common_dtype(choices)
    return ArrayType(dtype, shape) if shape else ScalarType(dtype)


def _choose_vjp(g: Expr, y: Expr, index: Expr, *choices: Expr, mode: str = "raise") -> tuple[Any, ...]:
    index = within(index, len(choices), mode)
    return None, *[ops.where(index == k, g, 0) for k in range(len(choices))]


selecting(
    "choose",
    lambda i, *choices, mode="raise": np.choose(i, choices, mode=mode),
    choose_rule,
    MAY_RAISE,
    [[np.array([0, 1, 1]), (3,), (2, 1)], [np.array([0, 3, -1]), (3,), (2, 1), {"mode": "clip"}]],
    _choose_vjp,
)


def _select(*items: Any, count: int) -> Any:
    """Inputs: ``count`` conditions, ``count`` choices, the default."""
    return np.select(list(items[:count]), list(items[count:-1]), items[-1])


_MASKS = [np.array([True, False, False]), np.array([True, True, False])]
_SELECTED: list[Any] = [[*_MASKS, (3,), (2, 3), 0.5, {"count": 2}]]
_select_rule = ruled(_select, lambda *shapes, count: broadcast_shapes(*shapes), "select")
selecting("select", _select, _select_rule, MAY_RAISE, _SELECTED)
