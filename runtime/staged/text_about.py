"""The text of a staged value, for people who look at one in a debugger, say; not for the program."""

from __future__ import annotations

import sys
import types

from autograph.converted_code import is_converted_code
from autograph.errors import is_standard_library
from runtime.tracer.builder import Staged, current, refuse


def text_about(value: Staged, text: str) -> str:
    """``text`` for people who look at a staged value, in a debugger say; not for the program itself."""
    frame = sys._getframe(2)
    if current() is value.builder and _asks_for_the_program(frame):
        raise refuse(
            "the text of a list, an object or another thing that holds staged values is asked for",
            "print it, or write it into an f-string",
        )
    return text


#: modules of Python's library that show values to people
_SHOWING = frozenset({"bdb", "pdb", "cmd", "code", "reprlib", "traceback", "doctest", "unittest"})


def _asks_for_the_program(frame: types.FrameType) -> bool:
    """Is it the user's code, or such as Python's library has for it: `UserList.__repr__`?"""
    code = frame.f_code
    if is_converted_code(code) or code.co_filename == "<string>":
        return True
    module = (frame.f_globals.get("__name__") or "").partition(".")[0]
    return is_standard_library(code.co_filename) and module not in _SHOWING
