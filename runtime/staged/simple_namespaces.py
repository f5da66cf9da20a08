"""Objects of `types.SimpleNamespace` that a trace makes."""

from __future__ import annotations

import types
from typing import Any

from autograph.errors import StagingError, error_at_frame


class Namespace:
    """Stands for a `types.SimpleNamespace` that a trace makes, whose class is one of C."""

    _stands_for = types.SimpleNamespace

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return types.SimpleNamespace

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, types.SimpleNamespace):
            raise refuse_comparison()
        return NotImplemented

    __ne__ = __eq__
    __hash__ = None  # type: ignore[assignment]


Namespace.__name__ = "types.SimpleNamespace"  # as Python's messages have it
Namespace.__eq__.__runtime_inline__ = None  # type: ignore[attr-defined]  # runs as it is in a trace


def refuse_comparison() -> StagingError:
    """The error (not raised) for `==` of SimpleNamespaces: no trace sees what that reads."""
    return error_at_frame(
        StagingError,
        "a SimpleNamespace is compared as a whole, so that no change of it is seen",
        hint="compare its attributes",
    )
