"""The functions of Python's ``cmath`` on staged numbers: ``cmath.sqrt``, with Python's errors.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["cmath.sqrt"].kernel(-4.0)
2j
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from typing import Any

from runtime.ops.definition import MAY_RAISE, PURE, Effects, op
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
    names: str, result: Type | tuple[Type, ...], samples: Sequence[Any], effects: Effects = MAY_RAISE
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
        )


_SAMPLES = [[0.5], [-2], [0.5 + 2j]]
_functions("sqrt exp log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh", COMPLEX, _SAMPLES)
_functions("log", COMPLEX, [*_SAMPLES, [0.5, 2.0]])
_functions("rect", COMPLEX, [[2.0, 0.5]])
_functions("phase", FLOAT, _SAMPLES)
_functions("polar", (FLOAT, FLOAT), _SAMPLES)
_functions("isnan isinf isfinite", BOOL, _SAMPLES, PURE)
op(
    "cmath.isclose",
    kernel=lambda a, b, rel_tol, abs_tol: cmath.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol),
    infer=_rule("isclose", BOOL),
    native=None,
    effects=MAY_RAISE,
    samples=[[0.5j, 0.5j, 1e-9, 0.0]],
    family="python complex",
)
