"""``run_functions_eagerly(True)``: decorated functions run as plain Python, for debugging."""

from __future__ import annotations

from typing import Any

from runtime.builder import active_builders

_eager = False
#: stands among the active builders, so that calls look here before they take the short way
_MARK: Any = object()


def run_functions_eagerly(eager: bool) -> None:
    """From now on, decorated functions run as the plain Python they are (True), or as graphs (False)."""
    global _eager
    _eager = bool(eager)
    active_builders[:] = [item for item in active_builders if item is not _MARK]
    if _eager:
        active_builders.append(_MARK)


def enabled() -> bool:
    return _eager
