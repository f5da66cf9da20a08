"""``run_functions_eagerly(True)``: decorated functions run as plain Python, for debugging."""

from __future__ import annotations

_eager = False


def run_functions_eagerly(eager: bool) -> None:
    """From now on, decorated functions run as the plain Python they are (True), or as graphs (False)."""
    global _eager
    _eager = bool(eager)


def enabled() -> bool:
    return _eager
