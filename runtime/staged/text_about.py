"""The text of a staged value, for people who look at one in a debugger, say; not for the program."""

from __future__ import annotations

import sys

from autograph.converted_code import is_converted_code
from autograph.errors import is_standard_library
from runtime.tracer.builder import Staged, current, refuse

#: modules of Python's library that show values to people
_SHOWING = frozenset({"bdb", "pdb", "cmd", "code", "reprlib", "traceback", "doctest", "unittest"})


def text_about(value: Staged, text: str) -> str:
    """``text`` for people who look at a staged value, in a debugger say; not for the program itself."""
    frame = sys._getframe(2)
    module = (frame.f_globals.get("__name__") or "").partition(".")[0]
    file = frame.f_code.co_filename
    # the user's code, or such as Python's library has for it: `UserList.__repr__`
    of_library = is_standard_library(file) and module not in _SHOWING
    asks = is_converted_code(frame.f_code) or file == "<string>" or of_library
    if asks and current() is value.builder:
        raise refuse(
            "the text of a list, an object or another thing that holds staged values is asked for",
            "print it, or write it into an f-string",
        )
    return text
