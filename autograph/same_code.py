"""Do two code objects run the same program? Used to tell that a file was edited after import.

>>> first, again = (compile("f(1.0) + 2", "a.py", "eval") for _ in range(2))
>>> same_code(first, again), same_code(first, compile("f(1) + 2", "a.py", "eval"))
(True, False)
"""

from __future__ import annotations
import __future__

from types import CodeType
from typing import Any

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
