"""One element in JAX: the builder that reads the formulas of operations (runtime/ops/formulas.py)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def _spread(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: function(*jnp.broadcast_arrays(*xs))


#: functions of C's that jax.numpy has not, or for two numbers only
_C_CALLS: dict[str, Callable[..., Any]] = {
    "hypot": lambda *xs: reduce(jnp.hypot, xs),
    "erf": lax.erf,
    "erfc": lax.erfc,
}


def _known(*xs: Any) -> bool:
    """Are these numbers that the code says?"""
    return all(isinstance(x, np.ndarray | np.generic) and not x.ndim for x in xs)


class Elements:
    """What `runtime.ops.formulas.ElementBuilder` asks for, of JAX's arrays.

    Where a formula leaves an element to the kernel (Python's errors, ints beyond 64 bits), the call fails:
    the reference engine makes it once more.
    """

    has_slow_way = True

    def __init__(self, call: Any, result: np.dtype) -> None:
        self.call_under_way, self.result = call, result

    def dtype(self, x: Any) -> np.dtype:
        return np.dtype(x.dtype)

    def attribute(self, name: str) -> Any:
        return self.call_under_way.attributes[name]

    def result_dtype(self) -> np.dtype:
        return self.result

    def constant(self, value: Any, dtype: np.dtype) -> Any:
        known = jax.dtypes.canonicalize_dtype(dtype)
        if dtype.kind == "i":  # the lowest and the highest int are those of the bits that JAX takes
            value = min(max(value, jnp.iinfo(known).min), jnp.iinfo(known).max)
        return np.asarray(value, known)

    def convert(self, x: Any, dtype: np.dtype) -> Any:
        return x.astype(jax.dtypes.canonicalize_dtype(dtype))

    def call(self, name: str, *xs: Any) -> Any:
        return (_C_CALLS.get(name) or getattr(jnp, name))(*xs)

    def select(self, condition: Any, x: Any, y: Any) -> Any:
        return (x if condition else y) if _known(condition) else jnp.where(condition, x, y)

    def slow_if(self, condition: Any, raises: bool = False) -> None:
        self.call_under_way.fails(condition)

    def raise_if(self, condition: Any) -> None:
        self.call_under_way.fails(condition)

    def checked_add(self, x: Any, y: Any) -> Any:
        number, other = (x, y) if _known(x) else (y, x)
        found = x + y
        if _known(number):
            most = jnp.iinfo(number.dtype)
            self.slow_if(other > most.max - number if number >= 0 else other < most.min - number)
        else:
            self.slow_if(((x ^ found) & (y ^ found)) < 0)
        return found

    def checked_sub(self, x: Any, y: Any) -> Any:
        if _known(y) and y > jnp.iinfo(y.dtype).min:
            return self.checked_add(x, -y)
        found = x - y
        self.slow_if(((x ^ y) & (x ^ found)) < 0)
        return found

    def checked_mul(self, x: Any, y: Any) -> Any:
        number, other = (x, y) if _known(x) else (y, x)
        if _known(number) and number > 0:
            most = jnp.iinfo(number.dtype)
            self.slow_if((other > most.max // int(number)) | (other < -(-int(most.min) // int(number))))
            return x * y
        found, true = x * y, x.astype(float) * y.astype(float)
        # what leaves the bits is wrong by all of them, and a float by much less
        self.slow_if(jnp.abs(found.astype(float) - true) > 2.0 ** (jnp.iinfo(found.dtype).bits - 1))
        return found


_METHODS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "quotient": _spread(lax.div), "remainder": _spread(lax.rem), "neg": operator.neg, "abs": operator.abs,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
    "ge": operator.ge, "and_": operator.and_, "or_": operator.or_, "xor": operator.xor,
    "not_": operator.invert, "shl": operator.lshift, "shr": operator.rshift, "conj": jnp.conj,
}  # fmt: skip
for _name, _function in _METHODS.items():
    setattr(Elements, _name, staticmethod(_function))
