"""Linear algebra: ``matmul``, ``dot``, ``einsum``, and the functions of ``np.linalg``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["matmul"].infer((parse_type("f64[None,3]"), parse_type("f64[3]"))))
f64[None]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Effects, UnsupportedError, kernel_family
from runtime.ops.expressions import Expr
from runtime.ops.joining import unknown_lengths
from runtime.ops.promotion import (
    broadcast_shapes,
    loop_dtypes,
    numeric,
    reduced_shape,
    shape_text,
    shaped,
    trial,
)
from runtime.types import ArrayType, ScalarType, Shape, Type

linear = kernel_family("linear algebra")


def contract(n: int | None, m: int | None, error: Callable[[], str]) -> None:
    """Raises ValueError where two lengths that are summed over together differ; ``error`` gives its words."""
    if n is not None and m is not None and n != m:
        raise ValueError(error())


def matmul_shape(x: Shape, y: Shape) -> Shape:
    if not x or not y:
        which = 0 if not x else 1
        raise ValueError(
            f"matmul: Input operand {which} does not have enough dimensions (has 0, gufunc core with "
            "signature (n?,k),(k,m?)->(n?,m?) requires 1)"
        )
    left = x if len(x) > 1 else (1, *x)
    right = y if len(y) > 1 else (*y, 1)
    n, m = left[-1], right[-2]
    contract(
        n,
        m,
        lambda: (
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {m} is different from {n})"
        ),
    )
    batch = broadcast_shapes(left[:-2], right[:-2])
    return (*batch, *([left[-2]] if len(x) > 1 else []), *([right[-1]] if len(y) > 1 else []))


def of_rank(dtype: np.dtype[Any], shape: Shape) -> Type:
    return ArrayType(dtype, shape) if shape else ScalarType(dtype)


def matmul_rule(types: tuple[Type, ...]) -> Type:
    x, y = numeric(types, "matmul")
    return of_rank(loop_dtypes(np.matmul, (x, y))[-1], matmul_shape(x.shape, y.shape))


def _matmul_vjp(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    if a.ndim == b.ndim == 1:
        return g * b, g * a
    if a.ndim == 1:
        row = g[..., None, :]
        return row @ b.mT, a[:, None] * row
    if b.ndim == 1:
        column = g[..., None]
        return column * b, (a.mT @ column)[..., 0]
    return g @ b.mT, a.mT @ g


linear(
    "matmul",
    np.matmul,
    matmul_rule,
    unknown_lengths,
    [[(3, 4), (4, 2)], [(3, 4), (4,)], [(4,), (4,)], [(2, 3, 4), (4, 1)]],
    _matmul_vjp,
)


def _align(x: Shape, i: int, y: Shape, j: int) -> None:
    """Raises ValueError where two lengths that are summed over together differ. Its words hold the whole
    shapes: where only a run knows these, the run raises it."""
    if None in (*x, *y) or x[i] == y[j]:
        return
    raise ValueError(
        f"shapes {shape_text(x)} and {shape_text(y)} not aligned: {x[i]} (dim {i}) != {y[j]} (dim {j})"
    )


def dot_shape(x: Shape, y: Shape) -> Shape:
    if not x or not y:
        return x or y
    axis = len(y) - 2 if len(y) > 1 else 0
    _align(x, len(x) - 1, y, axis)
    return x[:-1] + (y[:-2] + y[-1:] if len(y) > 1 else ())


def ruled(function: Callable[..., Any], shape_rule: Callable[..., Shape], name: str) -> Any:
    def infer(types: tuple[Type, ...], **attributes: Any) -> Type:
        operands = numeric(types, f"np.{name}()")
        shape = shape_rule(*[t.shape for t in operands], **attributes)
        (found,) = trial(function, types, attributes)
        return shaped(found, shape)

    return infer


linear(
    "dot",
    np.dot,
    ruled(np.dot, dot_shape, "dot"),
    unknown_lengths,
    [[(3, 4), (4, 2)], [(4,), (4,)], [(3, 4), 2], [(), ()]],
)


def vector_shape(x: Shape, y: Shape) -> Shape:
    return ()


def inner_shape(x: Shape, y: Shape) -> Shape:
    if not x or not y:
        return x or y
    _align(x, len(x) - 1, y, len(y) - 1)
    return x[:-1] + y[:-1]


def flat_length(shape: Shape) -> int | None:
    from runtime.ops.promotion import known_size

    return known_size(shape)


linear("vdot", np.vdot, ruled(np.vdot, vector_shape, "vdot"), MAY_RAISE, [[(4,), (4,)], [(2, 2), (4,)]])
linear(
    "inner",
    np.inner,
    ruled(np.inner, inner_shape, "inner"),
    unknown_lengths,
    [[(4,), (4,)], [(3, 4), (2, 4)]],
)
linear(
    "outer",
    np.outer,
    ruled(np.outer, lambda x, y: (flat_length(x), flat_length(y)), "outer"),
    PURE,
    [[(3,), (4,)], [(2, 2), (3,)]],
)


def kron_shape(x: Shape, y: Shape) -> Shape:
    ndim = max(len(x), len(y))
    x, y = (1,) * (ndim - len(x)) + x, (1,) * (ndim - len(y)) + y
    return tuple([None if None in (n, m) else n * m for n, m in zip(x, y, strict=True)])  # type: ignore[operator]


linear("kron", np.kron, ruled(np.kron, kron_shape, "kron"), PURE, [[(3,), (4,)], [(2, 2), (3, 1)]])


def _cross_rule(types: tuple[Type, ...]) -> Type:
    x, y = numeric(types, "np.cross()")
    if x.shape[-1:] != (3,) or y.shape[-1:] != (3,):
        raise UnsupportedError("np.cross() of vectors of other lengths than 3 is not supported")
    dtype = loop_dtypes(np.multiply, (x, y))[-1]
    return ArrayType(dtype, (*broadcast_shapes(x.shape[:-1], y.shape[:-1]), 3))


linear("cross", np.cross, _cross_rule, unknown_lengths, [[(3,), (3,)], [(2, 3), (3,)]])


def tensordot_shape(x: Shape, y: Shape, axes: Any = 2) -> Shape:
    if isinstance(axes, int):
        left, right = list(range(len(x) - axes, len(x))), list(range(axes))
    else:
        left, right = [[a] if isinstance(a, int) else list(a) for a in axes]
    left, right = [a % len(x) for a in left], [a % len(y) for a in right]
    for a, b in zip(left, right, strict=True):
        contract(x[a], y[b], lambda: "shape-mismatch for sum")
    return tuple(
        [n for k, n in enumerate(x) if k not in left] + [n for k, n in enumerate(y) if k not in right]
    )


def _tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    return np.tensordot(x, y, axes)


linear(
    "tensordot",
    _tensordot,
    ruled(_tensordot, tensordot_shape, "tensordot"),
    MAY_RAISE,
    [[(3, 4), (4, 2), {"axes": 1}], [(3, 4), (3, 4)], [(3, 4), (5, 3), {"axes": ((0,), (1,))}]],
)


def einsum_shape(*shapes: Shape, subscripts: str) -> Shape:
    """The shape of an einsum whose subscripts have no ellipsis."""
    if "." in subscripts:
        raise UnsupportedError("np.einsum() with an ellipsis is not supported in a staged function")
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        raise ValueError(
            "more operands provided to einstein sum function than specified in the subscripts string"
        )
    lengths: dict[str, int | None] = {}
    for term, shape in zip(terms, shapes, strict=True):
        if len(term) != len(shape):
            raise ValueError("einstein sum subscripts string contains too many subscripts for operand 0")
        for letter, n in zip(term, shape, strict=True):
            known = lengths.get(letter)
            if known not in (None, 1) and n not in (None, 1) and known != n:
                raise ValueError(
                    f"operands could not be broadcast together with remapped shapes for subscript {letter!r}"
                )
            lengths[letter] = n if known in (None, 1) else known
    if not arrow:
        joined = "".join(terms)
        output = "".join(sorted(c for c in set(joined) if joined.count(c) == 1))
    return tuple([lengths[letter] for letter in output])


def _einsum(*operands: Any, subscripts: str) -> Any:
    return np.einsum(subscripts, *operands)


def _einsum_rule(types: tuple[Type, ...], subscripts: str) -> Type:
    operands = numeric(types, "np.einsum()")
    shape = einsum_shape(*[t.shape for t in operands], subscripts=subscripts)
    (found,) = trial(_einsum, types, {"subscripts": subscripts})
    return shaped(found, shape)


def _einsum_effects(types: tuple[Type, ...], subscripts: str) -> Effects:
    one = len(types) == 1  # NumPy returns a view for a mere transposition
    return Effects(view_of=0 if one else None, may_raise=True)


linear(
    "einsum",
    _einsum,
    _einsum_rule,
    _einsum_effects,
    [
        [(3, 4), (4, 2), {"subscripts": "ij,jk->ik"}],
        [(3, 3), {"subscripts": "ii"}],
        [(3, 4), {"subscripts": "ij->ji"}],
        [(3,), (3,), {"subscripts": "i,i"}],
    ],
)


# -- np.linalg -----------------------------------------------------------------------------------------


def matrix(shape: Shape) -> Shape:
    if len(shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(shape)}-dimensional array given. Array must be at least two-dimensional"
        )
    return shape


def square(shape: Shape) -> Shape:
    matrix(shape)
    if None not in shape[-2:] and shape[-1] != shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return shape


SQUARE: list[Any] = [[(3, 3)], [(2, 3, 3)]]


def linalg(name: str, shape_rule: Callable[..., Shape], samples: list[Any] = SQUARE) -> None:
    function = getattr(np.linalg, name)
    linear(f"linalg.{name}", function, ruled(function, shape_rule, f"linalg.{name}"), MAY_RAISE, samples)


linalg("inv", square)
linalg("pinv", lambda s: (*matrix(s)[:-2], s[-1], s[-2]), [[(3, 4)]])
linalg("det", lambda s: square(s)[:-2])
linalg("cholesky", square, SQUARE)
linalg("eigvalsh", lambda s: square(s)[:-1])
linalg("matrix_rank", lambda s: s[:-2], [[(3, 4)]])
linalg("cond", lambda s: s[:-2], [[(3, 3)]])


def _matrix_power(x: Any, n: int) -> Any:
    return np.linalg.matrix_power(x, n)


linear(
    "linalg.matrix_power",
    _matrix_power,
    ruled(_matrix_power, lambda s, n: square(s), "linalg.matrix_power"),
    MAY_RAISE,
    [[(3, 3), {"n": 3}]],
)


def solve_shape(a: Shape, b: Shape) -> Shape:
    square(a)
    if len(b) == 1:
        contract(a[-1], b[0], lambda: "solve1: Input operand 1 has a mismatch in its core dimension 0")
        return (*a[:-2], a[-1])
    contract(a[-1], b[-2], lambda: "solve: Input operand 1 has a mismatch in its core dimension 0")
    return (*broadcast_shapes(a[:-2], b[:-2]), a[-1], b[-1])


linear(
    "linalg.solve",
    np.linalg.solve,
    ruled(np.linalg.solve, solve_shape, "linalg.solve"),
    MAY_RAISE,
    [[(3, 3), (3,)], [(3, 3), (3, 2)]],
)


def norm_shape(shape: Shape, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Shape:
    return reduced_shape(shape, axis, keepdims)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    return np.linalg.norm(x, ord, axis, keepdims)


linear(
    "linalg.norm",
    _norm,
    ruled(_norm, norm_shape, "linalg.norm"),
    MAY_RAISE,
    [[(3,)], [(3, 4)], [(3, 4), {"axis": 1}], [(3, 4), {"ord": 1, "axis": 0, "keepdims": True}]],
)


def several(name: str, shapes: Callable[..., tuple[Shape, ...]], samples: list[Any]) -> None:
    """A decomposition: a named tuple in NumPy, a tuple here."""
    function = getattr(np.linalg, name)

    def kernel(x: Any, **attributes: Any) -> tuple[Any, ...]:
        return tuple(function(x, **attributes))

    def infer(types: tuple[Type, ...], **attributes: Any) -> tuple[Type, ...]:
        (t,) = numeric(types, f"np.linalg.{name}()")
        found = trial(kernel, types, attributes)
        return tuple(map(shaped, found, shapes(t.shape, **attributes)))

    linear(f"linalg.{name}", kernel, infer, MAY_RAISE, samples)


def _smaller(n: int | None, m: int | None) -> int | None:
    return None if n is None or m is None else min(n, m)


several("eigh", lambda s: (square(s)[:-1], s), [[(3, 3)]])
several("slogdet", lambda s: (square(s)[:-2], s[:-2]), [[(3, 3)]])


def _svd_shapes(s: Shape, full_matrices: bool = True) -> tuple[Shape, ...]:
    k = _smaller(s[-2], s[-1])
    rows, columns = (s[-2], s[-1]) if full_matrices else (k, k)
    return (*s[:-2], s[-2], rows), (*s[:-2], k), (*s[:-2], columns, s[-1])


several("svd", _svd_shapes, [[(3, 4)], [(3, 4), {"full_matrices": False}]])


def _qr_shapes(s: Shape, mode: str = "reduced") -> tuple[Shape, ...]:
    k = _smaller(s[-2], s[-1]) if mode == "reduced" else s[-2]
    return (*s[:-1], k), (*s[:-2], k, s[-1])


several("qr", _qr_shapes, [[(3, 4)], [(4, 3)], [(4, 3), {"mode": "complete"}]])


def _svdvals(x: Any) -> Any:
    return np.linalg.svd(x, compute_uv=False)


linear(
    "linalg.svdvals",
    _svdvals,
    ruled(_svdvals, lambda s: (*s[:-2], _smaller(s[-2], s[-1])), "linalg.svd"),
    MAY_RAISE,
    [[(3, 4)]],
)


def _lstsq(a: Any, b: Any) -> tuple[Any, ...]:
    return tuple(np.linalg.lstsq(a, b, rcond=None))


def _lstsq_rule(types: tuple[Type, ...]) -> tuple[Type, ...]:
    a, b = numeric(types, "np.linalg.lstsq()")
    x, residuals, rank, singular = trial(_lstsq, types, {})
    solution = (a.shape[1], *b.shape[1:])
    return shaped(x, solution), shaped(residuals, (None,)), rank, shaped(singular, (_smaller(*a.shape),))


linear("linalg.lstsq", _lstsq, _lstsq_rule, MAY_RAISE, [[(4, 3), (4,)], [(4, 3), (4, 2)]])
