"""Operations of elements in JAX: NumPy's function of that name, or the formula, read by the builder below.

>>> import jax
>>> jax.config.update("jax_enable_x64", True)
>>> jax.jit(function_of("floor_divide"))(np.array([7, -7]), np.array([2, 2]))
Array([ 3, -4], dtype=int64)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from runtime.ops.definition import REGISTRY
from runtime.ops.lowering import operand_dtypes
from runtime.types import Type, type_of

#: where the function of the name differs from NumPy's: integers by zero
_BY_FORMULA = frozenset({"floor_divide", "reciprocal"})


def _spread(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: function(*jnp.broadcast_arrays(*xs))


#: functions of C's whose name jax.numpy does not know
_C_CALLS: dict[str, Callable[..., Any]] = {
    "fmod": _spread(lax.rem), "hypot": lambda *xs: reduce(jnp.hypot, xs), "erf": lax.erf, "erfc": lax.erfc,
    "lgamma": lax.lgamma, "tgamma": lambda x: jnp.exp(lax.lgamma(x)),
}  # fmt: skip


class JaxElements:
    """What `runtime.ops.lowering.ElementBuilder` asks for, of JAX's arrays."""

    has_slow_way = False

    def __init__(self, result: np.dtype[Any]) -> None:
        self.result = result

    def dtype(self, x: Any) -> np.dtype[Any]:
        return np.dtype(x.dtype)

    def result_dtype(self) -> np.dtype[Any]:
        return self.result

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Any:
        return jnp.asarray(value, dtype)

    def convert(self, x: Any, dtype: np.dtype[Any]) -> Any:
        return x.astype(dtype)

    def call(self, name: str, *xs: Any) -> Any:
        return (_C_CALLS.get(name) or getattr(jnp, name))(*xs)

    def select(self, condition: Any, x: Any, y: Any) -> Any:
        return jnp.where(condition, x, y)

    def slow_if(self, condition: Any, raises: bool = False) -> None: ...


for _method, _function in {
    "add": jnp.add, "sub": jnp.subtract, "mul": jnp.multiply, "div": jnp.divide, "quotient": _spread(lax.div),
    "remainder": _spread(lax.rem), "neg": jnp.negative, "abs": jnp.abs, "eq": jnp.equal, "ne": jnp.not_equal,
    "lt": jnp.less, "le": jnp.less_equal, "gt": jnp.greater, "ge": jnp.greater_equal, "and_": jnp.bitwise_and,
    "or_": jnp.bitwise_or, "xor": jnp.bitwise_xor, "not_": jnp.invert, "shl": jnp.left_shift,
    "shr": jnp.right_shift, "checked_add": jnp.add, "checked_sub": jnp.subtract, "checked_mul": jnp.multiply,
}.items():  # fmt: skip
    setattr(JaxElements, _method, lambda self, *xs, _function=_function: _function(*xs))


def function_of(name: str, always_formula: bool = False) -> Callable[..., Any]:
    """An operation of elements on JAX's arrays and plain numbers, in the dtypes that NumPy's rule gives."""
    definition = REGISTRY[name]
    own = (
        None
        if always_formula or name in _BY_FORMULA or definition.family != "elementwise"
        else getattr(jnp, name, None)
    )

    def compute(*xs: Any) -> Any:
        types: tuple[Type, ...] = tuple(map(_type, xs))
        result = definition.infer(types)  # type: ignore[misc]
        dtypes = operand_dtypes(definition, types)
        pairs = zip(xs, dtypes, types, strict=True)
        given = [jnp.asarray(x, t.dtype if d.kind == "O" else d) for x, d, t in pairs]  # type: ignore[union-attr]
        if own is not None:
            found = own(*given)
        else:
            assert definition.formula is not None, f"{name} has no form"
            found = definition.formula(JaxElements(result.dtype), *given)  # type: ignore[union-attr]
        if found is NotImplemented:
            raise NotImplementedError(f"{name} of {', '.join(map(str, types))}")
        results = result if isinstance(result, tuple) else (result,)
        found = found if isinstance(found, tuple) else (found,)
        converted = tuple([f.astype(r.dtype) for f, r in zip(found, results, strict=True)])
        return converted if isinstance(result, tuple) else converted[0]

    return compute


def _type(x: Any) -> Type:
    return type_of(x if isinstance(x, bool | int | float | np.generic) else np.empty(x.shape, x.dtype))
