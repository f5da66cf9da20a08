"""Tracebacks as plain Python gives them: the user's frames, one for each of the user's functions.

Converted code runs parts of a function in closures that operators call. When an exception leaves a converted
function, the handler that emit.py put around its body calls `hide_frames`, which takes the operators' frames
out of the traceback and keeps, of a function and the closures made from it, the innermost one. The
exception object itself, its type, message and line stay as they are. `AUTOGRAPH_DEBUG` keeps all frames.
"""

from __future__ import annotations

import os
import sys
from types import FrameType, TracebackType

from autograph.converted_code import is_body, is_hiding
from autograph.errors import is_internal_code


def keep_all_frames() -> bool:
    """Does AUTOGRAPH_DEBUG ask to see autograph's own frames?"""
    return os.environ.get("AUTOGRAPH_DEBUG", "0") not in ("", "0")


def hide_frames() -> None:
    """Clean the traceback of the exception being handled, and of those it came from."""
    seen = set()
    exception = sys.exception()
    while exception is not None and id(exception) not in seen:
        seen.add(id(exception))
        head = exception.__traceback__
        if head is not None:
            visible = _without_our_frames(head)
            if visible is not None and visible is not head:
                exception.__traceback__ = visible
        exception = exception.__cause__ or exception.__context__


def _without_our_frames(head: TracebackType) -> TracebackType | None:
    """Relink the entries from `head` to the next function that has cleaned its part already."""
    kept: list[TracebackType] = []
    entry: TracebackType | None = head
    while entry is not None:
        code = entry.tb_frame.f_code
        if is_body(code):
            if kept and _waits_for(kept[-1].tb_frame, entry.tb_frame):
                kept.pop()
            elif kept:
                break  # of another function: all that is left of it, since it cleaned its part
        elif entry is not head and is_hiding(code):
            break
        if not is_internal_code(code):
            kept.append(entry)
        entry = entry.tb_next
    if not kept:  # an exception that one of our own frames raised and handled
        return entry
    for before, after in zip(kept, [*kept[1:], entry], strict=True):
        if before.tb_next is not after:
            before.tb_next = after
    return kept[0]


def _waits_for(outer: FrameType, body: FrameType) -> bool:
    """Is `body` a closure that an operator runs for `outer`, with nothing but our frames in between?"""
    frame = body.f_back
    while frame is not None and is_internal_code(frame.f_code):
        frame = frame.f_back
    return frame is outer
