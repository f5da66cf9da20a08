"""The functions of Python's ``cmath`` on staged numbers: ``cmath.sqrt``, with Python's errors.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["cmath.sqrt"].kernel(-4.0)
2j
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from typing import Any

from runtime.ops.definition import MAY_RAISE, PURE, Effects, Vjp, none, op
from runtime.ops.expressions import Expr, ops, ufunc_rule
from runtime.ops.promotion import numeric
from runtime.types import BOOL, COMPLEX, FLOAT, ArrayType, Type


def _rule(name: str, result: Type | tuple[Type, ...]) -> Callable[..., Any]:
    def infer(types: tuple[Type, ...], **attributes: Any) -> Any:
        for t in numeric(types, f"cmath.{name}()"):
            if isinstance(t, ArrayType) and t.ndim:
                raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return result

    return infer


def _functions(
    names: str,
    result: Type | tuple[Type, ...],
    samples: Sequence[Any],
    effects: Effects = MAY_RAISE,
    vjp: Callable[[str], Vjp] = lambda name: _of_complex(ufunc_rule(name)),
) -> None:
    for name in names.split():
        op(
            f"cmath.{name}",
            kernel=getattr(cmath, name),
            infer=_rule(name, result),
            native=None,
            effects=effects,
            samples=samples,
            family="python complex",
            vjp=vjp(name),
        )


def _of_complex(rule: Any) -> Vjp:
    """The rule of a holomorphic function, of a float, too, whose result is complex."""
    return lambda g, y, *xs: rule(g, y, *[x if x.is_complex else x + 0j for x in xs])


def _log_vjp(g: Expr, y: Expr, x: Expr, *base: Expr) -> tuple[Any, ...]:
    if not base:
        return (g / x,)
    log = ops.log(base[0] + 0j)
    return g / (x * log), -g * y / (base[0] * log)


def _rect_vjp(g: Expr, y: Expr, r: Expr, angle: Expr) -> tuple[Any, ...]:
    return g * (ops.cos(angle) + 1j * ops.sin(angle)), g * 1j * y


def _polar_vjp(g: Any, y: Any, x: Expr) -> tuple[Any, ...]:
    return (g[0] * ops.sign(x).conj + g[1] * -1j / x,)


_SAMPLES = [[0.5], [-2], [0.5 + 2j]]
_functions("sqrt exp log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh", COMPLEX, _SAMPLES)
_functions("log", COMPLEX, [*_SAMPLES, [0.5, 2.0]], vjp=lambda _: _log_vjp)
_functions("rect", COMPLEX, [[2.0, 0.5]], vjp=lambda _: _rect_vjp)
_functions("phase", FLOAT, _SAMPLES, vjp=lambda _: lambda g, y, x: (g * -1j / x,))
_functions("polar", (FLOAT, FLOAT), _SAMPLES, vjp=lambda _: _polar_vjp)
_functions("isnan isinf isfinite", BOOL, _SAMPLES, PURE, lambda _: none("comparison"))
op(
    "cmath.isclose",
    kernel=lambda a, b, rel_tol, abs_tol: cmath.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol),
    infer=_rule("isclose", BOOL),
    native=None,
    effects=MAY_RAISE,
    samples=[[0.5j, 0.5j, 1e-9, 0.0]],
    family="python complex",
    vjp=none("comparison"),
)
