"""The places of the user's program: where the code that runs now stands, by line and column."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from types import CodeType

from autograph.code_objects import once_per_code
from autograph.errors import user_frame
from runtime.graph.operations import Location


def user_location() -> Location:
    """The user's line that runs now."""
    frame = user_frame(sys._getframe(1))
    if frame is None:
        return Location("<unknown>", 0)
    return location_in(frame.f_code, frame.f_lasti)


def location_in(code: CodeType, instruction: int) -> Location:
    """The place of an instruction (a frame's ``f_lasti``).

    Python counts from the beginning of the code for a frame's ``f_lineno``.
    """
    starts, positions = _positions_in(code)
    line, last, column, end = positions[bisect_right(starts, instruction // 2) - 1]
    return Location(
        code.co_filename,
        line or 0,
        code.co_qualname,
        span=None if last is None or column is None or end is None else (column, last, end),
    )


#: first line, last line, column, end column of an instruction
Position = tuple[int | None, int | None, int | None, int | None]


@once_per_code
def _positions_in(code: CodeType) -> tuple[array[int], list[Position]]:
    """Where each run of instructions of one position begins, and these positions.

    There are about ten times as many instructions as positions.
    """
    starts, positions = array("l"), list[Position]()
    for instruction, position in enumerate(code.co_positions()):
        if not positions or positions[-1] != position:
            starts.append(instruction)
            positions.append(position)
    return starts, positions
