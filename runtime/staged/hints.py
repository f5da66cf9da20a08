"""What to write instead, where plain Python meets a staged value; for messages."""

from __future__ import annotations

import inspect
import sys
from dis import opname
from types import FrameType

from autograph.errors import user_frame
from autograph.refused import ATTRIBUTES

VALUE_HINT = (
    "write it with operators and functions of NumPy or math, or pass the number as a plain Python argument"
)
TEXT_HINT = "use an f-string or print, which keep the value until it is known"

#: of a `return`, `break` or `continue` in a `finally`, which keeps the statements around it Python's
JUMP_HINT = (
    "a `return`, `break` or `continue` that leaves a `finally` keeps the statements around it Python's: "
    "set a variable there, and jump behind the `try`, after an `except` for what the jump would swallow"
)
#: calls for which all statements of a function stay Python's
_LOOKING_AT_VARIABLES = frozenset({"locals", "vars", "dir", "eval", "exec"})
_GIVING_FRAMES = frozenset({"_getframe", "currentframe", "stack"})


def attribute_hint(name: str) -> str:
    """What to do without an attribute of an array."""
    return ATTRIBUTES.get(name, "write it with functions of NumPy, or do this outside the decorated function")


def truth_hint() -> str:
    """Why a test is left to Python, as far as its function shows, and what to write."""
    frame = user_frame(sys._getframe(1))
    code = frame.f_code if frame is not None else None
    if frame is None or code is None:
        return "use np.where or np.logical_and, or rt.cond"
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return (
            "the statements of a class body stay Python's: compute the value before the `class` statement, "
            "and write `name = value` in its body"
        )
    looking = sorted(_LOOKING_AT_VARIABLES.intersection(code.co_names))
    if looking:
        return (
            f"this function calls {looking[0]}(), so its statements stay as they are: "
            "move that call into a function of its own"
        )
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
        return (
            "a statement around a `yield` stays Python's: compute the value before, with np.where or an `if`"
        )
    if code.co_flags & inspect.CO_COROUTINE:
        return "a statement around an `await` stays Python's: compute in a function that is not async"
    if is_test_of_statement(frame) and not _GIVING_FRAMES.intersection(code.co_names):  # a jump has kept it
        return JUMP_HINT
    return "use np.where, np.logical_and or rt.cond, or write the test as an `if` statement"


def is_test_of_statement(frame: FrameType) -> bool:
    """Does an `if` or `while` of the frame ask for a truth now, and no function that it calls?"""
    asks = opname[frame.f_code.co_code[frame.f_lasti]]
    return "JUMP" in asks or asks == "TO_BOOL"
