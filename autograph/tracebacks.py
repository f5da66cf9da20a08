"""Tracebacks as plain Python gives them: the user's frames, one for each of the user's functions.

Converted code runs parts of a function in closures that operators call. When an exception leaves a converted
function, the handler that emit.py put around its body calls `hide_frames`, which takes the operators' frames
out of the traceback and keeps, of a function and the closures made from it, the innermost one. The
exception object itself, its type, message and line stay as they are. `AUTOGRAPH_DEBUG` keeps all frames.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from opcode import opmap
from types import FrameType, TracebackType

from autograph.code_objects import is_body, is_hiding
from autograph.errors import AutographError, is_internal_code
from autograph.registry import active_stage


def keep_all_frames() -> bool:
    """Does AUTOGRAPH_DEBUG ask to see autograph's own frames?"""
    return os.environ.get("AUTOGRAPH_DEBUG", "0") not in ("", "0")


def hide_frames() -> None:
    """Clean the traceback of the exception being handled, and of those it came from."""
    thread = get_ident()
    if thread in _cleaning:
        return  # what is called here is converted itself: `os.environ.get` is, with `collections.abc`
    _cleaning.add(thread)
    try:
        exception = sys.exception()
        if exception is not None and not keep_all_frames():
            if thread in _behind:
                _behind.discard(thread)
                _catch_up(exception)
            _hide_frames_of(exception)
    except RecursionError:
        _behind.add(thread)  # there is no room for it so deep; a caller does it
    finally:
        _cleaning.discard(thread)


_RAISE = opmap["RAISE_VARARGS"]
_cleaning: set[int] = set()
"""The threads that are in `hide_frames`."""
_behind: set[int] = set()
"""The threads in which there was no room for that."""


def _catch_up(exception: BaseException) -> None:
    """Clean the parts of the functions that could not, from the innermost outwards."""
    entries = []
    entry = exception.__traceback__
    while entry is not None:
        if is_hiding(entry.tb_frame.f_code):
            entries.append(entry)
        entry = entry.tb_next
    for entry in reversed(entries[1:]):
        _without_our_frames(entry)


def _hide_frames_of(exception: BaseException | None) -> None:
    if not isinstance(exception, AutographError) and _asks_for_frames():
        return
    _clean(exception)
    seen = {id(exception)}
    while exception is not None:
        exception = exception.__cause__ or exception.__context__
        if exception is None or id(exception) in seen or not _clean(exception):
            return  # what had been handled, or had left a function, was cleaned then, with what is behind it
        seen.add(id(exception))


def _clean(exception: BaseException | None) -> bool:
    """Take our frames out of the traceback of one exception; were there any?"""
    if isinstance(exception, BaseExceptionGroup):
        for member in exception.exceptions:
            _clean(member)  # `except*` put one in it that never left the function, perhaps
    head = None if exception is None else exception.__traceback__
    if exception is None or head is None:
        return False
    visible, changed = _without_our_frames(head)
    if visible is not None and visible is not head:
        exception.__traceback__ = visible
    return changed


def _asks_for_frames() -> bool:
    """Does the active stage look at whose frames an exception went through?"""
    stage = active_stage()
    return stage is not None and stage.asks_for_frames


def undo_bare_raise(exception: BaseException, before: TracebackType | None) -> None:
    """A bare `raise` leaves the traceback as it was, so what ours has put in front of `before` goes.

    Nothing was put there but frames of operators, and of the closures they run, when it was a bare `raise`:
    one that names the exception leaves an entry in `raise_stmt` itself.
    """
    entry = exception.__traceback__
    while entry is not None and entry is not before:
        code = entry.tb_frame.f_code
        if not is_body(code) and (not is_internal_code(code) or code.co_name == "raise_stmt"):
            return
        entry = entry.tb_next
    if entry is before:
        exception.__traceback__ = before


def _without_our_frames(head: TracebackType) -> tuple[TracebackType | None, bool]:
    """Relink the entries from `head` to the next function that has cleaned its part already.

    The first entry that stays, and whether anything had to be done.
    """
    ours = _function_of(head.tb_frame)
    kept: list[TracebackType] = []
    entry: TracebackType | None = head
    while entry is not None:
        code = entry.tb_frame.f_code
        if is_body(code):
            if kept and _waits_for(kept[-1].tb_frame, entry.tb_frame) and not _raises(kept[-1]):
                kept.pop()
            elif kept and _function_of(entry.tb_frame) is not ours:
                break  # all that is left of another function, which has cleaned its part
        elif kept and is_hiding(code) and entry.tb_frame is not ours:
            break
        if not is_internal_code(code):
            kept.append(entry)
        entry = entry.tb_next
    if not kept:
        return (
            entry,
            True,
        )  # every entry is ours, as in an exception that was caught and replaced among operators
    changed = kept[0] is not head
    for before, after in zip(kept, [*kept[1:], entry], strict=True):
        if before.tb_next is not after:
            before.tb_next = after
            changed = True
    return kept[0], changed


def _raises(entry: TracebackType) -> bool:
    """Does the entry stand at a `raise`, that raised again what a closure had raised?"""
    return entry.tb_frame.f_code.co_code[entry.tb_lasti] == _RAISE


def _waits_for(outer: FrameType, body: FrameType) -> bool:
    """Is `body` a closure that operators run for `outer`, with nothing but them and closures in between?"""
    frame = body.f_back
    while frame is not None and frame is not outer:
        if not (is_body(frame.f_code) or is_internal_code(frame.f_code)):
            return False
        frame = frame.f_back
    return frame is outer


def _function_of(frame: FrameType | None) -> FrameType | None:
    """The frame of the user's function that `frame`, a closure's or an operator's, runs for."""
    frame = _skip_ours(frame)
    while frame is not None and is_body(frame.f_code):
        frame = _skip_ours(frame.f_back)
    return frame


def _skip_ours(frame: FrameType | None) -> FrameType | None:
    while frame is not None and is_internal_code(frame.f_code):
        frame = frame.f_back
    return frame
