"""Whether calls look at what each operation makes (`debugging.check_numerics`)."""

from __future__ import annotations

from typing import Any

from runtime.tracer.builder import active_builders

_on = False
#: stands among the active builders, so that calls look here before they take the short way
_MARK: Any = object()


def enable(on: bool) -> None:
    """From now on calls look (True), or do not."""
    global _on
    if on != _on:
        _on = on
        if on:
            active_builders.append(_MARK)
        else:
            active_builders.remove(_MARK)


def enabled() -> bool:
    return _on
