"""Exceptions at run time: the user's line is the innermost entry of the traceback, from every engine.

>>> from runtime.graph import Location
>>> error = located(ZeroDivisionError("division by zero"), Location("area.py", 12, "area"))
>>> import traceback
>>> print("".join(traceback.format_tb(error.__traceback__)), end="")
  File "area.py", line 12, in area
"""

from __future__ import annotations

import os
import sys
import types
from functools import lru_cache
from types import FrameType, TracebackType
from typing import TypeVar

import numpy as np

from autograph.errors import is_internal_code, register_internal_directory
from runtime.graph import Location

# Engines also run alone, before anything else of the runtime is imported.
register_internal_directory(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
register_internal_directory(os.path.dirname(np.__file__))

E = TypeVar("E", bound=BaseException)


def located(error: E, location: Location | None) -> E:
    """The same exception, with a traceback as if the user's line had raised it. To be raised as it is.

    Entries of frames inside kernels and engines go; those of the user's functions that an operation
    called stay. With AUTOGRAPH_DEBUG set all stay, after the entry of the user's line.
    """
    rest = visible(error.__traceback__)
    if location is None or location.line == 0:
        return error.with_traceback(rest)
    return error.with_traceback(TracebackType(rest, frame_at(location), -1, location.line))


def keep_all_frames() -> bool:
    """Does AUTOGRAPH_DEBUG ask to see all frames?"""
    return os.environ.get("AUTOGRAPH_DEBUG", "0") not in ("", "0")


def visible(traceback: TracebackType | None) -> TracebackType | None:
    """The entries whose code is neither ours nor NumPy's; all of them with AUTOGRAPH_DEBUG."""
    if keep_all_frames():
        return traceback
    entries = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_internal_code(code) and not code.co_filename.startswith("<frozen"):
            entries.append(traceback)
        traceback = traceback.tb_next
    rest: TracebackType | None = None
    for entry in reversed(entries):
        rest = TracebackType(rest, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return rest


@lru_cache(maxsize=4096)
def frame_at(location: Location) -> FrameType:
    """A frame whose code claims to be the user's function at the user's line."""
    code = _frame_of_caller.__code__.replace(
        co_filename=location.file,
        co_name=location.function.rpartition(".")[2],
        co_qualname=location.function,
        co_firstlineno=location.line,
    )
    frame: FrameType = types.FunctionType(code, {"sys": sys})()
    return frame


def _frame_of_caller() -> FrameType:
    return sys._getframe()
