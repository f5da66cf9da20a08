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

from runtime.ops.definition import PURE, Effects, Infer, UnsupportedError, Vjp, op
from runtime.ops.expressions import spread
from runtime.ops.promotion import known_size, normalize_axis, numeric, reduced_shape, shaped, trial
from runtime.types import ArrayType, Shape, Type

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


def reduction_rule(name: str, kernel: Callable[..., Any]) -> Infer:
    def infer(types: tuple[Type, ...], axis: Any = None, keepdims: bool = False, **attributes: Any) -> Type:
        shape = operand_shape(types, name)
        of_scalar = not shape and axis in (0, -1)  # which NumPy lets pass
        shape = reduced_shape(shape, None if of_scalar else axis, keepdims)
        (found,) = trial(kernel, types, {"axis": axis, "keepdims": keepdims, **attributes})
        return shaped(found, shape)

    return infer


def empty_raises(types: tuple[Type, ...], axis: Any = None, **attributes: Any) -> Effects:
    """A maximum of nothing raises ValueError."""
    size = known_size(types[0].shape)  # type: ignore[union-attr]
    return Effects(may_raise=not size)


def reduction(
    name: str,
    kernel: Callable[..., Any],
    effects: Effects | Callable[..., Effects] = PURE,
    native: Callable[..., Any] | None = None,
    samples: Sequence[Any] = SAMPLES,
    vjp: Vjp = None,
) -> None:
    """``native(b, accumulator, x)`` combines; the engine converts to the result's dtype and starts from
    the identity (``sum`` 0, ``prod`` 1, ``any`` False, ``all`` True) or from the first element."""
    op(
        name,
        kernel=kernel,
        infer=reduction_rule(name, kernel),
        native=native,
        effects=effects,
        samples=samples,
        family="reduction",
        vjp=vjp,
    )


def _maximum(b: Any, x: Any, y: Any) -> Any:
    from runtime.ops.definition import REGISTRY

    native = REGISTRY["maximum"].native
    assert native is not None
    return native(b, x, y)


def _minimum(b: Any, x: Any, y: Any) -> Any:
    from runtime.ops.definition import REGISTRY

    native = REGISTRY["minimum"].native
    assert native is not None
    return native(b, x, y)


reduction(
    "sum",
    np.sum,
    native=lambda b, accumulator, x: b.add(accumulator, x),
    vjp=lambda g, y, x, axis=None, keepdims=False, **_: (spread(g, x, axis, keepdims),),
)
reduction("prod", np.prod, native=lambda b, accumulator, x: b.mul(accumulator, x))
reduction("max", np.max, empty_raises, _maximum)
reduction("min", np.min, empty_raises, _minimum)
reduction("any", np.any, native=lambda b, accumulator, x: b.or_(accumulator, x))
reduction("all", np.all, native=lambda b, accumulator, x: b.and_(accumulator, x))
reduction("mean", np.mean)
reduction("ptp", np.ptp, empty_raises)
_DDOF = [[(3, 4), {"axis": 0, "ddof": 1}]]
reduction("std", np.std, samples=SAMPLES + _DDOF)
reduction("var", np.var, samples=SAMPLES + _DDOF)
reduction("median", np.median)
reduction("nansum", np.nansum)
reduction("nanprod", np.nanprod)
reduction("nanmax", np.nanmax, empty_raises)
reduction("nanmin", np.nanmin, empty_raises)
reduction("nanmean", np.nanmean)
reduction("nanstd", np.nanstd, samples=SAMPLES + _DDOF)
reduction("nanvar", np.nanvar, samples=SAMPLES + _DDOF)
reduction("nanmedian", np.nanmedian)

_ONE_AXIS = [[(3, 4)], [(3, 4), {"axis": 0}], [(3, 4), {"axis": 1, "keepdims": True}]]
reduction("argmax", np.argmax, empty_raises, samples=_ONE_AXIS)
reduction("argmin", np.argmin, empty_raises, samples=_ONE_AXIS)
reduction("nanargmax", np.nanargmax, Effects(may_raise=True), samples=_ONE_AXIS)
reduction("nanargmin", np.nanargmin, Effects(may_raise=True), samples=_ONE_AXIS)


def _count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.count_nonzero(x, axis=axis, keepdims=keepdims)


reduction("count_nonzero", _count_nonzero)


def quantile_rule(name: str, kernel: Callable[..., Any]) -> Infer:
    """The shape of ``q`` comes before what is left of the operand's."""

    def infer(types: tuple[Type, ...], axis: Any = None, keepdims: bool = False, **attributes: Any) -> Type:
        operand, q = numeric(types, f"np.{name}()")
        shape = q.shape + reduced_shape(operand.shape, axis, keepdims)
        (found,) = trial(kernel, types, {"axis": axis, "keepdims": keepdims, **attributes})
        return shaped(found, shape)

    return infer


for _name in ("percentile", "quantile", "nanpercentile", "nanquantile"):
    op(
        _name,
        kernel=getattr(np, _name),
        infer=quantile_rule(_name, getattr(np, _name)),
        native=None,
        effects=Effects(may_raise=True),
        samples=[[(3, 4), 0.5], [(3, 4), 0.25, {"axis": 0}], [(3, 4), 1.0, {"axis": 1, "keepdims": True}]],
        family="reduction",
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


for _name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
    op(
        _name,
        kernel=getattr(np, _name),
        infer=scan_rule(_name, getattr(np, _name)),
        native=None,
        effects=PURE,
        samples=[[(3, 4)], [(3, 4), {"axis": 1}], [()]],
        family="scan",
    )


# -- methods of ufuncs ---------------------------------------------------------------------------------


def _reduce(x: Any, ufunc: str, axis: Any = 0, keepdims: bool = False) -> Any:
    return getattr(np, ufunc).reduce(x, axis=axis, keepdims=keepdims)


def _accumulate(x: Any, ufunc: str, axis: int = 0) -> Any:
    return getattr(np, ufunc).accumulate(x, axis=axis)


def _reduce_rule(types: tuple[Type, ...], ufunc: str, axis: Any = 0, keepdims: bool = False) -> Type:
    shape = operand_shape(types, f"{ufunc}.reduce")
    shape = reduced_shape(shape, axis if shape or axis not in (0, -1) else None, keepdims)
    (found,) = trial(_reduce, types, {"ufunc": ufunc, "axis": axis, "keepdims": keepdims})
    return shaped(found, shape)


def _accumulate_rule(types: tuple[Type, ...], ufunc: str, axis: int = 0) -> Type:
    shape = operand_shape(types, f"{ufunc}.accumulate")
    (found,) = trial(_accumulate, types, {"ufunc": ufunc, "axis": axis})
    return shaped(found, shape)


op(
    "ufunc_reduce",
    kernel=_reduce,
    infer=_reduce_rule,
    native=None,
    effects=empty_raises,
    samples=[[(3, 4), {"ufunc": "subtract"}], [(3, 4), {"ufunc": "maximum", "axis": 1}]],
    family="reduction",
)
op(
    "ufunc_accumulate",
    kernel=_accumulate,
    infer=_accumulate_rule,
    native=None,
    effects=PURE,
    samples=[[(3, 4), {"ufunc": "maximum"}], [(3, 4), {"ufunc": "add", "axis": 1}]],
    family="scan",
)
