"""``run_functions_eagerly(True)``: decorated functions run as plain Python, for debugging."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime.tracer.builder import active_builders

_eager = False
_here = threading.local()
#: stands among the active builders, so that calls look here before they take the short way
_MARK: Any = object()


def run_functions_eagerly(eager: bool) -> None:
    """From now on, decorated functions run as the plain Python they are (True), or as graphs (False)."""
    global _eager
    if bool(eager) == _eager:
        return
    _eager = bool(eager)
    if _eager:
        active_builders.append(_MARK)
    else:
        active_builders.remove(_MARK)


@contextmanager
def eagerly() -> Iterator[None]:
    """Decorated functions that this thread calls inside run as plain Python; those of others go on."""
    before = enabled_here()
    _here.eager = True
    active_builders.append(_MARK)
    try:
        yield
    finally:
        active_builders.remove(_MARK)
        _here.eager = before


def enabled_here() -> bool:
    return getattr(_here, "eager", False)


def enabled() -> bool:
    return _eager or enabled_here()
