"""The lines of a program as Python counts them."""

from __future__ import annotations


def split_lines(text: str) -> list[str]:
    r"""The lines without their ends. `str.splitlines` also splits at form feeds, Python does not.

    >>> split_lines("a\f\nb\r\nc\n")
    ['a\x0c', 'b', 'c']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines
