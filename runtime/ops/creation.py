"""Making arrays: ``array`` of a structure, ``full``, ``arange``, ``eye``, ``copy``.

>>> import numpy as np
>>> from runtime.ops import REGISTRY, Hole, Template
>>> from runtime.types import FLOAT
>>> print(REGISTRY["array"].infer((FLOAT,), template=Template([[1, 2], [3, Hole(0)]])))
f64[2,2]
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Effects, UnsupportedError, family, none
from runtime.ops.expressions import Expr, ops, positions
from runtime.ops.indexing import Dynamic
from runtime.ops.promotion import by_run, dummy, numeric, result_type
from runtime.ops.shape import fill_shape, static_shape
from runtime.ops.template import Hole, Template
from runtime.types import ArrayType, NumericType, ScalarType, Shape, Type

creation = family("creation")


# -- from structures -----------------------------------------------------------------------------------


def _array(*values: Any, template: Template, dtype: Any = None) -> Any:
    return np.array(template.fill(values), dtype=dtype)


def structure_shape(structure: Any, types: tuple[Type, ...]) -> Shape:
    """The shape of nested lists whose leaves have these types. Raises ValueError for ragged ones."""
    if isinstance(structure, Hole):
        return numeric(types, "np.array()")[structure.index].shape
    if not isinstance(structure, list | tuple):
        return np.shape(structure)
    parts = [structure_shape(part, types) for part in structure]
    if not parts:
        return (0,)
    shape = list(parts[0])
    for part in parts[1:]:
        if len(part) != len(shape) or any(
            None not in (n, m) and n != m for n, m in zip(shape, part, strict=True)
        ):
            raise ValueError(
                "setting an array element with a sequence. The requested array has an inhomogeneous shape "
                f"after 1 dimensions. The detected shape was ({len(parts)},) + inhomogeneous part."
            )
        shape = [m if n is None else n for n, m in zip(shape, part, strict=True)]
    return (len(parts), *shape)


def array_rule(types: tuple[Type, ...], template: Template, dtype: Any = None) -> Type:
    numeric(types, "np.array()")
    shape = structure_shape(template.structure, types)
    leaves = [_leaf(item, types) for item in _leaves(template.structure)]
    found = result_type(np.array(leaves, dtype=dtype))
    assert isinstance(found, ArrayType)
    return ArrayType(found.dtype, shape)


def _leaves(structure: Any) -> Iterator[Any]:
    if isinstance(structure, list | tuple):
        for part in structure:
            yield from _leaves(part)
    else:
        yield structure


def _leaf(item: Any, types: tuple[Type, ...]) -> Any:
    """A number that has the part in the dtype of the whole that the leaf has."""
    if not isinstance(item, Hole):
        return item
    t = types[item.index]
    return t.dtype.type(1) if isinstance(t, ArrayType) else dummy(t)


def array_effects(types: tuple[NumericType, ...], template: Template, dtype: Any = None) -> Effects:
    unsure = any(None in t.shape for t in types)
    return MAY_RAISE if unsure or dtype is not None else PURE


def _array_vjp(g: Expr, y: Expr, *values: Expr, template: Template, dtype: Any = None) -> tuple[Any, ...]:
    """Each value stands at its places."""
    found: list[Any] = [None] * len(values)
    for index, k in _places(template.structure):
        part = g[index] if index else g
        found[k] = part if found[k] is None else found[k] + part
    return tuple(found)


def _places(structure: Any, index: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    """Where the holes of nested lists are, and which."""
    if isinstance(structure, Hole):
        yield index, structure.index
    elif isinstance(structure, list | tuple):
        for k, part in enumerate(structure):
            yield from _places(part, (*index, k))


_ARRAYS = [[1.5, 2.5, {"template": Template([[Hole(0), 0.0], [1.0, Hole(1)]])}]]
creation("array", _array, array_rule, array_effects, _ARRAYS, _array_vjp, lowered=("creation",))


def array_copy_rule(types: tuple[Type, ...], dtype: Any = None, ndmin: int = 0, order: str = "K") -> Type:
    (t,) = numeric(types, "np.array()")
    return ArrayType(dtype or t.dtype, (1,) * (ndmin - t.ndim) + t.shape)


creation(
    "copy",  # always an array: x.copy(), np.array(x), np.copy(x)
    np.array,
    array_copy_rule,
    lambda types, dtype=None, **_: MAY_RAISE if dtype is not None else PURE,
    [[(3, 4)], [()], [2], [(3,), {"dtype": np.dtype("float32")}]],
    lambda g, y, x, **_: (g,),
)

creation(
    "asarray",  # the same array where it is one already
    np.asarray,
    lambda types, dtype=None, order=None: array_copy_rule(types, dtype),
    lambda types, dtype=None, order=None: Effects(view_of=0, copies=True, may_raise=dtype is not None),
    [[(3, 4)], [()], [2], [(3,), {"dtype": np.dtype("float32")}]],
    lambda g, y, x, **_: (g,),
)


# -- of a shape ----------------------------------------------------------------------------------------


def checked_shape(shape: tuple[Any, ...]) -> Shape:
    if any(isinstance(n, int) and n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    return static_shape(shape)


def shape_effects(types: tuple[Type, ...], shape: tuple[Any, ...], **attributes: Any) -> Effects:
    return Effects(may_raise=any(isinstance(n, Dynamic) for n in shape))


_CONSTANT = none("a constant")

for _name, _make in (("zeros", np.zeros), ("ones", np.ones), ("empty", np.empty)):
    creation(
        _name,
        lambda *dynamic, shape, dtype, order="C", make=_make: make(fill_shape(shape, dynamic), dtype, order),
        lambda types, shape, dtype, order="C": ArrayType(dtype, checked_shape(shape)),
        shape_effects,
        [[{"shape": (2, 3), "dtype": np.dtype("float64")}], [{"shape": (), "dtype": np.dtype("int64")}]],
        _CONSTANT,
        lowered=() if _name == "empty" else ("creation",),
    )


def _like_rule(types: tuple[Type, ...], name: str, dtype: Any, order: str) -> Type:
    (t,) = numeric(types, f"np.{name}()")
    return ArrayType(dtype, t.shape)


creation(
    "like",  # np.zeros_like and its kin, where the memory of the prototype says how the result lies
    lambda x, name, dtype, order: getattr(np, name)(x, dtype=dtype, order=order),
    _like_rule,
    Effects(reads=False),
    [[(3, 4), {"name": "zeros_like", "dtype": np.dtype("float32"), "order": "K"}]],
    _CONSTANT,
)


def full_rule(types: tuple[Type, ...], shape: tuple[Any, ...], dtype: Any = None, order: str = "C") -> Type:
    (value, *_) = numeric(types[:1], "np.full()")
    target = checked_shape(shape)
    return ArrayType(dtype or np.asarray(dummy(value)).dtype, target)


creation(
    "full",
    lambda value, *dynamic, shape, dtype=None, order="C": np.full(
        fill_shape(shape, dynamic), value, dtype, order
    ),
    full_rule,
    MAY_RAISE,
    [[2, {"shape": (2, 3)}], [2.5, {"shape": (2,)}], [(3,), {"shape": (2, 3)}]],
    lambda g, y, value, *dynamic, **_: (g,),
    lowered=("creation",),
)


def _eye(*dynamic: Any, rows: Any, columns: Any, k: int, dtype: Any, order: Any = "C") -> Any:
    n, m = fill_shape((rows, columns), dynamic)
    return np.eye(n, m, k, dtype, order)


creation(
    "eye",
    _eye,
    lambda types, rows, columns, k, dtype, order="C": ArrayType(dtype, checked_shape((rows, columns))),
    MAY_RAISE,
    [[{"rows": 2, "columns": 3, "k": 1, "dtype": np.dtype("float64")}]],
    _CONSTANT,
)


# -- ranges --------------------------------------------------------------------------------------------


def arange_rule(types: tuple[Type, ...], dtype: Any = None, length: int | None = None) -> Type:
    """``length`` where the bounds are known while tracing."""
    numbers = numeric(types, "np.arange()")
    return ArrayType(dtype or np.arange(*[dummy(t) for t in numbers]).dtype, (length,))


def _arange_vjp(g: Expr, y: Expr, *bounds: Expr, **_: Any) -> tuple[Any, ...]:
    """Item k is start + k * step. How many there are does not change."""
    if len(bounds) == 1:
        return (None,)
    return (ops.sum(g), None, ops.sum(g * positions(y)))[: len(bounds)]


creation(
    "arange",
    lambda *bounds, dtype=None, length=None: np.arange(*bounds, dtype=dtype),
    arange_rule,
    MAY_RAISE,
    [[5, {"length": 5}], [1, 2.5, {"length": 2}], [0, 6, 2, {"length": 3}]],
    _arange_vjp,
)


def _space_rule(
    function: Any, types: tuple[Type, ...], num: Any = 50, endpoint: bool = True, dtype: Any = None, **_: Any
) -> Type:
    start, stop, *_rest = numeric(types, "np.linspace()")
    if start.ndim or stop.ndim:
        raise UnsupportedError("np.linspace() between arrays is not supported in a staged function")
    complex_ = "c" in (start.dtype.kind, stop.dtype.kind)
    found = np.result_type(start.dtype, stop.dtype, np.float64 if not complex_ else np.complex128)
    if isinstance(start, ScalarType) or isinstance(stop, ScalarType):
        found = function(*[type(dummy(t))(1) for t in (start, stop)], 2).dtype  # each has a way of its own
    return ArrayType(dtype or found, (None if isinstance(num, Dynamic) else num,))


def _space(function: Any) -> Any:
    def kernel(start: Any, stop: Any, *dynamic: Any, num: Any = 50, **attributes: Any) -> Any:
        return function(start, stop, fill_shape((num,), dynamic)[0], **attributes)

    return kernel


_SPACED = [[1, 2, {"num": 5}], [1.5, 2, {"num": 3, "endpoint": False}], [1.5, 2.5, {"num": 4}]]
for _name in ("linspace", "logspace", "geomspace"):
    _spaced: Any = getattr(np, _name)
    creation(_name, _space(_spaced), partial(_space_rule, _spaced), MAY_RAISE, _SPACED)


def _indices_rule(types: tuple[Type, ...], shape: tuple[Any, ...]) -> Type:
    return ArrayType(np.dtype(np.intp), (len(shape), *checked_shape(shape)))


creation(
    "indices",
    lambda *dynamic, shape: np.indices(fill_shape(shape, dynamic)),
    _indices_rule,
    MAY_RAISE,
    [[{"shape": (2, 3)}]],
    _CONSTANT,
)


def _meshgrid(*arrays: Any, indexing: Any = "xy", sparse: bool = False) -> Any:
    return tuple(np.meshgrid(*arrays, indexing=indexing, sparse=sparse))


def _meshgrid_vjp(
    g: Any, y: Any, *arrays: Expr, indexing: str = "xy", sparse: bool = False
) -> tuple[Any, ...]:
    parts = g if isinstance(g, tuple) else (g,)
    found = []
    for k, (part, x) in enumerate(zip(parts, arrays, strict=True)):
        axis = {0: 1, 1: 0}.get(k, k) if indexing == "xy" and len(arrays) > 1 else k
        if part is not None:
            part = ops.reshape_like(ops.sum(part, axis=tuple([a for a in range(part.ndim) if a != axis])), x)
        found.append(part)
    return tuple(found)


creation(
    "meshgrid",
    _meshgrid,
    by_run(_meshgrid, "meshgrid"),
    PURE,
    [[(3,), (2,)], [(3,), (2,), {"indexing": "ij"}], [(3,), (2,), {"sparse": True}]],
    _meshgrid_vjp,
)
