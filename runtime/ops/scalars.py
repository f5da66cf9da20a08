"""Operators of NumPy scalars that round otherwise than the ufuncs do: ``z * w`` and ``abs(z)`` of complex
numbers, ``x ** y``.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["scalar.multiply"].infer((parse_type("c64"), parse_type("f64"))))
c128
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.definition import REGISTRY, op, same_as
from runtime.ops.promotion import elementwise

#: the operation of a ufunc -> the operator
_OPERATORS: dict[str, Callable[..., Any]] = {
    "multiply": operator.mul,
    "power": operator.pow,
    "absolute": abs,
}
for _name, _operator in _OPERATORS.items():
    op(
        f"scalar.{_name}",
        kernel=_operator,
        infer=elementwise(getattr(np, _name)),
        native=REGISTRY[_name].native,
        effects=REGISTRY[_name].effects,
        samples=[[np.float64(2.5)]] if _name == "absolute" else [[np.float64(2.5), 1.5]],
        family="scalar",
        vjp=same_as(_name),
    )
