"""Sorting, searching and selecting: ``sort``, ``searchsorted``, ``unique``, ``nonzero``, ``take``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(*REGISTRY["nonzero"].infer((parse_type("f64[3,4]"),)))
i64[None] i64[None]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, kernel_family
from runtime.ops.promotion import (
    broadcast_shapes,
    common_dtype,
    known_size,
    normalize_axis,
    numeric,
    shaped,
    trial,
)
from runtime.types import ArrayType, ScalarType, Shape, Type

INTP = np.dtype(np.intp)


selecting = kernel_family("sorting")


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


_SORTED: list[Any] = [[(3, 4)], [(3, 4), {"axis": 0}], [(3, 4), {"axis": None}]]
selecting("sort", np.sort, sorted_rule("sort"), PURE, _SORTED)
selecting("argsort", np.argsort, sorted_rule("argsort", INTP), PURE, _SORTED)


def _partition(function: Callable[..., Any]) -> Any:
    return lambda x, kth, axis=-1: function(x, kth, axis)


selecting("partition", _partition(np.partition), sorted_rule("partition"), MAY_RAISE, [[(3, 4), 1]])
selecting(
    "argpartition", _partition(np.argpartition), sorted_rule("argpartition", INTP), MAY_RAISE, [[(3, 4), 1]]
)


def lexsort_rule(types: tuple[Type, ...], axis: int = -1) -> Type:
    keys = numeric(types, "np.lexsort()")
    return ArrayType(INTP, keys[0].shape) if keys[0].ndim else ScalarType(INTP)


selecting("lexsort", lambda *keys, axis=-1: np.lexsort(keys, axis), lexsort_rule, MAY_RAISE, [[(3,), (3,)]])


def searchsorted_rule(types: tuple[Type, ...], side: str = "left") -> Type:
    a, v, *_ = numeric(types, "np.searchsorted()")
    if a.ndim != 1:
        raise ValueError("object too deep for desired array")
    return ArrayType(INTP, v.shape) if v.ndim else ScalarType(INTP)


selecting(
    "searchsorted",
    lambda a, v, *sorter, side="left": np.searchsorted(a, v, side, *sorter),
    searchsorted_rule,
    PURE,
    [[(4,), (3, 2)], [(4,), ()], [(4,), 2]],
)


def digitize_rule(types: tuple[Type, ...], right: bool = False) -> Type:
    x, _ = numeric(types, "np.digitize()")
    return ArrayType(INTP, x.shape) if x.ndim else ScalarType(INTP)


selecting("digitize", np.digitize, digitize_rule, MAY_RAISE, [[(3, 2), (4,)]])


# -- results whose length the contents decide ------------------------------------------------------------


def unique_rule(types: tuple[Type, ...], **wanted: bool) -> Any:
    (t,) = numeric(types, "np.unique()")
    extra = [wanted.get(f"return_{name}", False) for name in ("index", "inverse", "counts")]
    first = ArrayType(t.dtype, (None,))
    if not any(extra):
        return first
    shapes: list[Shape] = [(None,), t.shape, (None,)]
    return (first, *[ArrayType(INTP, shape) for shape, given in zip(shapes, extra, strict=True) if given])


selecting(
    "unique",
    np.unique,
    unique_rule,
    PURE,
    [[(3, 4)], [(5,), {"return_counts": True}], [(3, 4), {"return_inverse": True}]],
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


selecting("nonzero", _nonzero, nonzero_rule, PURE, [[(3, 4)], [(5,)]])
selecting(
    "flatnonzero",
    np.flatnonzero,
    lambda types: ArrayType(INTP, (None,)),
    PURE,
    [[(3, 4)], [(5,)]],
)
selecting(
    "argwhere",
    np.argwhere,
    lambda types: ArrayType(INTP, (None, types[0].ndim)),
    PURE,
    [[(3, 4)], [(5,)]],
)


def bincount_rule(types: tuple[Type, ...], minlength: Any = 0) -> Type:
    _, *weights = numeric(types, "np.bincount()")
    return ArrayType(np.dtype("float64") if weights else INTP, (None,))


def _bincount(x: Any, *weights: Any, minlength: int = 0) -> Any:
    return np.bincount(x, weights[0] if weights else None, minlength)


selecting("bincount", _bincount, bincount_rule, MAY_RAISE, [])


def compress_rule(types: tuple[Type, ...], axis: int | None = None) -> Type:
    _, x = numeric(types, "np.compress()")
    if axis is None:
        return ArrayType(x.dtype, (None,))
    axis = normalize_axis(axis, x.ndim)
    return ArrayType(x.dtype, (*x.shape[:axis], None, *x.shape[axis + 1 :]))


selecting("compress", np.compress, compress_rule, MAY_RAISE, [[(3,), (3, 4), {"axis": 0}], [(3,), (4,)]])


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
    selecting(_name, getattr(np, _name), rule, MAY_RAISE if _name == "union1d" else PURE, [[(3,), (4,)]])
selecting(
    "isin",
    np.isin,
    lambda types: ArrayType(np.dtype("bool"), types[0].shape),
    PURE,
    [[(3, 2), (4,)], [(), (4,)]],
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


selecting("take", np.take, take_rule, MAY_RAISE, [])


def take_along_rule(types: tuple[Type, ...], axis: int | None = -1) -> Type:
    x, indices = numeric(types, "np.take_along_axis()")
    return ArrayType(x.dtype, indices.shape if axis is None else _along(x.shape, indices.shape, axis))


def _along(x: Shape, indices: Shape, axis: int) -> Shape:
    axis = normalize_axis(axis, len(x))
    rest = broadcast_shapes((*x[:axis], *x[axis + 1 :]), (*indices[:axis], *indices[axis + 1 :]))
    return (*rest[:axis], indices[axis], *rest[axis:])


selecting("take_along_axis", np.take_along_axis, take_along_rule, MAY_RAISE, [])


def choose_rule(types: tuple[Type, ...], mode: str = "raise") -> Type:
    index, *choices = numeric(types, "np.choose()")
    shape = broadcast_shapes(*[t.shape for t in (index, *choices)])
    dtype = common_dtype(choices)
    return ArrayType(dtype, shape) if shape else ScalarType(dtype)


selecting(
    "choose", lambda i, *choices, mode="raise": np.choose(i, choices, mode=mode), choose_rule, MAY_RAISE, []
)


def select_rule(types: tuple[Type, ...], count: int) -> Type:
    """Inputs: ``count`` conditions, ``count`` choices, the default."""
    operands = numeric(types, "np.select()")
    shape = broadcast_shapes(*[t.shape for t in operands])
    (found,) = trial(_select, types, {"count": count})
    return shaped(found, shape)


def _select(*items: Any, count: int) -> Any:
    return np.select(list(items[:count]), list(items[count:-1]), items[-1])


selecting("select", _select, select_rule, MAY_RAISE, [])


# -- numbers along an axis -------------------------------------------------------------------------------


def diff_rule(types: tuple[Type, ...], n: int = 1, axis: int = -1) -> Type:
    (t,) = numeric(types, "np.diff()")
    if not t.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis(axis, t.ndim)
    length = t.shape[axis]
    (found,) = trial(_diff_of_three, types, {"n": n, "axis": axis})
    shape = (*t.shape[:axis], None if length is None else max(length - n, 0), *t.shape[axis + 1 :])
    return shaped(found, shape)


def _diff_of_three(x: Any, n: int, axis: int) -> Any:
    return np.diff(np.repeat(x, n + 2, axis), n, axis)


selecting("diff", np.diff, diff_rule, PURE, [[(3, 4)], [(5,), {"n": 2}], [(3, 4), {"axis": 0}]])


def interp_rule(types: tuple[Type, ...]) -> Type:
    x, xp, fp, *_ = numeric(types, "np.interp()")
    dtype = np.dtype("complex128" if fp.dtype.kind == "c" else "float64")
    return ArrayType(dtype, x.shape) if x.ndim else ScalarType(dtype)


selecting("interp", np.interp, interp_rule, MAY_RAISE, [[(3, 2), (4,), (4,)], [1.5, (4,), (4,)]])


def histogram_rule(types: tuple[Type, ...], bins: int = 10, range: Any = None) -> tuple[Type, ...]:
    (t,) = numeric(types, "np.histogram()")
    edges = np.result_type(t.dtype, 1.0 if t.dtype.kind in "fc" else np.float64)
    return ArrayType(INTP, (bins,)), ArrayType(edges, (bins + 1,))


selecting(
    "histogram",
    lambda x, bins=10, range=None: tuple(np.histogram(x, bins, range)),
    histogram_rule,
    MAY_RAISE,
    [[(5,), {"bins": 3}]],
)


def convolve_rule(types: tuple[Type, ...], mode: str = "full") -> Type:
    x, y = numeric(types, "np.convolve()")
    (found,) = trial(np.convolve, types, {"mode": mode})
    n, m = [t.shape[0] if t.ndim else 1 for t in (x, y)]
    if n is None or m is None:
        return shaped(found, (None,))
    length = {"full": n + m - 1, "same": max(n, m), "valid": max(n, m) - min(n, m) + 1}.get(mode)
    return shaped(found, (length,))


selecting(
    "convolve",
    np.convolve,
    convolve_rule,
    MAY_RAISE,
    [[(5,), (3,)], [(5,), (3,), {"mode": "same"}], [(5,), (3,), {"mode": "valid"}]],
)


def nan_to_num_rule(types: tuple[Type, ...], **attributes: Any) -> Type:
    (t,) = numeric(types, "np.nan_to_num()")
    (found,) = trial(np.nan_to_num, types, {})
    return shaped(found, t.shape)


selecting("nan_to_num", np.nan_to_num, nan_to_num_rule, PURE, [[(3, 4)], [()]])


def round_rule(types: tuple[Type, ...], decimals: int = 0) -> Type:
    (t,) = numeric(types, "np.round()")
    (found,) = trial(np.round, types, {"decimals": decimals})
    return shaped(found, t.shape)


selecting("round", np.round, round_rule, PURE, [[(3, 4)], [()], [2.5], [(3,), {"decimals": 1}]])


def isclose_rule(types: tuple[Type, ...], equal_nan: bool = False) -> Type:
    """Inputs: a, b, rtol, atol."""
    operands = numeric(types, "np.isclose()")
    shape = broadcast_shapes(*[t.shape for t in operands])
    return ArrayType(np.dtype("bool"), shape) if shape else ScalarType(np.dtype("bool"))


def _isclose(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: bool = False) -> Any:
    return np.isclose(a, b, rtol, atol, equal_nan)


selecting("isclose", _isclose, isclose_rule, MAY_RAISE, [[(3,), (3,), 1e-5, 1e-8], [(), 2, 1e-5, 1e-8]])
