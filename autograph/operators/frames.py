"""What counts frames from the one that calls it: `sys._getframe(1)`, `warnings.warn(..., stacklevel=2)`.

Parts of a function run in closures that operators call, so that there are more frames than the user's program
has. Converted code calls these in their place, which count the frames that there would be without us.

>>> def who(): return getframe(1).f_code.co_name
>>> def caller(): return who()
>>> caller()
'caller'
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from autograph.converted_code import is_body, is_converted_code
from autograph.errors import is_internal_code

# The closures of converted text, which no table knows.
_CLOSURE = r"(then|else|loop|try|except|final|with)_body(_\d+)?|(loop_test|get_state|set_state)|<lambda>"


def getframe(depth: int = 0, /) -> FrameType:
    """`sys._getframe(depth)`."""
    here = sys._getframe(1)
    return here if depth <= 0 else _nth(here, depth)


def getframemodulename(depth: int = 0) -> str | None:
    """`sys._getframemodulename(depth)`."""
    here = sys._getframe(1)
    try:
        level = _distance(here, _nth(here, max(depth, 0)))
    except ValueError:
        return None
    name: str | None = sys._getframemodulename(level + 1)  # type: ignore[attr-defined,unused-ignore]
    return name


def warn(
    message: Any,
    category: Any = None,
    stacklevel: int = 1,
    source: Any = None,
    *,
    skip_file_prefixes: tuple[str, ...] = (),
) -> None:
    """`warnings.warn`: the warning is shown at the user's line that Python would show it at."""
    options: dict[str, Any] = {}
    if skip_file_prefixes:
        options["skip_file_prefixes"] = skip_file_prefixes
        stacklevel = max(stacklevel, 2)
    warnings.warn(message, category, _stacklevel(stacklevel, skip_file_prefixes), source, **options)


def f_back(frame: Any) -> Any:
    """`frame.f_back`: the frame of the function that called the frame's function."""
    if type(frame) is not FrameType:
        return frame.f_back
    frames = user_frames(frame)
    next(frames, None)
    return next(frames, None)


def _stacklevel(level: int, skipped: tuple[str, ...]) -> int:
    """The level, counted over all frames from `warn` on, that is `level` over the user's."""
    caller = sys._getframe(2)

    def counts(frame: FrameType) -> bool:
        file = frame.f_code.co_filename
        return not ("importlib" in file and "_bootstrap" in file) and not (
            skipped and file.startswith(skipped)
        )

    if level <= 1:
        return level + 1
    target: FrameType | None = None
    for frame in user_frames(caller):
        if target is None or counts(frame):
            target = frame
            level -= 1
            if not level:
                break
    step: FrameType | None = caller
    distance = 2  # `warn` itself, and its caller
    while step is not None and step is not target:
        step = step.f_back
        distance += step is not None and counts(step)
    return distance + level


def user_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames that the user's program would have, from `frame` outwards. Of a function, the innermost."""
    while frame is not None:
        if is_internal_code(frame.f_code):
            frame = frame.f_back
            continue
        yield frame
        while frame is not None and _is_part(frame):
            frame = _without_ours(frame.f_back)
        frame = frame.f_back if frame is not None else None


def _is_part(frame: FrameType) -> bool:
    """Is this the frame of a closure that holds a part of a function?"""
    code = frame.f_code
    if is_converted_code(code):
        return is_body(code)
    back = frame.f_back
    return back is not None and is_internal_code(back.f_code) and bool(re.fullmatch(_CLOSURE, code.co_name))


def _without_ours(frame: FrameType | None) -> FrameType | None:
    while frame is not None and is_internal_code(frame.f_code):
        frame = frame.f_back
    return frame


def _nth(frame: FrameType, depth: int) -> FrameType:
    for number, found in enumerate(user_frames(frame)):
        if number == depth:
            return found
    raise ValueError("call stack is not deep enough")


def _distance(frame: FrameType, outer: FrameType) -> int:
    distance = 0
    step: FrameType | None = frame
    while step is not None and step is not outer:
        step = step.f_back
        distance += 1
    return distance


COUNTERS: tuple[tuple[Any, Callable[..., Any]], ...] = tuple(
    (original, ours)
    for original, ours in (
        (warnings.warn, warn),
        (sys._getframe, getframe),
        (getattr(sys, "_getframemodulename", None), getframemodulename),
    )
    if original is not None
)
