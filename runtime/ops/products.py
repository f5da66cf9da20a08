"""Products of arrays: ``matmul``, ``dot``, ``tensordot``, ``einsum``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["matmul"].infer((parse_type("f64[None,3]"), parse_type("f64[3]"))))
f64[None]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Effects, UnsupportedError, family
from runtime.ops.expressions import Expr, eye, ops
from runtime.ops.joining import unknown_lengths
from runtime.ops.promotion import broadcast_shapes, known_size, loop_dtypes, numeric, ruled, shape_text
from runtime.ops.written import summed_axes
from runtime.types import ArrayType, ScalarType, Shape, Type

linear = family("linear algebra")


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
    if a.ndim == 1 and b.ndim == 2:
        return b @ g, a[:, None] * g
    if a.ndim == 2 and b.ndim == 1:
        return g[:, None] * b, g @ a
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
    lowered=("product",),
    combines="add",
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


def _outer_vjp(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    return ops.reshape_like(g @ ops.ravel(b), a), ops.reshape_like(ops.ravel(a) @ g, b)


linear(
    "dot",
    np.dot,
    ruled(np.dot, dot_shape, "dot"),
    unknown_lengths,
    [[(3, 4), (4, 2)], [(4,), (4,)], [(3, 4), 2], [(), ()], [(2, 3), (4, 3, 2)]],
    lowered=("product",),
    combines="add",
)


def inner_shape(x: Shape, y: Shape) -> Shape:
    if not x or not y:
        return x or y
    _align(x, len(x) - 1, y, len(y) - 1)
    return x[:-1] + y[:-1]


_VECTORS: list[Any] = [[(4,), (4,)], [(2, 2), (4,)]]
_vdot_rule = ruled(np.vdot, lambda x, y: (), "vdot")
linear("vdot", np.vdot, _vdot_rule, MAY_RAISE, _VECTORS, combines="add")
linear(
    "inner",
    np.inner,
    ruled(np.inner, inner_shape, "inner"),
    unknown_lengths,
    [[(4,), (4,)], [(3, 4), (2, 4)]],
    combines="add",
)
linear(
    "outer",
    np.outer,
    ruled(np.outer, lambda x, y: (known_size(x), known_size(y)), "outer"),
    PURE,
    [[(3,), (4,)], [(2, 2), (3,)]],
    _outer_vjp,
)


def kron_shape(x: Shape, y: Shape) -> Shape:
    ndim = max(len(x), len(y))
    x, y = (1,) * (ndim - len(x)) + x, (1,) * (ndim - len(y)) + y
    return tuple([None if n is None or m is None else n * m for n, m in zip(x, y, strict=True)])


_KRONS: list[Any] = [[(3,), (4,)], [(2, 2), (3, 1)], [(2,), (3, 2)]]
linear("kron", np.kron, ruled(np.kron, kron_shape, "kron"), PURE, _KRONS)


def _cross_rule(types: tuple[Type, ...]) -> Type:
    x, y = numeric(types, "np.cross()")
    if x.shape[-1:] != (3,) or y.shape[-1:] != (3,):
        raise UnsupportedError("np.cross() of vectors of other lengths than 3 is not supported")
    dtype = loop_dtypes(np.multiply, (x, y))[-1]
    return ArrayType(dtype, (*broadcast_shapes(x.shape[:-1], y.shape[:-1]), 3))


linear(
    "cross",
    np.cross,
    _cross_rule,
    unknown_lengths,
    [[(3,), (3,)], [(2, 3), (3,)]],
    lambda g, y, a, b: (ops.cross(b, g), ops.cross(g, a)),
)


def tensordot_shape(x: Shape, y: Shape, axes: Any = 2) -> Shape:
    left, right = summed_axes(len(x), len(y), axes)
    for a, b in zip(left, right, strict=True):
        contract(x[a], y[b], lambda: "shape-mismatch for sum")
    return tuple(
        [n for k, n in enumerate(x) if k not in left] + [n for k, n in enumerate(y) if k not in right]
    )


linear(
    "tensordot",
    np.tensordot,
    ruled(np.tensordot, tensordot_shape, "tensordot"),
    MAY_RAISE,
    [
        [(3, 4), (4, 2), {"axes": 1}],
        [(3, 4), (3, 4)],
        [(3, 4), (5, 3), {"axes": ((0,), (1,))}],
        [(2, 3, 4), (4, 5, 2), {"axes": ((0, 2), (2, 0))}],
        [(2,), (3,), {"axes": 0}],
    ],
)


def einsum_terms(subscripts: str) -> tuple[list[str], str]:
    """The letters of the operands, and of the result.

    >>> einsum_terms("ij,jk")
    (['ij', 'jk'], 'ik')
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    joined = inputs.replace(",", "")
    if not arrow:
        output = "".join(sorted(c for c in set(joined) if joined.count(c) == 1))
    return inputs.split(","), output


def einsum_shape(*shapes: Shape, subscripts: str) -> Shape:
    """The shape of an einsum whose subscripts have no ellipsis."""
    if "." in subscripts:
        raise UnsupportedError("np.einsum() with an ellipsis is not supported in a staged function")
    terms, output = einsum_terms(subscripts)
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
    return tuple([lengths[letter] for letter in output])


def _einsum(*operands: Any, subscripts: str) -> Any:
    return np.einsum(subscripts, *operands)


def _einsum_effects(types: tuple[Type, ...], subscripts: str) -> Effects:
    one = len(types) == 1  # NumPy returns a view for a mere transposition
    return Effects(view_of=0 if one else None, may_raise=True)


def einsum_vjp(g: Expr, y: Expr, *operands: Expr, subscripts: str) -> tuple[Any, ...]:
    terms, output = einsum_terms(subscripts)
    return tuple([_einsum_cotangent(g, operands, terms, output, k) for k in range(len(operands))])


def _einsum_cotangent(g: Expr, operands: Sequence[Expr], terms: list[str], output: str, k: int) -> Expr:
    """An einsum of the cotangent and all other operands. A letter that only this operand has is summed over:
    its axis has length 1 here. One that it has twice is a diagonal: ones stand there."""
    x, wanted = operands[k], terms[k]
    factors, of_factors = [g], [output]
    for other, (operand, term) in enumerate(zip(operands, terms, strict=True)):
        if other != k:
            factors.append(operand)
            of_factors.append(term)
    unused = iter([c for c in ascii_letters if c not in "".join([*terms, output])])
    letters: list[str] = []
    for axis, letter in enumerate(wanted):
        if letter in letters:
            letter = next(unused)
            first = letters[wanted.index(wanted[axis])]
            factors.append(eye(g, x.length(axis), x.length(axis)))
            of_factors.append(first + letter)
        letters.append(letter)
    known = set("".join(of_factors))
    made = "".join([c for c in letters if c in known])
    found = ops.einsum(*factors, subscripts=",".join(of_factors) + "->" + made)
    missing = tuple([slice(None) if c in known else None for c in letters])
    return found if None not in missing else found[missing]


linear(
    "einsum",
    _einsum,
    ruled(_einsum, einsum_shape, "einsum"),
    _einsum_effects,
    [
        [(3, 4), (4, 2), {"subscripts": "ij,jk->ik"}],
        [(3, 3), {"subscripts": "ii"}],
        [(3, 4), {"subscripts": "ij->ji"}],
        [(3,), (3,), {"subscripts": "i,i"}],
        [(3, 4), {"subscripts": "ij->j"}],
        [(3, 3), (3, 3, 2), (2,), {"subscripts": "ii,iij,j"}],
    ],
    einsum_vjp,
)
