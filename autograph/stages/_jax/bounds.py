"""Between which ints a staged one lies: in `for i in range(20): for j in range(i)`, `j` is 18 at most.

A loop whose number of iterations is at most some small number can be a `scan`, through which reverse mode
goes. The bounds are those of the numbers of loops, of constants and of types, carried through the arithmetic
of the program that is being written.

>>> bounds_of(3), bounds_of(jnp.int8(5) * 2)
((3, 3), (10, 10))
>>> import jax
>>> text = []
>>> _ = jax.make_jaxpr(lambda n: text.append(bounds_of(n % 3 + 1)) or n)(7)
>>> text
[(1, 3)]
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.stages._jax.tracing import core_of, is_staged, known_operand, operation_of, outer_of

Bounds = tuple[int, int]

_DEEPEST = 20  # operations that are looked through


class _Noted(threading.local):
    def __init__(self) -> None:
        self.bounds: dict[int, tuple[weakref.ref[Any], Bounds]] = {}


_noted = _Noted()


def note(number: Any, least: int, most: int) -> None:
    """The number of an iteration lies between these."""
    if is_staged(number):
        table, identity = _noted.bounds, id(number)
        table[identity] = weakref.ref(number, lambda _: table.pop(identity, None)), (least, most)


def bounds_of(value: Any, depth: int = 0) -> Bounds:
    """The least and the most that an int can be, or any item of an array of ints."""
    if not is_staged(value):
        return int(np.min(value)), int(np.max(value))
    value = core_of(value)
    found = _noted.bounds.get(id(value))
    if found is not None and found[0]() is value:
        return found[1]
    outer = outer_of(value)
    if outer is not None:
        return bounds_of(outer, depth)
    limits = jnp.iinfo(value.dtype)
    anything = int(limits.min), int(limits.max)
    operation = operation_of(value)
    bounds = _of_operation(operation, depth + 1) if operation is not None and depth < _DEEPEST else None
    if bounds is None or bounds[0] < anything[0] or bounds[1] > anything[1]:  # it may have wrapped around
        return anything
    return bounds


def _of_operation(operation: Any, depth: int) -> Bounds | None:
    name = operation.primitive.name
    operands = [known_operand(operand) for operand in operation.in_tracers]
    if name in ("jit", "pjit"):
        name = operation.params["name"]  # a function of jnp's own, such as `floor_divide`
    if name in ("select_n", "_where"):
        name, operands = "select_n", operands[1:]
    rule = _RULES.get(name)
    if rule is None or not all(_is_int(operand) for operand in operands):
        return None
    return rule(*(bounds_of(operand, depth) for operand in operands))


def _is_int(value: Any) -> bool:
    return bool(jnp.size(value)) and jnp.issubdtype(jnp.result_type(value), jnp.integer)


def _among(products: Iterable[int]) -> Bounds:
    found = list(products)
    return min(found), max(found)


def _floor_divide(a: Bounds, b: Bounds) -> Bounds | None:
    return _among(x // y for x in a for y in b) if b[0] > 0 else None


def _remainder(a: Bounds, b: Bounds) -> Bounds | None:
    return (0, b[1] - 1) if b[0] > 0 else None


def _itself(a: Bounds) -> Bounds:
    return a


_RULES: dict[str, Callable[..., Bounds | None]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": lambda a, b: _among(x * y for x in a for y in b),
    "neg": lambda a: (-a[1], -a[0]),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "select_n": lambda *cases: (min(case[0] for case in cases), max(case[1] for case in cases)),
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "convert_element_type": _itself,
    "reshape": _itself,
    "squeeze": _itself,
    "broadcast_in_dim": _itself,
    "copy": _itself,
}
