"""The methods of staged arrays: NumPy's functions of the same meaning, the array first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.staged.operands import apply

METHODS: dict[str, Callable[..., Any]] = {}


def _reduce(name: str) -> Callable[..., Any]:
    def method(self: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return apply(name, [self], axis=axis, keepdims=keepdims)

    return method


for _name in ("sum", "prod", "max", "min", "any", "all", "mean"):
    METHODS[_name] = _reduce(_name)
