"""Which code objects autograph has emitted: a table that forgets a code object when it dies.

Code objects compare and hash by content, so that two equal lambdas would be one entry of a `WeakSet`;
here they are told apart by identity.

>>> is_converted_code(compile("1", "a.py", "eval"))
False
"""

from __future__ import annotations

import builtins
import enum
import weakref
from collections.abc import Iterable
from types import CodeType, FrameType, FunctionType
from typing import Any


class Role(enum.Enum):
    """What an emitted code object is."""

    FUNCTION = "a function, lambda or class of the user's"
    HIDING = "a function that takes our frames out of tracebacks that pass it"
    BODY = "a closure that holds a part of a function: the body of a loop, one side of an `or`"


_roles: dict[int, tuple[Role, weakref.ref[CodeType], frozenset[str]]] = {}

#: what a stage may ask to see (`Stage.marks`); by name also "truth": of tests that stay Python's
MARKS = frozenset({"compare", "arithmetic", "items", "containers", "attributes", "variables"})
NO_MARKS: frozenset[str] = frozenset()


def marks_of(marks: bool | Iterable[str]) -> frozenset[str]:
    """`Stage.marks` as a set of names: True stands for all of them, False for none.

    >>> marks_of({"compare"}), marks_of(False), marks_of(True) == MARKS
    (frozenset({'compare'}), frozenset(), True)
    """
    if marks is True:
        return MARKS
    return frozenset(marks) if marks else NO_MARKS


def register_converted_code(code: CodeType, role: Role, marks: frozenset[str] = NO_MARKS) -> None:
    """Remember `code` (not what is nested in it) as emitted by autograph, with these marks."""
    identity = id(code)
    # The default argument keeps the table alive for as long as a callback may run at shutdown.
    forget = weakref.ref(code, lambda _, i=identity, table=_roles: table.pop(i, None))  # type: ignore[misc]
    _roles[identity] = (role, forget, marks)


def is_converted_code(code: CodeType) -> bool:
    """Was this code object (a function's own, or one nested in it) emitted by autograph?"""
    return id(code) in _roles


def has_marks(code: CodeType, wanted: frozenset[str]) -> bool:
    """Does a stage see all of these in the code?"""
    known = _roles.get(id(code))
    return known is not None and wanted <= known[2]


def innermost_converted(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of code that autograph has emitted, from `frame` outwards; None where none is.

    Each operation of a trace asks for it, over hundreds of frames: no call for each.
    """
    roles = _roles
    while frame is not None and id(frame.f_code) not in roles:
        frame = frame.f_back
    return frame


def is_body(code: CodeType) -> bool:
    """Is this a closure that a pass made from a part of a function?"""
    known = _roles.get(id(code))
    return known is not None and known[0] is Role.BODY


def is_hiding(code: CodeType) -> bool:
    """Does a function of this code clean the tracebacks that pass it?"""
    known = _roles.get(id(code))
    return known is not None and known[0] is Role.HIDING


class ProgramGlobals(dict[str, Any]):
    """The globals of code that reads what the program reads: a stage may hide its own attributes from it."""


def _read(owner: Any, name: str) -> Any:
    return getattr(owner, name)


#: ``getattr(owner, name)`` for the program
read_as_program = FunctionType(_read.__code__, ProgramGlobals(__builtins__=builtins), "read_as_program")
