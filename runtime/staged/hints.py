"""What to write instead, where plain Python meets a staged value; for messages."""

from __future__ import annotations

import inspect
import sys

from autograph.errors import user_frame

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


def truth_hint() -> str:
    """Why a test is left to Python, as far as its function shows, and what to write."""
    frame = user_frame(sys._getframe(1))
    if frame is None or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # of a class body, say
        return "compute the value before, with np.where, np.logical_and or rt.cond"
    code = frame.f_code
    looking = sorted(_LOOKING_AT_VARIABLES.intersection(code.co_names))
    if looking:
        return (
            f"this function calls {looking[0]}(), so its statements stay as they are: "
            "move that call into a function of its own"
        )
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR | inspect.CO_COROUTINE):
        return (
            "a statement around a `yield` or `await` stays Python's: compute the value before, with np.where "
            "or an `if`, or in another function"
        )
    return (
        "use np.where, np.logical_and or rt.cond, or write the test as an `if` statement (a `return`, "
        "`break` or `continue` that leaves a `finally` keeps the statements around it Python's)"
    )
