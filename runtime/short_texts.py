"""Texts for messages and listings: long ones lose their middle.

>>> shortened("[int, int, int, int, int, float]", 20)
'[int, int … , float]'
"""

from __future__ import annotations

#: characters of one value, and of everything that is shown of one signature
OF_A_VALUE, OF_A_SIGNATURE = 60, 400


def shortened(text: str, most: int = OF_A_VALUE) -> str:
    """The text, with `…` for the middle where it has more than ``most`` characters."""
    if len(text) <= most:
        return text
    kept = most - 3
    return f"{text[: kept - kept // 2].rstrip()} … {text[len(text) - kept // 2 :].lstrip()}"
