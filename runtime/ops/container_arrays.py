"""``np.array``, ``np.stack`` and their like of a list of which a run knows the length.

>>> from runtime.types import parse_type
>>> to_array([1.0, 2.0], "array", {}, parse_type("f64[None]"))
array([1., 2.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.ops.containers import OF_CONTAINERS
from runtime.ops.definition import MAY_RAISE, op
from runtime.types import ArrayType


def to_array(items: Any, function: str, arguments: dict[str, Any], type: ArrayType) -> Any:
    result = getattr(np, function)(items, **arguments)
    if result.ndim != type.ndim or (not len(items) and result.dtype != type.dtype):
        raise StagingError(
            f"np.{function}() of a list without items is {result.dtype}[{','.join(map(str, result.shape))}], "
            f"but was staged as {type}",
            hint="test the length of the list first",
        )
    return result if result.dtype == type.dtype else result.astype(type.dtype)


op(
    "list.to_array",
    kernel=to_array,
    infer=lambda types, function, arguments, type: type,
    native=None,
    effects=MAY_RAISE,
    samples=[],
    family="container",
    vjp=OF_CONTAINERS,
)
