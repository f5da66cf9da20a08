"""``np.array``, ``np.stack`` and their like of a list of which a run knows the length.

>>> from runtime.types import parse_type
>>> to_array([1.0, 2.0], "array", {}, (parse_type("f64[None]"),))
array([1., 2.])
>>> to_array([1, 2.0], "array", {}, (parse_type("i64[None]"), parse_type("f64[None]")))
(1, array([], dtype=int64), array([1., 2.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.ops.containers import LOWERED, OF_CONTAINERS
from runtime.ops.conversion import nobody_reads
from runtime.ops.definition import MAY_RAISE, op
from runtime.types import INT, ArrayType, Type


def to_array(items: Any, function: str, arguments: dict[str, Any], types: tuple[ArrayType, ...]) -> Any:
    """The array; where it may be of several types, first which of them, and one array for each."""
    result = getattr(np, function)(items, **arguments)
    fits = [known.dtype == result.dtype and known.ndim == result.ndim for known in types]
    place = fits.index(True) if True in fits else None
    if place is None:
        raise StagingError(
            f"np.{function}() of a list without items is {result.dtype}[{','.join(map(str, result.shape))}], "
            f"but was staged as {' or '.join(map(str, types))}",
            hint="test the length of the list first",
        )
    if len(types) == 1:
        return result
    return (place, *[result if k == place else nobody_reads(known) for k, known in enumerate(types)])


def array_types(
    inputs: tuple[Type, ...], function: str, arguments: dict[str, Any], types: tuple[ArrayType, ...]
) -> Type | tuple[Type, ...]:
    return types[0] if len(types) == 1 else (INT, *types)


op("list.to_array", to_array, array_types, MAY_RAISE, family="container", vjp=OF_CONTAINERS, lowered=LOWERED)
