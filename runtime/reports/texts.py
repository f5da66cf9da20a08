"""Texts of two runs: they say the same, though a float in them may be rounded otherwise.

>>> same_text("x = 0.1", "x = 0.10000000000000002"), same_text("x = 1", "x = 2")
(True, False)
"""

from __future__ import annotations

import math
import re

_FLOAT = re.compile(r"-?\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+)")


def same_text(plain: str, compiled: str) -> bool:
    """Are the texts equal, but for the last digits of floats?"""
    if plain == compiled:
        return True
    if _FLOAT.sub("#", plain) != _FLOAT.sub("#", compiled):
        return False
    pairs = zip(_FLOAT.findall(plain), _FLOAT.findall(compiled), strict=True)
    return all(a == b or math.isclose(float(a), float(b), rel_tol=1e-10) for a, b in pairs)
