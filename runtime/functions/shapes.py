"""``reduce_retracing``: lengths of arrays that keep changing are left open.

Calls that differ in nothing but the lengths of their arrays are one *family*. At the third set of lengths of
a family, the lengths that differ become ``None`` in one trace for all.

>>> joined_shapes([(2, 3), (4, 3), (5, 3)])
(None, 3)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field
from typing import Any

import numpy as np

from autograph.errors import StagingError
from autograph.records import record
from runtime.functions import tensor_specs
from runtime.functions.concrete import ConcreteFunction
from runtime.functions.signature import key_of

#: from so many sets of lengths on, those that differ are left open
OPEN_FROM = 3


@record(slots=False, frozen=False)
class _Family:
    seen: list[tuple[tuple[int, ...], ...]] = field(default_factory=list)
    open: list[tuple[tuple[tuple[int | None, ...], ...], ConcreteFunction]] = field(default_factory=list)
    closed: bool = False  # the program needs to know the lengths


class OpenShapes:
    """The families of one function."""

    def __init__(self) -> None:
        self._families: dict[Hashable, _Family] = {}

    def find(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]
    ) -> ConcreteFunction | None:
        """A trace with open lengths that fits a call."""
        family = self._families.get(family_of(args, kwargs))
        if family is None:
            return None
        shapes = shapes_of(args)
        for known, concrete in family.open:
            if all(map(fits, known, shapes)) and concrete.check(leaves):
                return concrete
        return None

    def forget(self, concrete: ConcreteFunction) -> None:
        """A trace that is not kept any longer."""
        for family in self._families.values():
            family.open = [known for known in family.open if known[1] is not concrete]

    def trace(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Any],
        trace: Callable[[tuple[Any, ...], str], ConcreteFunction],
        reason: str,
    ) -> ConcreteFunction:
        """A new trace: for these lengths, or with those left open that keep changing."""
        family = self._families.setdefault(family_of(args, kwargs), _Family())
        shapes = shapes_of(args)
        if not family.closed and shapes not in family.seen:
            family.seen.append(shapes)
        if len(family.seen) >= OPEN_FROM and not family.closed:
            opened = tuple(map(joined_shapes, zip(*family.seen, strict=True)))
            specs = with_shapes(args, iter(opened))
            try:
                concrete = trace(specs, f"{reason}; lengths that keep changing are left open")
            except StagingError:
                family.closed = True
            else:
                family.open.append((opened, concrete))
                return concrete
        return trace(args, reason)


def is_array(value: Any) -> bool:
    return type(value) is np.ndarray


def family_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
    """The key of a call without the lengths of its arrays."""
    parts: list[Hashable] = []
    for arg in args:
        parts.append(("array", arg.dtype, arg.ndim) if is_array(arg) else key_of(arg, []))
    return (*parts, *((name, key_of(arg, [])) for name, arg in kwargs.items()))


def shapes_of(args: tuple[Any, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple([arg.shape for arg in args if is_array(arg)])


def joined_shapes(shapes: Any) -> tuple[int | None, ...]:
    """The lengths that all of the shapes have, None where they differ."""
    return tuple([lengths[0] if len(set(lengths)) == 1 else None for lengths in zip(*shapes, strict=True)])


def fits(known: tuple[int | None, ...], shape: tuple[int, ...]) -> bool:
    return all(n is None or n == m for n, m in zip(known, shape, strict=True))


def with_shapes(args: tuple[Any, ...], shapes: Any) -> tuple[Any, ...]:
    """The arguments with specs in place of arrays."""
    return tuple([tensor_specs.TensorSpec(next(shapes), arg.dtype) if is_array(arg) else arg for arg in args])
