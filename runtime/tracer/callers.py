"""Who called the function that a trace runs through: for the tracebacks of what a run raises.

An operation stands in a function of the user's, which another one called, and so on out to the decorated one.
Each function has one place, as in plain Python: that of the innermost of its closures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from inspect import CO_GENERATOR
from types import CodeType, FrameType, TracebackType
from typing import TypeAlias

from autograph.code_objects import is_body, is_converted_code
from autograph.config import is_excluded
from autograph.errors import (
    StagingError,
    error_at_entry,
    is_internal_code,
    is_standard_library,
    is_users_converted_code,
)
from runtime.graph import Location
from runtime.graph.user_locations import location_in
from runtime.tracer.builder import refuse

#: a code object, and the instruction that it has come to
_Place: TypeAlias = "tuple[CodeType, int]"


def callers(
    frame: FrameType, base: FrameType | None, raised: Mapping[FrameType, int] | None = None
) -> Location | None:
    """The places of the functions that called the one ``frame`` belongs to, innermost first, up to ``base``.

    raised: the instructions of frames that an exception has left already.
    """
    places: list[_Place] = []
    step = _caller(frame)
    while step is not None and step is not base:
        if is_internal_code(step.f_code):
            step = step.f_back
            continue
        places.append((step.f_code, (raised or {}).get(step, step.f_lasti)))
        step = _caller(step)
    return _chain(tuple(places)) if step is base else None


#: code that hands an item of a generator to a loop's body: the code of the loop, around the generator's
consumers: dict[CodeType, CodeType] = {}


def _caller(frame: FrameType) -> FrameType | None:
    """The frame that called the function of which ``frame`` runs a part."""
    step: FrameType | None = frame
    while step is not None and is_body(step.f_code):
        step = step.f_back
        while step is not None and is_internal_code(step.f_code):
            step = _loop_of(step) if step.f_code in consumers else step.f_back
    return None if step is None else step.f_back


def _loop_of(frame: FrameType) -> FrameType | None:
    """The loop over a generator, on the other side of the generator's frames."""
    depth = 0
    step: FrameType | None = frame
    while step is not None:
        depth += (step.f_code in consumers) - (step.f_code in consumers.values())
        if not depth:
            return step
        step = step.f_back
    return None


@lru_cache(maxsize=1024)
def _chain(places: tuple[_Place, ...]) -> Location | None:
    found: Location | None = None
    for code, instruction in reversed(places):
        place = location_in(code, instruction)
        # A statement of several lines, a loop say, is no call that Python would underline.
        span = place.span if place.span is not None and place.span[1] == place.line else None
        found = Location(place.file, place.line, place.function, span=span, caller=found)
    return found


def at_raise(refusal: StagingError, error: BaseException) -> StagingError:
    """The same refusal, of an exception of the user's, where that was raised."""
    found = [entry for entry in entries(error) if is_users_converted_code(entry.tb_frame.f_code)]
    if not found:
        return refusal
    return error_at_entry(
        StagingError, refusal.message, found[-1], variable=refusal.variable, hint=refusal.hint
    )


def entries(error: BaseException) -> Iterator[TracebackType]:
    entry = error.__traceback__
    while entry is not None:
        yield entry
        entry = entry.tb_next


def location_of(
    error: BaseException, base: FrameType | None = None, outside_library: bool = False
) -> Location | None:
    """The user's line at which Python raised ``error``, where it has been raised; with ``base``, the frame
    from which the trace runs, also those of the calls that led there.

    ``outside_library``: the line that called a function of Python's library which runs converted.
    """
    found = None
    raised: dict[FrameType, int] = {}
    for entry in entries(error):
        code = entry.tb_frame.f_code
        raised[entry.tb_frame] = entry.tb_lasti
        if is_users_converted_code(code) and not (outside_library and is_standard_library(code.co_filename)):
            found = entry
    if found is None:
        return None
    place = location_in(found.tb_frame.f_code, found.tb_lasti)
    caller = None if base is None else callers(found.tb_frame, base, raised)
    return place if caller is None else replace(place, caller=caller)


_OURS = ("runtime", "autograph", "numpy")


def check_library_tries(base: FrameType | None) -> None:
    """Refuse what a run may raise inside a `try` of a library, which is Python's and over by then.

    ``base``: the frame from which the trace runs; what called that is around the run, too.
    """
    frame: FrameType | None = sys._getframe(2)
    leaves_ours = False  # is this the end of a `with` of ours?
    while frame is not None and frame is not base:
        module = frame.f_globals.get("__name__", "")
        code = frame.f_code
        is_ours = module.partition(".")[0] in _OURS
        if not is_ours:
            if not is_excluded(module) or is_converted_code(code):
                return
            is_generator = code.co_flags & CO_GENERATOR
            if code.co_exceptiontable and not is_generator and not (leaves_ours and module == "contextlib"):
                raise refuse(
                    f"what is raised here at run time would pass the `try` of `{code.co_qualname}`, "
                    f"which is of {module} and no part of the graph",
                    "use a list or a dict, or test for it before",
                )
        leaves_ours = is_ours and bool(code.co_flags & CO_GENERATOR)
        frame = frame.f_back
