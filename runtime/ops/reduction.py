"""Reductions over axes: ``sum``, ``max``, ``any``, ``mean``, ``argmax``; and scans: ``cumsum``.

Attributes ``axis`` (None, an int or a tuple), ``keepdims`` and ``dtype`` mean what NumPy says.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["sum"].infer((parse_type("i32[3,None]"),), axis=0))
i64[None]
>>> print(REGISTRY["sum"].infer((parse_type("i32[3,None]"),)))
i64
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.ops.definition import (
    MAY_RAISE,
    PURE,
    UNSTATED,
    Effects,
    Infer,
    NoDerivative,
    UnsupportedError,
    Vjp,
    as_written,
    family,
    none,
    refused,
)
from runtime.ops.expressions import Expr, along_axis, kept_axes, less, ops, positions, spread
from runtime.ops.promotion import by_run, known_size, normalize_axis, numeric, shaped, trial
from runtime.ops.reduction_rules import (
    cumprod_vjp,
    cumsum_vjp,
    extreme_vjp,
    nanstd_vjp,
    nanvar_vjp,
    prod_vjp,
    quantile,
    std_vjp,
    sum_vjp,
    var_vjp,
)
from runtime.types import ArrayType, NumericType, ScalarType, Shape, Type

op = family("reduction")

SAMPLES = [
    [(3, 4)],
    [(3, 4), {"axis": 0}],
    [(3, 4), {"axis": -1, "keepdims": True}],
    [(2, 3, 2), {"axis": (0, 2)}],
    [()],
]


def operand_shape(types: tuple[Type, ...], name: str) -> Shape:
    if not types:
        raise UnsupportedError(f"np.{name}() of None is not supported")
    return numeric(types, f"np.{name}()")[0].shape


def empty_raises(types: tuple[NumericType, ...], axis: Any = None, **attributes: Any) -> Effects:
    """A maximum of nothing raises ValueError."""
    size = known_size(types[0].shape)
    return Effects(may_raise=not size)


def reduction(
    name: str,
    kernel: Callable[..., Any],
    effects: Effects | Callable[..., Effects] = PURE,
    samples: Sequence[Any] = SAMPLES,
    *,
    of: str = "",
    vjp: Vjp = UNSTATED,
    traits: Sequence[str] = (),
) -> None:
    """``of`` is the ufunc that combines what was found with one more element; the engine converts to the
    result's dtype, and starts from the identity or from the first element."""
    op(name, kernel, by_run(kernel, name), effects, samples, vjp, combines=of, traits=traits)


reduction("sum", np.sum, of="add", vjp=sum_vjp)
reduction("prod", np.prod, of="multiply", vjp=prod_vjp)
reduction("max", np.max, empty_raises, of="maximum", vjp=extreme_vjp)
reduction("min", np.min, empty_raises, of="minimum", vjp=extreme_vjp)
_COMPARISON = none("comparison")
reduction("any", np.any, of="logical_or", vjp=_COMPARISON)
reduction("all", np.all, of="logical_and", vjp=_COMPARISON)
reduction("mean", np.mean, of="add", traits=["quotient"])
reduction("ptp", np.ptp, empty_raises)
_DDOF = [[(3, 4), {"axis": 0, "ddof": 1}]]
#: what `WRITTEN` gives for variances takes three times as many steps
reduction("std", np.std, samples=SAMPLES + _DDOF, vjp=std_vjp)
reduction("var", np.var, samples=SAMPLES + _DDOF, vjp=var_vjp)
reduction("median", np.median, vjp=as_written(lambda x, **of: quantile(x, 0.5, **of)))
reduction("nansum", np.nansum)
reduction("nanprod", np.nanprod)
reduction("nanmax", np.nanmax, empty_raises, vjp=extreme_vjp)
reduction("nanmin", np.nanmin, empty_raises, vjp=extreme_vjp)
reduction("nanmean", np.nanmean)
reduction("nanstd", np.nanstd, samples=SAMPLES + _DDOF, vjp=nanstd_vjp)
reduction("nanvar", np.nanvar, samples=SAMPLES + _DDOF, vjp=nanvar_vjp)
reduction("nanmedian", np.nanmedian, vjp=as_written(lambda x, **of: quantile(x, 0.5, skips_nan=True, **of)))

_PLACE = none("a place")
_ONE_AXIS = [[(5,)], [(3, 4)], [(3, 4), {"axis": 0}], [(3, 4), {"axis": 1, "keepdims": True}]]
reduction("argmax", np.argmax, empty_raises, samples=_ONE_AXIS, vjp=_PLACE, traits=["place"])
reduction("argmin", np.argmin, empty_raises, samples=_ONE_AXIS, vjp=_PLACE, traits=["place"])
reduction("nanargmax", np.nanargmax, Effects(may_raise=True), samples=_ONE_AXIS, vjp=_PLACE)
reduction("nanargmin", np.nanargmin, Effects(may_raise=True), samples=_ONE_AXIS, vjp=_PLACE)
reduction("count_nonzero", np.count_nonzero, vjp=none("a number of items"))


def _quantile_vjp(whole: int, skips_nan: bool) -> Vjp:
    return as_written(lambda x, q, **of: quantile(x, q / whole, skips_nan, **of))


for _name in ("percentile", "quantile", "nanpercentile", "nanquantile"):
    op(
        _name,
        getattr(np, _name),
        by_run(getattr(np, _name)),
        Effects(may_raise=True),
        [
            [(3, 4), 0.5],
            [(3, 4), 0.25, {"axis": 0}],
            [(3, 4), (2,), {"axis": 1, "keepdims": True}],
            [(2, 3, 2), (2,), {"axis": (0, 2)}],
        ],
        _quantile_vjp(100 if "percentile" in _name else 1, _name.startswith("nan")),
    )


# -- scans ---------------------------------------------------------------------------------------------


def scan_rule(name: str, kernel: Callable[..., Any]) -> Infer:
    def infer(types: tuple[Type, ...], axis: int | None = None, **attributes: Any) -> Type:
        shape = operand_shape(types, name)
        if axis is not None:
            normalize_axis(axis, max(len(shape), 1))
        (found,) = trial(kernel, types, {"axis": axis, **attributes})
        assert isinstance(found, ArrayType)
        return ArrayType(found.dtype, shape if axis is not None and shape else (known_size(shape),))

    return infer


def scan(function: Callable[..., Any], vjp: Vjp = UNSTATED) -> None:
    name, samples = function.__name__, [[(5,)], [(3, 4)], [(3, 4), {"axis": 1}], [()]]
    op(name, function, scan_rule(name, function), samples=samples, family="scan", vjp=vjp, lowered=("scan",))


scan(np.cumsum, cumsum_vjp)
scan(np.cumprod, cumprod_vjp)
scan(np.nancumsum)
scan(np.nancumprod)


# -- methods of ufuncs, but for those that are a sum, or another of the above ---------------------------


def _reduce(x: Any, ufunc: str, axis: Any = 0, keepdims: bool = False) -> Any:
    return getattr(np, ufunc).reduce(x, axis=axis, keepdims=keepdims)


def _accumulate(x: Any, ufunc: str, axis: int = 0) -> Any:
    return getattr(np, ufunc).accumulate(x, axis=axis)


def _reduce_vjp(
    g: Expr, y: Expr, x: Expr, ufunc: str, axis: Any = 0, keepdims: bool = False
) -> tuple[Any, ...] | NoDerivative:
    rule = _REDUCTION_RULES.get(ufunc)
    if rule is None:
        return refused(f"np.{ufunc}.reduce")
    return rule(g, y, x, axis=axis, keepdims=keepdims)


def _accumulate_vjp(g: Expr, y: Expr, x: Expr, ufunc: str, axis: int = 0) -> tuple[Any, ...] | NoDerivative:
    rule = _ACCUMULATION_RULES.get(ufunc)
    return refused(f"np.{ufunc}.accumulate") if rule is None else rule(g, y, x, axis=axis)


def _logaddexp_vjp(g: Expr, y: Expr, x: Expr, axis: Any, keepdims: bool) -> tuple[Any, ...]:
    kept = kept_axes(y, x, axis, keepdims)
    return (kept_axes(g, x, axis, keepdims) * ops.exp(less(x, kept)),)


_REDUCTION_RULES: dict[str, Any] = {"fmax": extreme_vjp, "fmin": extreme_vjp, "logaddexp": _logaddexp_vjp}


def _running_extreme_vjp(g: Expr, y: Expr, x: Expr, axis: int) -> tuple[Any, ...]:
    """Of equal items the last one so far was taken."""
    places = along_axis(positions(x, axis), x, axis)
    taken = ops.ufunc_accumulate(ops.where(x == y, places, 0), ufunc="maximum", axis=axis)
    return (ops.add_along_axis(g, x, taken, axis=axis),)


_ACCUMULATION_RULES: dict[str, Any] = {"maximum": _running_extreme_vjp, "minimum": _running_extreme_vjp}


def has_rule_along(name: str, ufunc: str) -> bool:
    """Has `ufunc_reduce`, or `ufunc_accumulate`, a derivative that is stated?"""
    return ufunc in (_REDUCTION_RULES if name == "ufunc_reduce" else _ACCUMULATION_RULES)


op(
    "ufunc_reduce",
    _reduce,
    by_run(_reduce, "reduce"),
    empty_raises,
    [[(3, 4), {"ufunc": "logaddexp"}], [(3, 4), {"ufunc": "fmax", "axis": 1}]],
    _reduce_vjp,
)
op(
    "ufunc_accumulate",
    _accumulate,
    by_run(_accumulate, "accumulate"),
    samples=[[(3, 4), {"ufunc": "maximum"}], [(3, 4), {"ufunc": "minimum", "axis": 1}]],
    family="scan",
    vjp=_accumulate_vjp,
)


# -- Python's min, max and sum over the items of an array ----------------------------------------------


def _item(python: Callable[..., Any], first: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(x: Any) -> Any:
        if not len(x) or (x.dtype.kind in "fc" and np.isnan(x).any()):
            return python(x)  # raises for no items; with NaN the order decides
        return x[first(x)]

    return kernel


def _item_rule(types: tuple[Type, ...]) -> Type:
    (t,) = numeric(types, "min() or max()")
    return ScalarType(t.dtype)


def _extreme_vjp(g: Expr, y: Expr, x: Expr) -> tuple[Any, ...]:
    """Equal items have equal shares, as of ``np.max``."""
    equal = x == y
    return (g * equal / ops.sum(equal),)


for _name, _python, _first in (("py.min_item", min, np.argmin), ("py.max_item", max, np.argmax)):
    op(_name, _item(_python, _first), _item_rule, MAY_RAISE, [[(5,)]], family="items", vjp=_extreme_vjp)


def sum_items(x: Any, start: Any) -> Any:
    """``start + x[0] + x[1] + ...``, from the left, as Python's ``sum`` adds; there is at least one item."""
    first = start + x[0]
    dtype = np.result_type(first, x.dtype)
    terms = np.empty((len(x), *np.shape(first)), dtype)
    terms[0] = first
    terms[1:] = x[1:]
    return np.add.accumulate(terms, dtype=dtype)[-1]


def _sum_rule(types: tuple[Type, ...]) -> Type:
    x, start = numeric(types, "sum()")
    if start.ndim and start.ndim >= x.ndim:
        raise UnsupportedError("sum() with a start value of as many dimensions is not supported")
    (found,) = trial(sum_items, types, {})
    return shaped(found, x.shape[1:])


op(
    "py.sum_items",
    sum_items,
    _sum_rule,
    MAY_RAISE,
    [[(5,), 0], [(5, 2), 0], [(5,), 1.5]],
    family="items",
    vjp=lambda g, y, x, start: (spread(g, x, 0), g),
    lowered=("scan",),
)
