"""The functions of ``np.linalg``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["linalg.solve"].infer((parse_type("f64[3,3]"), parse_type("f64[3]"))))
f64[3]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops import linalg_rules
from runtime.ops.definition import MAY_RAISE, Vjp, none
from runtime.ops.expressions import ops
from runtime.ops.products import contract, linear
from runtime.ops.promotion import broadcast_shapes, by_run, numeric, ruled, shaped, trial
from runtime.types import Shape, Type


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


def linalg(name: str, shape_rule: Callable[..., Shape], vjp: Vjp, samples: list[Any] = SQUARE) -> None:
    function = getattr(np.linalg, name)
    infer = ruled(function, shape_rule, f"linalg.{name}")
    linear(f"linalg.{name}", function, infer, MAY_RAISE, samples, vjp)


linalg("inv", square, lambda g, y, x: (-(y.mT @ g @ y.mT),))
_transposed = lambda s: (*matrix(s)[:-2], s[-1], s[-2])
linalg("pinv", _transposed, linalg_rules.pinv_vjp, [[(3, 4)], [(4, 3)], [(2, 3, 4)]])
linalg("det", lambda s: square(s)[:-2], lambda g, y, x: ((g * y)[..., None, None] * ops.linalg.inv(x).mT,))
linalg("cholesky", square, linalg_rules.cholesky_vjp)
linalg("eigvalsh", lambda s: square(s)[:-1], linalg_rules.eigvalsh_vjp)
linalg("matrix_rank", lambda s: s[:-2], none("a rank"), [[(3, 4)]])
linalg("cond", lambda s: s[:-2], linalg_rules.cond_vjp, [[(3, 3)], [(2, 3, 3)]])


_POWERS: list[Any] = [[(3, 3), {"n": 3}], [(3, 3), {"n": -2}], [(3, 3), {"n": 0}]]
linalg("matrix_power", lambda s, n: square(s), linalg_rules.matrix_power_vjp, _POWERS)


def solve_shape(a: Shape, b: Shape) -> Shape:
    square(a)
    if len(b) == 1:
        contract(a[-1], b[0], lambda: "solve1: Input operand 1 has a mismatch in its core dimension 0")
        return (*a[:-2], a[-1])
    contract(a[-1], b[-2], lambda: "solve: Input operand 1 has a mismatch in its core dimension 0")
    return (*broadcast_shapes(a[:-2], b[:-2]), a[-1], b[-1])


linalg("solve", solve_shape, linalg_rules.solve_vjp, [[(3, 3), (3,)], [(3, 3), (3, 2)], [(2, 3, 3), (3, 2)]])

linear(
    "linalg.norm",
    np.linalg.norm,
    by_run(np.linalg.norm, "linalg.norm"),
    MAY_RAISE,
    [
        [(3,)],
        [(3, 4)],
        [(3, 4), {"axis": 1}],
        [(3, 4), {"ord": 1, "axis": 0, "keepdims": True}],
        [(3, 4), {"ord": 3, "axis": 0}],
        [(4,), {"ord": np.inf}],
        [(3, 4), {"ord": 2}],
        [(3, 4), {"ord": "nuc"}],
        [(3, 4), {"ord": 1}],
        [(2, 3, 4), {"ord": -np.inf, "axis": (2, 0), "keepdims": True}],
        [(2, 3, 4), {"ord": -2, "axis": (2, 0)}],
        [(3, 4), {"ord": "fro"}],
    ],
    linalg_rules.norm_vjp,
)


def several(name: str, shapes: Callable[..., tuple[Shape, ...]], samples: list[Any], vjp: Vjp) -> None:
    """A decomposition: a named tuple in NumPy, a tuple here."""
    function = getattr(np.linalg, name)

    def kernel(x: Any, **attributes: Any) -> tuple[Any, ...]:
        return tuple(function(x, **attributes))

    def infer(types: tuple[Type, ...], **attributes: Any) -> tuple[Type, ...]:
        (t,) = numeric(types, f"np.linalg.{name}()")
        found = trial(kernel, types, attributes)
        return tuple(map(shaped, found, shapes(t.shape, **attributes)))

    linear(f"linalg.{name}", kernel, infer, MAY_RAISE, samples, vjp)


def _smaller(n: int | None, m: int | None) -> int | None:
    return None if n is None or m is None else min(n, m)


several("eigh", lambda s: (square(s)[:-1], s), SQUARE, linalg_rules.eigh_vjp)
several("slogdet", lambda s: (square(s)[:-2], s[:-2]), SQUARE, linalg_rules.slogdet_vjp)


def _svd_shapes(s: Shape, full_matrices: bool = True) -> tuple[Shape, ...]:
    k = _smaller(s[-2], s[-1])
    rows, columns = (s[-2], s[-1]) if full_matrices else (k, k)
    return (*s[:-2], s[-2], rows), (*s[:-2], k), (*s[:-2], columns, s[-1])


_THIN = {"full_matrices": False}
_SVDS: list[Any] = [[(3, 4)], [(3, 4), _THIN], [(4, 3), _THIN], [(2, 3, 3)]]
several("svd", _svd_shapes, _SVDS, linalg_rules.svd_vjp)


def _qr_shapes(s: Shape, mode: str = "reduced") -> tuple[Shape, ...]:
    k = _smaller(s[-2], s[-1]) if mode == "reduced" else s[-2]
    return (*s[:-1], k), (*s[:-2], k, s[-1])


_QRS: list[Any] = [[(3, 4)], [(4, 3)], [(4, 3), {"mode": "complete"}], [(2, 3, 3)]]
several("qr", _qr_shapes, _QRS, linalg_rules.qr_vjp)


def _svdvals(x: Any) -> Any:
    return np.linalg.svd(x, compute_uv=False)


linear(
    "linalg.svdvals",
    _svdvals,
    ruled(_svdvals, lambda s: (*s[:-2], _smaller(s[-2], s[-1])), "linalg.svd"),
    MAY_RAISE,
    [[(3, 4)], [(2, 4, 3)]],
    linalg_rules.svdvals_vjp,
)


def _lstsq(a: Any, b: Any) -> tuple[Any, ...]:
    return tuple(np.linalg.lstsq(a, b, rcond=None))


def _lstsq_rule(types: tuple[Type, ...]) -> tuple[Type, ...]:
    a, b = numeric(types, "np.linalg.lstsq()")
    x, residuals, rank, singular = trial(_lstsq, types, {})
    solution = (a.shape[1], *b.shape[1:])
    return shaped(x, solution), shaped(residuals, (None,)), rank, shaped(singular, (_smaller(*a.shape),))


_SYSTEMS: list[Any] = [[(4, 3), (4,)], [(4, 3), (4, 2)], [(3, 4), (3,)]]
linear("linalg.lstsq", _lstsq, _lstsq_rule, MAY_RAISE, _SYSTEMS, linalg_rules.lstsq_vjp)
