"""Joining and splitting arrays, copies of many, diagonals: ``concatenate``, ``stack``, ``repeat``, ``tril``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["concatenate"].infer((parse_type("f64[2]"), parse_type("i64[None]"))))
f64[None]
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Dynamic, Effects, NoDerivative, as_written, refused
from runtime.ops.expressions import Expr, number_of, ops, positions, reshaped
from runtime.ops.promotion import by_run, common_dtype, known_size, normalize_axis, numeric
from runtime.ops.shape import VIEW, shape_op
from runtime.types import INT, ArrayType, NumericType, Shape, Type, is_known

# -- joining and splitting -----------------------------------------------------------------------------


def concatenate_rule(
    types: tuple[Type, ...], axis: int | None = 0, dtype: np.dtype[Any] | None = None
) -> Type:
    arrays = numeric(types, "np.concatenate()")
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    found = dtype or common_dtype(arrays)
    if axis is None:
        return ArrayType(found, (_total(tuple([known_size(t.shape) for t in arrays])),))
    if any(t.ndim == 0 for t in arrays):
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    ndim = arrays[0].ndim
    axis = normalize_axis(axis, ndim)
    shape = list(arrays[0].shape)
    for index, t in enumerate(arrays[1:], 1):
        if t.ndim != ndim:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{ndim} dimension(s) and the array at index {index} has {t.ndim} dimension(s)"
            )
        for k, n in enumerate(t.shape):
            if k == axis:
                continue
            if shape[k] is not None and n is not None and shape[k] != n:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, "
                    f"but along dimension {k}, the array at index 0 has size {shape[k]} and the array "
                    f"at index {index} has size {n}"
                )
            shape[k] = n if shape[k] is None else shape[k]
    shape[axis] = _total(tuple([t.shape[axis] for t in arrays]))
    return ArrayType(found, tuple(shape))


def _total(lengths: Shape) -> int | None:
    return sum(lengths) if is_known(lengths) else None


def unknown_lengths(types: tuple[NumericType, ...], **attributes: Any) -> Effects:
    """Raises only where lengths are known only at run time, or an int may not fit the dtype of the others."""
    return Effects(may_raise=INT in types or any(None in t.shape for t in types))


def _concatenate_vjp(g: Expr, y: Expr, *arrays: Expr, axis: int | None = 0, **_: Any) -> tuple[Any, ...]:
    start: Any = 0
    found = []
    for x in arrays:
        stop = (number_of(x) if axis is None else x.length(axis)) + start
        part = g.along(axis or 0, slice(start, stop))
        found.append(ops.reshape_like(part, x) if axis is None else part)
        start = stop
    return tuple(found)


shape_op(
    "concatenate",
    lambda *arrays, axis=0, dtype=None: np.concatenate(arrays, axis=axis, dtype=dtype),
    concatenate_rule,
    unknown_lengths,
    [[(3, 4), (2, 4)], [(3, 4), (3, 1), {"axis": 1}], [(2,), (3, 2), {"axis": None}]],
    _concatenate_vjp,
    lowered=("join",),
)


def stack_rule(types: tuple[Type, ...], axis: int = 0, dtype: np.dtype[Any] | None = None) -> Type:
    arrays = numeric(types, "np.stack()")
    if not arrays:
        raise ValueError("need at least one array to stack")
    shape = list(arrays[0].shape)
    for t in arrays[1:]:
        if t.ndim != len(shape) or any(
            None not in (n, m) and n != m for n, m in zip(shape, t.shape, strict=True)
        ):
            raise ValueError("all input arrays must have the same shape")
        shape = [m if n is None else n for n, m in zip(shape, t.shape, strict=True)]
    shape.insert(normalize_axis(axis, len(shape) + 1), len(arrays))
    found = dtype or np.result_type(*[t.dtype for t in arrays])  # of arrays, which it makes of all
    return ArrayType(found, tuple(shape))


def _stack_vjp(g: Expr, y: Expr, *arrays: Expr, axis: int = 0, **_: Any) -> tuple[Any, ...]:
    return tuple([g.along(axis, k) for k in range(len(arrays))])


shape_op(
    "stack",
    lambda *arrays, axis=0, dtype=None: np.stack(arrays, axis=axis, dtype=dtype),
    stack_rule,
    unknown_lengths,
    [[(3, 4), (3, 4)], [(3,), (3,), {"axis": 1}], [(), 2, ()]],
    _stack_vjp,
)


def split_rule(types: tuple[Type, ...], points: Any, axis: int = 0, exact: bool = True) -> tuple[Type, ...]:
    """``points`` as in np.array_split: a number of parts, or the places of the cuts."""
    (t,) = numeric(types, "np.split()")
    axis = normalize_axis(axis, t.ndim)
    length = t.shape[axis]
    if length is None:
        parts = points if isinstance(points, int) else len(points) + 1
        lengths: list[int | None] = [None] * parts
    else:
        split = np.split if exact else np.array_split
        lengths = [len(part) for part in split(np.broadcast_to(0, (length,)), points)]  # raises as NumPy does
    return tuple([ArrayType(t.dtype, (*t.shape[:axis], n, *t.shape[axis + 1 :])) for n in lengths])


def _split(x: Any, points: Any, axis: int = 0, exact: bool = True) -> Any:
    parts = (np.split if exact else np.array_split)(x, points, axis)
    return tuple(parts) if len(parts) > 1 else parts[0]


shape_op(
    "split",
    _split,
    split_rule,
    Effects(view_of=0, reads=False, may_raise=True),
    [
        [(4, 3), {"points": 2}],
        [(3, 4), {"points": (1, 3), "axis": 1}],
        [(5,), {"points": 3, "exact": False}],
        [(4,), {"points": 1}],
    ],
    lambda g, y, x, points, axis=0, exact=True: (
        ops.concatenate(*g, axis=axis) if isinstance(g, tuple) else g,
    ),
    traits=["part"],
)


# -- copies of many --------------------------------------------------------------------------------------


def repeat_rule(types: tuple[Type, ...], axis: int | None = None) -> Type:
    t, repeats = numeric(types, "np.repeat()")
    shape = (None,) if axis is None else t.shape
    position = 0 if axis is None else normalize_axis(axis, t.ndim)
    return ArrayType(t.dtype, (*shape[:position], None, *shape[position + 1 :]))


def _repeat(x: Expr, repeats: Expr, axis: int | None = None) -> Any:
    x, axis = (ops.ravel(x), 0) if axis is None else (x, axis)
    return x.along(axis, ops.repeat(positions(x, axis), repeats, axis=0))


_REPEATED: list[Any] = [[(3, 4), 2], [(3, 4), 2, {"axis": 1}]]
shape_op("repeat", np.repeat, repeat_rule, MAY_RAISE, _REPEATED, as_written(_repeat))


shape_op(
    "repeat_static",
    np.repeat,
    by_run(np.repeat),
    PURE,
    [[(3, 4), {"repeats": 2}], [(3, 4), {"repeats": 2, "axis": 1}]],
)


def _tile_vjp(g: Expr, y: Expr, x: Expr, reps: tuple[int, ...]) -> tuple[Any, ...]:
    """Each axis is one of the copies, and one of the items of a copy."""
    lead = y.ndim - x.ndim
    full = (1,) * (y.ndim - len(reps)) + tuple(reps)
    parts = [part for k, n in enumerate(full) for part in (n, x.length(k - lead) if k >= lead else 1)]
    copies = tuple(range(0, 2 * y.ndim, 2)) + tuple([2 * k + 1 for k in range(lead)])
    return (ops.sum(reshaped(g, parts), axis=copies),)


shape_op(
    "tile",
    np.tile,
    by_run(np.tile),
    PURE,
    [[(3, 4), {"reps": (2,)}], [(3,), {"reps": (2,)}], [(3,), {"reps": (2, 2)}], [(), {"reps": (3,)}]],
    _tile_vjp,
)


_Mode: TypeAlias = Literal["constant", "edge", "reflect", "symmetric", "wrap"]


def _pad(x: Any, *values: Any, pad_width: Any, mode: _Mode = "constant") -> Any:
    return np.pad(x, pad_width, mode, **({"constant_values": values[0]} if values else {}))


_PADDED_WITH_ITEMS = ("edge", "reflect", "symmetric", "wrap")


def _pad_vjp(
    g: Expr, y: Expr, x: Expr, *values: Expr, pad_width: Any, mode: str = "constant"
) -> tuple[Any, ...] | NoDerivative:
    widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()
    if mode == "constant":
        inner = g[tuple([slice(w, x.length(k) + w) for k, (w, _) in enumerate(widths)])]
        if values and values[0].ndim:
            return inner, refused("np.pad() with several values for the border")
        return inner, ops.sum(g) - ops.sum(inner) if values else None
    if mode not in _PADDED_WITH_ITEMS:
        return refused(f"np.pad(mode={mode!r})")
    places = [
        ops.pad(positions(x, k), pad_width=tuple(w), mode=mode)[(slice(None), *(None,) * (x.ndim - 1 - k))]
        for k, w in enumerate(widths)
    ]
    return (ops.scatter(g, x, *places, index=tuple(map(Dynamic, range(x.ndim)))),)


shape_op(
    "pad",
    _pad,
    by_run(_pad, "pad"),
    MAY_RAISE,
    [
        [(3, 4), {"pad_width": 1}],
        [(3,), 7, {"pad_width": ((1, 2),)}],
        [(3,), {"pad_width": 1, "mode": "edge"}],
        [(3, 4), {"pad_width": ((1, 2), (0, 3)), "mode": "reflect"}],
    ],
    _pad_vjp,
)


# -- diagonals and triangles -----------------------------------------------------------------------------


def diagonal_length(rows: int | None, columns: int | None, offset: int) -> int | None:
    if rows is None or columns is None:
        return None
    return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)


def diagonal_rule(types: tuple[Type, ...], offset: int = 0, axis1: int = 0, axis2: int = 1) -> Type:
    (t,) = numeric(types, "np.diagonal()")
    if t.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    a, b = normalize_axis(axis1, t.ndim), normalize_axis(axis2, t.ndim)
    if a == b:
        raise ValueError("axis1 and axis2 cannot be the same")
    rest = tuple([n for k, n in enumerate(t.shape) if k not in (a, b)])
    return ArrayType(t.dtype, (*rest, diagonal_length(t.shape[a], t.shape[b], offset)))


def _diagonal_vjp(
    g: Expr, y: Expr, x: Expr, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> tuple[Any, ...]:
    places = positions(y, -1)
    rows, columns = places + max(-offset, 0), places + max(offset, 0)
    moved = ops.moveaxis(x, source=(axis1, axis2), destination=(0, 1))
    found = ops.scatter(
        ops.moveaxis(g, source=-1, destination=0), moved, rows, columns, index=(Dynamic(0), Dynamic(1))
    )
    return (ops.moveaxis(found, source=(0, 1), destination=(axis1, axis2)),)


_DIAGONALS: list[Any] = [
    [(3, 4)],
    [(3, 4), {"offset": 1}],
    [(2, 3, 4), {"offset": -1, "axis1": 2, "axis2": 0}],
]
_SEEN = ["part", "read-only"]
shape_op("diagonal", np.diagonal, diagonal_rule, VIEW, _DIAGONALS, _diagonal_vjp, traits=_SEEN)


def diag_rule(types: tuple[Type, ...], k: int = 0) -> Type:
    (t,) = numeric(types, "np.diag()")
    if t.ndim == 2:
        return ArrayType(t.dtype, (diagonal_length(t.shape[0], t.shape[1], k),))
    if t.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = None if t.shape[0] is None else t.shape[0] + abs(k)
    return ArrayType(t.dtype, (n, n))


def diag_effects(types: tuple[NumericType, ...], k: int = 0) -> Effects:
    return VIEW if types[0].ndim == 2 else PURE


def _diag_vjp(g: Expr, y: Expr, x: Expr, k: int = 0) -> tuple[Any, ...]:
    return (ops.diag(g, k=k),) if x.ndim == 1 else _diagonal_vjp(g, y, x, k)


_DIAGS: list[Any] = [[(3, 4)], [(3,), {"k": 1}]]
shape_op("diag", np.diag, diag_rule, diag_effects, _DIAGS, _diag_vjp, traits=["read-only"])


_TRACES: list[Any] = [[(3, 4)], [(3, 4), {"offset": 1}], [(3, 4, 2)]]
shape_op("trace", np.trace, by_run(np.trace), PURE, _TRACES)


def _triangle(name: str, function: Any) -> None:
    shape_op(
        name,
        function,
        by_run(function),
        PURE,
        [[(3, 4)], [(3, 4), {"k": 1}], [(3,)]],
        lambda g, y, x, k=0: (getattr(ops, name)(g, k=k),),
    )


_triangle("tril", np.tril)
_triangle("triu", np.triu)
