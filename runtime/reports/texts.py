"""Texts of two runs: they say the same, though a number in them may be rounded otherwise, or promoted.

>>> same_text("x = 0.1", "x = 0.10000000000000002"), same_text("x = 1", "x = 2")
(True, False)
>>> same_text("x = 1", "x = 1.0"), same_text("x = 1", "x = 1.0", promoted=True)
(False, True)
"""

from __future__ import annotations

import math
import re

_FLOAT = r"-?\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+)"
_NUMBERS = {False: re.compile(_FLOAT), True: re.compile(rf"{_FLOAT}|-?\d+")}
_SPACES = re.compile(" +")


def same_text(plain: str, compiled: str, promoted: bool = False) -> bool:
    """``promoted``: where plain Python shows an int, the number may be a float, which takes more room."""
    if plain == compiled:
        return True
    if promoted:
        plain, compiled = _SPACES.sub(" ", plain), _SPACES.sub(" ", compiled)
    number = _NUMBERS[promoted]
    if number.sub("#", plain) != number.sub("#", compiled):
        return False
    pairs = zip(number.findall(plain), number.findall(compiled), strict=True)
    return all(a == b or (_is_float(b) and math.isclose(float(a), float(b), rel_tol=1e-10)) for a, b in pairs)


def _is_float(text: str) -> bool:
    return "." in text or "e" in text
