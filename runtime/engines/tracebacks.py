"""Exceptions at run time: the user's line is the innermost entry of the traceback, from every engine.

>>> from runtime.graph import Location
>>> error = located(ZeroDivisionError("division by zero"), Location("area.py", 12, "area"))
>>> import traceback
>>> print("".join(traceback.format_tb(error.__traceback__)), end="")
  File "area.py", line 12, in area
"""

from __future__ import annotations

import ast
import os
import sys
import types
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

import numpy as np

from autograph.errors import AutographError, is_internal_code, place, register_internal_directory
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
    if location is None:
        return error.with_traceback(rest)
    if location.line == 0:
        return error.with_traceback(_called(rest, location.caller))
    if isinstance(error, AutographError) and error.line is None:
        column, end_line, end_column = location.span or (-1, 0, 0)
        error.line, error.column = location.line, column + 1 if column >= 0 else None
        error.end_column = end_column + 1 if end_line == location.line else None
        place(error, location.file)
    here = TracebackType(rest, *_frame_at(location, location.span), location.line)
    return error.with_traceback(_called(here, location.caller))


def _called(traceback: TracebackType | None, caller: Location | None) -> TracebackType | None:
    """The traceback with entries of the functions that called before it."""
    while caller is not None:
        traceback = TracebackType(traceback, *_frame_at(caller, caller.span), caller.line)
        caller = caller.caller
    return traceback


def caught(error: E, location: Location | None) -> E:
    """The exception as a handler at ``location`` sees it: its traceback begins in the function there."""
    rest = visible(error.__traceback__)
    outer = []
    caller = location.caller if location is not None else None
    while caller is not None:
        outer.append(caller)
        caller = caller.caller
    for called in reversed(outer):
        if rest is None or (rest.tb_frame.f_code.co_filename, rest.tb_lineno) != (called.file, called.line):
            break
        rest = rest.tb_next
    return error.with_traceback(rest)


def keep_all_frames() -> bool:
    """Does AUTOGRAPH_DEBUG ask to see all frames?"""
    return os.environ.get("AUTOGRAPH_DEBUG", "0") not in ("", "0")


def visible(traceback: TracebackType | None) -> TracebackType | None:
    """The entries whose code is neither ours nor NumPy's; all of them with AUTOGRAPH_DEBUG."""
    if keep_all_frames():
        return traceback
    entries = []
    while traceback is not None and traceback.tb_frame.f_globals.get("here") is not _here:
        code = traceback.tb_frame.f_code
        if not is_internal_code(code) and not code.co_filename.startswith("<frozen"):
            entries.append(traceback)
        traceback = traceback.tb_next
    rest = traceback  # an entry that `located` made: what follows was seen to (a deep recursion has many)
    for entry in reversed(entries):
        rest = TracebackType(rest, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return rest


@lru_cache(maxsize=4096)
def _frame_at(location: Location, span: tuple[int, int, int] | None) -> tuple[FrameType, int]:
    """A frame whose code claims to be the user's function at the user's line, and the instruction there.

    The instruction is a real one, a call whose place is the span: tracebacks, IPython and others look it up.
    """
    frame: FrameType
    frame, instruction = types.FunctionType(_code_at(location, span, "lambda: here()"), {"here": _here})()
    return frame, instruction


def calling_at(location: Location, namespace: dict[str, Any]) -> Callable[..., Any]:
    """A function of (function, args, kwargs) that makes the call from a frame at the user's line.

    ``namespace`` are the globals of that frame: `warnings` and `logging` ask for the caller's module.
    """
    source = "lambda function, args, kwargs: function(*args, **kwargs)"
    return types.FunctionType(_code_at(location, location.span, source), namespace)


def _code_at(location: Location, span: tuple[int, int, int] | None, source: str) -> CodeType:
    """The code of a lambda, all of which stands in the user's function at the user's line."""
    column, end_line, end_column = span or (0, location.line, 0)
    tree = ast.parse(source, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.arg | ast.keyword):
            node.lineno, node.col_offset = location.line, column
            node.end_lineno, node.end_col_offset = end_line, end_column
    module = compile(tree, location.file, "eval")
    (code,) = (constant for constant in module.co_consts if isinstance(constant, CodeType))
    code = code.replace(co_name=location.function.rpartition(".")[2], co_qualname=location.function)
    if span is None:  # no columns: no carets
        code = code.replace(co_firstlineno=location.line, co_linetable=_lines_only(code))
    return code


def _lines_only(code: CodeType) -> bytes:
    """A location table that puts all in the first line, in no column, so that no carets are shown.

    Each entry is of the kind "no columns" (13) and covers up to eight units of code, with no step of the line
    (CPython's Objects/locations.md).
    """
    units = len(code.co_code) // 2
    lengths = [8] * (units // 8) + ([units % 8] if units % 8 else [])
    return b"".join(bytes([0x80 | 13 << 3 | length - 1, 0]) for length in lengths)


def _here() -> tuple[FrameType, int]:
    frame = sys._getframe(1)
    return frame, frame.f_lasti
