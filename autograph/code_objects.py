"""What is found out about code objects: which of them autograph has emitted, and whether two do the same.

Code objects hash and compare by content: the hash takes as long as the code is, and to compare two equal ones
takes twice as long with each function in a function (CPython compares the constants, and then their keys).
Converted code nests deeply, and a function that is defined once more, such as in a notebook's cell, is equal
to what it was; two equal lambdas would be one entry of a `WeakSet`. So tables and caches go by identity, and
forget a code object when it dies.

>>> is_converted_code(compile("1", "a.py", "eval"))
False
>>> first, again = (compile("f(1.0) + 2", "a.py", "eval") for _ in range(2))
>>> same_code(first, again), same_code(first, compile("f(1) + 2", "a.py", "eval"))
(True, False)
"""

from __future__ import annotations
import __future__

import builtins
import enum
import functools
import weakref
from collections.abc import Callable, Iterable
from types import CodeType, FrameType, FunctionType
from typing import Any, Concatenate, ParamSpec, TypeVar


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


P = ParamSpec("P")
R = TypeVar("R")


def once_per_code(function: Callable[Concatenate[CodeType, P], R]) -> Callable[Concatenate[CodeType, P], R]:
    """Call `function` once for each code object, and for what else it is given.

    >>> @once_per_code
    ... def names(code):
    ...     print("looking at", code.co_filename)
    ...     return code.co_names
    >>> one, other = compile("a", "a.py", "eval"), compile("a", "b.py", "eval")
    >>> names(one), names(one), names(other)
    looking at a.py
    looking at b.py
    (('a',), ('a',), ('a',))
    """
    known: dict[int, tuple[dict[Any, R], weakref.ref[CodeType]]] = {}

    @functools.wraps(function)
    def found(code: CodeType, /, *args: P.args, **kwargs: P.kwargs) -> R:
        entry = known.get(id(code))
        if entry is None:
            identity, pop = id(code), known.pop  # there still when the program ends
            entry = known[identity] = ({}, weakref.ref(code, lambda _: pop(identity, None)))
        results = entry[0]
        key = (args, tuple(kwargs.items())) if kwargs else args
        if key not in results:
            results[key] = function(code, *args, **kwargs)
        return results[key]

    return found


_FUTURE_MASK = 0
for _name in __future__.all_feature_names:
    _FUTURE_MASK |= getattr(__future__, _name).compiler_flag
_OPTIMIZED = 0x1  # CO_OPTIMIZED: set for functions, not for class bodies
_NESTED = 0x10  # CO_NESTED: says where the function stood, not what it does


def future_flags(code: CodeType) -> int:
    """The `from __future__` flags under which `code` was compiled, as compile() takes them."""
    return code.co_flags & _FUTURE_MASK


def same_code(a: CodeType, b: CodeType, loosely: bool = False) -> bool:
    """Same instructions, constants, names and lines; `loosely`: same signature and first line only."""
    if (
        a.co_name != b.co_name
        or a.co_firstlineno != b.co_firstlineno
        or _signature(a) != _signature(b)
        or (a.co_flags ^ b.co_flags) & ~_NESTED
    ):
        return False
    if loosely:
        return True
    return (
        a.co_code == b.co_code
        and a.co_names == b.co_names
        and a.co_varnames == b.co_varnames
        and a.co_cellvars == b.co_cellvars
        and a.co_freevars == b.co_freevars
        and list(a.co_lines()) == list(b.co_lines())
        and same_constant(_constants(a), _constants(b))
    )


def _constants(code: CodeType) -> tuple[Any, ...]:
    """The constants but for the qualified name that a class body holds: it says where the class stood."""
    if code.co_flags & _OPTIMIZED:
        return code.co_consts
    name = code.co_qualname
    return tuple(None if type(c) is str and c == name else c for c in code.co_consts)


def _signature(code: CodeType) -> tuple[Any, ...]:
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    return *counts, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def same_constant(a: Any, b: Any) -> bool:
    """Equality that tells 1 from True and 1.0, and 0.0 from -0.0.

    >>> same_constant((1, 0.0), (1, 0.0)), same_constant((1,), (True,)), same_constant(0.0, -0.0)
    (True, False, False)
    """
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_constant, a, b))
    if isinstance(a, CodeType):
        return same_code(a, b)
    if isinstance(a, frozenset):
        return sorted(map(repr, a)) == sorted(map(repr, b))
    if isinstance(a, (float, complex)):
        return repr(a) == repr(b)
    return bool(a == b)


def is_rewritten(code: CodeType) -> bool:
    """Was the tree changed at import by pytest, which rewrites `assert`? Its names begin with `@py`."""
    names = code.co_names + code.co_varnames + code.co_cellvars + code.co_freevars
    if any(name.startswith("@py") for name in names):
        return True
    return any(isinstance(constant, CodeType) and is_rewritten(constant) for constant in code.co_consts)


def span_of(code: CodeType) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where the instructions stand, from and to (line, column in bytes); None when columns are not kept.

    >>> span_of(eval("lambda x: x + 1").__code__)
    ((1, 10), (1, 15))
    """
    starts, ends = [], []
    for line, end_line, column, end_column in code.co_positions():
        # The prologue, and on Python 3.11 the return, have a place without extent.
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if (line, column) != (end_line, end_column):
            starts.append((line, column))
            ends.append((end_line, end_column))
    return (min(starts), max(ends)) if starts else None
