"""Arrays from structures of numbers and staged values."""

from __future__ import annotations

from typing import Any


def array_of(structure: Any, dtype: Any = None) -> Any:
    from runtime.builder import Staged, emit
    from runtime.ops.template import build

    template, values = build(structure, lambda item: isinstance(item, Staged))
    return emit("array", values, template=template, dtype=dtype)
