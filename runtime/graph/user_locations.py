"""The places of the user's program: where the code that runs now stands, by line and column."""

from __future__ import annotations

import sys
from types import CodeType

from autograph.by_code import once_per_code
from autograph.errors import user_frame
from runtime.graph.operations import Location


def user_location() -> Location:
    """The user's line that runs now."""
    frame = user_frame(sys._getframe(1))
    if frame is None:
        return Location("<unknown>", 0)
    code = frame.f_code
    return location_in(code, frame.f_lasti, frame.f_lineno)


def location_in(code: CodeType, instruction: int, line: int) -> Location:
    """The place of an instruction (a frame's ``f_lasti``) that stands in ``line``."""
    first, last, column, end = _positions_in(code)[instruction // 2]
    exact = first == line and last is not None and column is not None and end is not None
    return Location(
        code.co_filename,
        line,
        code.co_qualname,
        span=(column, last, end) if exact else None,  # type: ignore[arg-type]
    )


#: first line, last line, column, end column of an instruction
Position = tuple[int | None, int | None, int | None, int | None]


@once_per_code
def _positions_in(code: CodeType) -> list[Position]:
    return list(code.co_positions())
