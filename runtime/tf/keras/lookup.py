"""Objects by the names that people give them: `activation="relu"`, `optimizer="adam"`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any


def by_name(kind: str, given: Any, known: Mapping[str, Any]) -> Any:
    """What a name stands for; anything else as it is.

    >>> by_name("activation", "relu", {"relu": max}) is max
    True
    """
    if not isinstance(given, str):
        return given
    if given in known:
        return known[given]
    nearest = difflib.get_close_matches(given, known, 1)
    hint = f"; the nearest name: {nearest[0]!r}" if nearest else ""
    raise ValueError(f"there is no {kind} {given!r}{hint}")
