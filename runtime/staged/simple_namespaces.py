"""Objects of `types.SimpleNamespace` that a trace makes."""

from __future__ import annotations

import types
from typing import Any

from autograph.errors import StagingError, error_at_frame
from autograph.operators import containers
from runtime.ops.instances import attributes
from runtime.ops.instances import remake as remake


class Namespace:
    """Stands for a `types.SimpleNamespace` that a trace makes, whose own class no hook can watch.

    >>> remake(Namespace, {"a": 1})
    namespace(a=1)
    """

    _stands_for = types.SimpleNamespace

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return types.SimpleNamespace

    def __eq__(self, other: Any) -> Any:
        return _compare_namespaces(containers.equal, self, other)

    def __ne__(self, other: Any) -> Any:
        return _compare_namespaces(containers.not_equal, self, other)

    __hash__ = None  # type: ignore[assignment]


Namespace.__name__ = "types.SimpleNamespace"  # as Python's messages have it
for _method in (Namespace.__eq__, Namespace.__ne__):
    _method.__runtime_inline__ = None  # type: ignore[attr-defined]  # runs as it is in a trace


def _compare_namespaces(function: Any, a: Any, b: Any) -> Any:
    if not isinstance(b, types.SimpleNamespace):
        return NotImplemented
    if type(b) is not Namespace:
        raise refuse_comparison()
    return function(attributes(a), attributes(b))


def refuse_comparison() -> StagingError:
    """The error (not raised) for `==` of a SimpleNamespace from outside: no hook sees what that reads."""
    return error_at_frame(
        StagingError,
        "a SimpleNamespace is compared as a whole, so that no change of it is seen",
        hint="compare its attributes",
    )
