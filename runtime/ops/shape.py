"""Shapes: ``reshape``, ``transpose``, ``concatenate``, ``stack``, ``repeat``, ``pad`` and their like.

A target shape may hold ``Dynamic(k)``, the k-th input after the array: a length known only at run time.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["reshape"].infer((parse_type("f64[6,None]"),), shape=(-1,)))
f64[None]
>>> print(REGISTRY["concatenate"].infer((parse_type("f64[2,3]"), parse_type("i32[4,3]")), axis=0))
f64[6,3]

Operations that give a value the shape of another: what rules of derivatives end in.

``sum_like`` undoes a broadcast, ``broadcast_like`` undoes ``sum_like``, ``reshape_like`` undoes a
reshape, ``scatter`` undoes an indexing: each is the transpose of another.

>>> import numpy as np
>>> from runtime.ops import REGISTRY
>>> REGISTRY["sum_like"].kernel(np.ones((4, 3)), np.ones((1, 3)))
array([[4., 4., 4.]])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Effects, UnsupportedError, family
from runtime.ops.expressions import Expr, ops
from runtime.ops.indexing import Dynamic, Index, add_items, getitem_rule
from runtime.ops.promotion import by_run, known_size, normalize_axes, numeric
from runtime.types import ArrayType, ScalarType, Shape, Type, is_known

VIEW = Effects(view_of=0, reads=False)
MAYBE_VIEW = Effects(view_of=0, copies=True)


shape_op = family("shape")
#: of those whose result machine code may see in the same memory
seen_op = partial(shape_op, lowered=("seen",))


def operand(types: tuple[Type, ...], name: str) -> Shape:
    return numeric(types, f"np.{name}()")[0].shape


# -- target shapes -------------------------------------------------------------------------------------


def fill_shape(shape: tuple[Any, ...], dynamic: Sequence[Any]) -> tuple[int, ...]:
    return tuple([int(dynamic[n.index]) if isinstance(n, Dynamic) else n for n in shape])


def static_shape(shape: tuple[Any, ...]) -> Shape:
    return tuple([None if isinstance(n, Dynamic) else n for n in shape])


def dummy_view(t: Any, length: int = 1) -> Any:
    """An array of type ``t`` that takes no memory; unknown lengths are ``length``."""
    return np.broadcast_to(np.zeros((), t.dtype), [length if n is None else n for n in t.shape])


def reshape_rule(types: tuple[Type, ...], shape: tuple[Any, ...], order: str = "C") -> Type:
    (t, *_) = numeric(types[:1], "np.reshape()")
    target = static_shape(shape)
    known = known_size(t.shape)
    if known is not None and None not in target:
        flat: Any = np.broadcast_to(np.zeros(()), (known,))
        target = flat.reshape(target).shape  # raises as NumPy does
    elif sum(n == -1 for n in target) > 1:
        raise ValueError("can only specify one unknown dimension")
    else:
        target = tuple([None if n == -1 else n for n in target])
    if isinstance(t, ScalarType) and not target:
        return t
    return ArrayType(t.dtype, target)


def reshape_effects(types: tuple[Type, ...], shape: tuple[Any, ...], order: str = "C") -> Effects:
    safe = known_size(operand(types, "reshape")) is not None and None not in static_shape(shape)
    return replace(MAYBE_VIEW, may_raise=not safe)


seen_op(
    "reshape",
    lambda x, *dynamic, shape, order="C": np.reshape(x, fill_shape(shape, dynamic), order=order),
    reshape_rule,
    reshape_effects,
    [[(3, 4), {"shape": (2, -1)}], [(), {"shape": (1, 1)}], [(3, 4), {"shape": (12,), "order": "F"}]],
    lambda g, y, x, *dynamic, shape, order="C": (ops.reshape_like(g, x, order=order),),
)


def flat_rule(types: tuple[Type, ...], order: str = "C") -> Type:
    (t,) = numeric(types, "np.ravel()")
    return ArrayType(t.dtype, (known_size(t.shape),))


def _as_it_was(g: Expr, y: Expr, x: Expr, *dynamic: Expr, order: str = "C", **_: Any) -> tuple[Any, ...]:
    """The cotangent of what only has another shape."""
    return (ops.reshape_like(g, x, order=order),)


seen_op("ravel", np.ravel, flat_rule, MAYBE_VIEW, [[(3, 4)], [()]], _as_it_was)
shape_op(
    "flatten",
    lambda x, order="C": np.array(x).flatten(order),
    flat_rule,
    PURE,
    [[(3, 4)], [(3, 4), {"order": "F"}]],
    _as_it_was,
)


def broadcast_to_rule(types: tuple[Type, ...], shape: tuple[Any, ...]) -> Type:
    (t, *_) = numeric(types[:1], "np.broadcast_to()")
    target = static_shape(shape)
    if is_known(target) and is_known(t.shape):
        np.broadcast_to(dummy_view(t), target)  # raises as NumPy does
    elif len(target) < t.ndim:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    return ArrayType(t.dtype, target)


shape_op(
    "broadcast_to",
    lambda x, *dynamic, shape: np.broadcast_to(x, fill_shape(shape, dynamic)),
    broadcast_to_rule,
    Effects(view_of=0, reads=False, may_raise=True),
    [[(3, 1), {"shape": (2, 3, 4)}], [(), {"shape": (2,)}]],
    lambda g, y, x, *dynamic, shape: (g,),
    traits=["own shadow"],
)

shape_op(
    "broadcast_array",  # of np.broadcast_arrays: it may be written to, with a warning
    lambda x, shape: np.broadcast_arrays(x, np.broadcast_to(0, shape))[0],
    broadcast_to_rule,
    Effects(view_of=0, reads=False, may_raise=True),
    [[(3, 1), {"shape": (2, 3, 4)}]],
    lambda g, y, x, shape: (g,),
    traits=["own shadow"],
)


# -- permutations --------------------------------------------------------------------------------------


def _transpose_vjp(g: Expr, y: Expr, x: Expr, axes: tuple[int, ...] | None = None) -> tuple[Any, ...]:
    back = None if axes is None else tuple([int(k) for k in np.argsort([a % x.ndim for a in axes])])
    return (ops.transpose(g, axes=back),)


seen_op(
    "transpose",
    np.transpose,
    by_run(np.transpose),
    VIEW,
    [[(3, 4)], [(2, 3, 4), {"axes": (2, 0, 1)}], [()]],
    _transpose_vjp,
)


def _squeeze_effects(types: tuple[Type, ...], axis: Any = None) -> Effects:
    return Effects(view_of=0, reads=False, may_raise=None in operand(types, "squeeze"))


def _squeeze(types: tuple[Type, ...], axis: Any = None) -> Type:
    (t,) = numeric(types, "np.squeeze()")
    if axis is None and None in t.shape:
        raise UnsupportedError("np.squeeze() of an array with unknown lengths needs `axis`")
    if axis is None:
        shape = tuple([n for n in t.shape if n != 1])
    else:
        axes = normalize_axes(axis, t.ndim)
        if any(t.shape[a] not in (1, None) for a in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        shape = tuple([n for k, n in enumerate(t.shape) if k not in axes])
    return t if isinstance(t, ScalarType) else ArrayType(t.dtype, shape)


def _permuted(function: Callable[..., Any]) -> Any:
    """The rule of a function that permutes axes: it is asked what it makes of lengths that all differ."""

    def vjp(g: Expr, y: Expr, x: Expr, **attributes: Any) -> tuple[Any, ...]:
        axes = function(np.broadcast_to(0, range(x.ndim)), **attributes).shape
        return _transpose_vjp(g, y, x, axes)

    return vjp


_flipped = lambda g, y, x, axis=None: (ops.flip(g, axis=axis),)
_turned = lambda g, y, x, k=1, axes=(0, 1): (ops.rot90(g, k=-k, axes=axes),)
_swapped = lambda g, y, x, axis1, axis2: (ops.swapaxes(g, axis1=axis1, axis2=axis2),)
_MOVERS: list[tuple[Callable[..., Any], list[Any], Any]] = [
    (np.expand_dims, [[(3, 4), {"axis": 1}], [(3,), {"axis": (0, 2)}]], _as_it_was),
    (np.swapaxes, [[(3, 4), {"axis1": 0, "axis2": 1}]], _swapped),
    (np.moveaxis, [[(2, 3, 4), {"source": 0, "destination": -1}]], _permuted(np.moveaxis)),
    (np.rollaxis, [[(2, 3, 4), {"axis": 2}]], _permuted(np.rollaxis)),
    (np.flip, [[(3, 4)], [(3, 4), {"axis": 0}]], _flipped),
    (np.rot90, [[(3, 4)], [(3, 4), {"k": 2}]], _turned),
    (np.atleast_1d, [[()], [(3,)]], _as_it_was),
    (np.atleast_2d, [[()], [(3,)]], _as_it_was),
    (np.atleast_3d, [[()], [(3,)]], _as_it_was),
    (np.real, [[(3,)], [()]], lambda g, y, x: (g,)),
]
for _function, _samples, _vjp in _MOVERS:
    define = shape_op if _function in (np.rollaxis, np.rot90) else seen_op
    traits = ["part"] if _function is np.real else []
    define(_function.__name__, _function, by_run(_function), VIEW, _samples, _vjp, traits=traits)

_SQUEEZED: list[Any] = [[(3, 1)], [(1, 3, 1), {"axis": 0}], [(1,)]]
seen_op("squeeze", np.squeeze, _squeeze, _squeeze_effects, _SQUEEZED, _as_it_was)


def _imag_vjp(g: Expr, y: Expr, x: Expr) -> tuple[Any, ...]:
    return (g * -1j if x.is_complex else None,)


_OF_PAIRS = ["part", "own shadow"]
seen_op("imag", np.imag, by_run(np.imag), VIEW, [[(3,)], [()]], _imag_vjp, traits=_OF_PAIRS)


shape_op(
    "roll",
    np.roll,
    by_run(np.roll),
    MAY_RAISE,
    [[(3, 4), 1], [(3, 4), -1, {"axis": 1}]],
    lambda g, y, x, shift, axis=None: (ops.roll(g, -shift, axis=axis),),
)


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
