"""Faults of our own while a function is traced: they must not pass for exceptions of the user's program.

What Python code raises while it is traced becomes a `raise` of the graph, since that is what the user's
program does there. A fault inside this package would hide behind that: an `except AttributeError` of the
user would catch it. The traceback tells them apart. Its innermost frame is ours for both a fault and an
exception that we raise in the user's name; but the latter comes from a `raise` statement, or from a
builtin that was called for the user, and a fault from an attribute, a name or a key that was not there.

So in our packages an exception in the user's name is raised by a `raise` statement, or by a builtin called
for the user (`operator.getitem(container, key)`, not `container[key]`).

>>> try:
...     None.shape
... except AttributeError as error:
...     is_fault(error)  # the user's code asked for it
False
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from opcode import opname
from types import TracebackType
from typing import TypeVar

import autograph
from autograph.errors import (
    AutographError,
    InternalError,
    StagingError,
    error_at_frame,
    is_internal_code,
    place,
)
from runtime.graph import Location
from runtime.tracer.callers import entries, location_of

_Error = TypeVar("_Error", InternalError, StagingError)
_RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = (_RUNTIME + os.sep, os.path.dirname(os.path.abspath(autograph.__file__ or "")) + os.sep)

#: instructions that do no work of the user's: what each raises in our own frames is a fault
_FAULTS: dict[str, tuple[type[Exception], ...]] = {
    "LOAD_ATTR": (AttributeError,),
    "LOAD_METHOD": (AttributeError,),
    "STORE_ATTR": (AttributeError,),
    "LOAD_SUPER_ATTR": (AttributeError,),
    "LOAD_GLOBAL": (NameError,),
    "LOAD_NAME": (NameError,),
    "LOAD_FAST": (UnboundLocalError,),
    "LOAD_FAST_CHECK": (UnboundLocalError,),
    "LOAD_DEREF": (NameError,),
    "IMPORT_NAME": (ImportError,),
    "IMPORT_FROM": (ImportError,),
    "UNPACK_SEQUENCE": (TypeError, ValueError),
    "UNPACK_EX": (TypeError, ValueError),
    "BINARY_SUBSCR": (KeyError, IndexError),
}


def is_fault(error: BaseException) -> bool:
    """Did our own code raise this exception, without meaning to?"""
    step = _innermost(error)
    if step is None:
        return False
    code = step.tb_frame.f_code
    if not code.co_filename.startswith(_OURS) or not is_internal_code(code):
        return False
    if isinstance(error, AssertionError):
        return code.co_name != "assert_stmt"  # which is the user's `assert`
    return isinstance(error, _FAULTS.get(opname[code.co_code[step.tb_lasti]], ()))


def _innermost(error: BaseException) -> TracebackType | None:
    return None if error.__traceback__ is None else [*entries(error)][-1]


def _placed(made: _Error, location: Location | None) -> _Error:
    """The error, at the user's line; where the exception came by none, at the one that is being traced."""
    if location is None or not location.line:
        return error_at_frame(type(made), made.message, hint=made.hint)
    made.line = location.line
    return place(made, location.file)


def internal_error(error: BaseException, location: Location | None) -> InternalError:
    """The error to raise for a fault, at the user's line that was being traced."""
    step = _innermost(error)
    where = ""
    if step is not None:
        code = step.tb_frame.f_code
        package = os.path.dirname(_RUNTIME)
        where = f" ({os.path.relpath(code.co_filename, package)}, line {step.tb_lineno}, in {code.co_name})"
    made = InternalError(
        f"internal error while this line was traced: {type(error).__name__}: {error}{where}",
        hint="this is a fault of autograph-runtime, not of your program: please report it with this line; "
        "until it is repaired, write the line in another way or leave the function undecorated",
    )
    return _placed(made, location)


def nested_too_deep(location: Location | None) -> StagingError:
    """The error for calls, or lists, that lie within each other until there is no room."""
    made = StagingError(
        f"calls or lists lie within each other here, deeper than the {sys.getrecursionlimit()} frames that "
        "Python has for a trace",
        hint="write it as a loop, make the number that ends the recursion an argument of the decorated "
        "function, or give Python more frames with sys.setrecursionlimit; make the nodes of a tree objects",
    )
    return _placed(made, location)


def unrefused(error: BaseException) -> BaseException:
    """An exception of the user's program. Raises the refusal instead where one lies behind it: NumPy, for
    example, turns what ``__float__`` raises into a ValueError. A fault of ours is raised as such."""
    if isinstance(error, RecursionError):
        raise nested_too_deep(location_of(error, outside_library=True)) from None
    if is_fault(error):
        raise internal_error(error, location_of(error, outside_library=True)) from error
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, StagingError | InternalError):
            raise cause
        cause = cause.__cause__ or cause.__context__
    return error


@contextmanager
def no_fault_of_the_program() -> Iterator[None]:
    """Around what looks at a finished graph: whatever it raises is a fault of ours."""
    try:
        yield
    except (AutographError, RecursionError, MemoryError):
        raise
    except Exception as error:
        raise internal_error(error, None) from error
