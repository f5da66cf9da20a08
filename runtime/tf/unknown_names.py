"""What a module of this package says about a name that it has not."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def refusing(module: str, spelling: str, aliases: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """The `__getattr__` of a module: names the nearest name that there is."""

    def missing(name: str) -> Any:
        found = vars(sys.modules[module])
        if aliases is not None and name in aliases:
            return found[aliases[name]]
        known = [each for each in found if not each.startswith("_")]
        nearest = difflib.get_close_matches(name, known, 1, 0.8)
        hint = f"; the nearest name that there is: {spelling}.{nearest[0]}" if nearest else ""
        raise AttributeError(f"{spelling} has no {name!r} here{hint}", name=name)

    return missing
