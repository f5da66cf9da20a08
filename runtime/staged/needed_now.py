"""What plain Python asks of a number or an array and only a run knows: its truth, value, hash and text."""

from __future__ import annotations

import inspect
import sys
from typing import Any, NoReturn

import numpy as np

from autograph.errors import user_frame
from runtime.staged import operands
from runtime.staged.objects import refuse_methods, text_about
from runtime.tracer.builder import Staged, refuse
from runtime.types import ArrayType

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


class StagedData(Staged):
    """A number or an array of the graph: what both refuse, and how NumPy asks for them."""

    __slots__ = ()
    boxed = False

    def __bool__(self) -> bool:
        raise refuse(
            f"Python asks for the truth of a staged {self.type} here, which is known only at run time",
            truth_hint(),
        )

    def unknown(self, what: str) -> Exception:
        """What to raise where Python asks for the value or the text."""
        words = f"Python needs the {what} of a staged {self.type} here, which is known only at run time"
        return refuse(words, TEXT_HINT if what == "text" else VALUE_HINT)

    def __hash__(self) -> int:
        if self.builder.in_vain:
            return 0
        raise refuse(
            f"the hash of a staged {self.type} is known only at run time",
            "use an array in place of a dict or set, or a plain Python number as the key",
        )

    def __repr__(self) -> str:
        return text_about(self, f"<a staged {'Tensor ' if self.boxed else ''}{self.type}>")

    def __copy__(self) -> Any:
        return operands.apply("copy", [self]) if isinstance(self.type, ArrayType) else self

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise refuse("a staged value cannot be pickled", "return the value, and pickle the result")

    def __array__(self, /, *args: Any, **kwargs: Any) -> NoReturn:
        raise refuse(
            f"code that cannot be staged asks for the contents of a staged {self.type}",
            "call a NumPy function that the runtime stages, or keep this code out of the decorated function",
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
        # an array of no dimensions is one that NumPy made of a scalar: `scalar < x`
        given = tuple([x[()] if type(x) is np.ndarray and not x.ndim else x for x in inputs])
        return self.builder.numpy.ufunc(ufunc, method, given, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.builder.numpy.function(function, args, kwargs)


refuse_methods(
    StagedData, {"int": "value", "float": "value", "complex": "value", "str": "text", "format": "text"}
)
