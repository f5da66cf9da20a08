"""Which arrays NumPy would have as views of others: slices, rows, transposes, reshaped ones.

JAX's are copies. What an array was made of is read from the program that is being written.

>>> import jax, jax.numpy as jnp
>>> def f(x):
...     print(len(chain(x[1:3])), len(chain(x[0].T)), len(chain(x + 1)), are_apart(x[:1], x[1:]))
...     return x
>>> _ = jax.jit(f)(jnp.zeros((3, 2)))
2 3 1 True
"""

from __future__ import annotations

from typing import Any

from autograph.stages._jax.tracing import core_of, operation_of, outer_of

_VIEWS = frozenset({"slice", "dynamic_slice", "squeeze", "reshape", "transpose", "rev", "broadcast_in_dim"})


def chain(array: Any) -> list[Any]:
    """The array, as the program has it, and what it is a view of, from the nearest on."""
    found = [core_of(array)]
    rank = getattr(array, "ndim", 0)
    while True:
        last = found[-1]
        outer = outer_of(last)
        base = core_of(outer) if outer is not None else _base(last, rank)
        if base is None or not getattr(base, "ndim", 0):
            return found
        found.append(base)


def _base(array: Any, rank: int) -> Any:
    operation = operation_of(array)
    if operation is None or not operation.in_tracers:
        return None
    base, name = operation.in_tracers[0], operation.primitive.name
    if name == "gather":  # what `x[i]` becomes under `vmap`; one by an array of indices keeps the rank
        return base if rank < base.ndim and array.ndim > rank else None
    if name not in _VIEWS or name == "broadcast_in_dim" and base.size != array.size:
        return None
    return base


def are_apart(a: Any, b: Any) -> bool:
    """Are these slices of one array that have no item in common?"""
    one, other = chain(a), chain(b)
    common = {id(array) for array in one} & {id(array) for array in other}
    first, second = _part_of(one, common), _part_of(other, common)
    if first is None or second is None or first[0] is not second[0]:
        return False
    bounds = zip(*first[1:], *second[1:], strict=True)
    return any(stop <= begin or end <= start for start, stop, begin, end in bounds)


def _part_of(views: list[Any], common: set[int]) -> tuple[Any, Any, Any] | None:
    """The array that is common, and the bounds of the slice of it, where a slice with known ones is next."""
    at = next((k for k, array in enumerate(views) if id(array) in common), 0)
    if at == 0:
        return None
    operation = operation_of(views[at - 1])
    if operation is None or operation.primitive.name != "slice":
        return None
    return views[at], operation.params["start_indices"], operation.params["limit_indices"]
