"""A checksum inside of the text that it is about: of all bytes, with zeros in its own place.

>>> text = summed(b'{"crc32": "00000000", "a": 1}')
>>> text, is_intact(text, "eeb7bf8e"), is_intact(text.replace(b"1}", b"2}"), "eeb7bf8e")
(b'{"crc32": "eeb7bf8e", "a": 1}', True, False)
"""

from __future__ import annotations

import zlib

NAME = "crc32"
#: the value that stands for the checksum while it is computed
ZEROS = "00000000"


def summed(text: bytes) -> bytes:
    """The text with its checksum in the place of the zeros."""
    return text.replace(_place(ZEROS), _place(f"{zlib.crc32(text):08x}"), 1)


def unsummed(text: bytes, checksum: object) -> bytes:
    """The inverse."""
    return text.replace(_place(checksum), _place(ZEROS), 1)


def is_intact(text: bytes, checksum: object) -> bool:
    """Is it the text that was summed?"""
    return f"{zlib.crc32(unsummed(text, checksum)):08x}" == checksum


def _place(checksum: object) -> bytes:
    return f'"{NAME}": "{checksum}"'.encode()
