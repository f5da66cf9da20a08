"""Blocks handed to a stage leave nothing in variables that are not its state.

A variable of the function that only lives on for the sake of what it holds (`analysis/lifetimes.py`) is no
state, so a stage would not set it back: what a branch that was traced, not run, has put there goes at its
end. That is so in converted code only: functions that were written by hand, of a stage say, may bind
what they like.

>>> def f():
...     found = None
...     def then_body():
...         nonlocal found
...         found = "bound by hand"
...     leaving_nothing(then_body, ())()
...     return found
>>> print(f())
bound by hand
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.by_code import once_per_code
from autograph.converted_code import is_converted_code

_EMPTY = object()


def leaving_nothing(block: Any, names: tuple[str, ...], code_of: Any = None) -> Any:
    """The block, followed by a reset of the variables around it that it binds and that are not in `names`.

    `code_of`: the closure that says so, where the block is a function that calls it.
    """
    cells = list(_cells(block if code_of is None else code_of, names))
    if not cells:
        return block

    def run(*item: Any) -> Any:
        before = [_contents(cell) for cell in cells]
        try:
            return block(*item)
        finally:
            for cell, contents in zip(cells, before, strict=True):
                _restore(cell, contents)

    return run


def _cells(block: Any, names: tuple[str, ...]) -> Iterator[CellType]:
    if isinstance(block, FunctionType) and block.__closure__ and is_converted_code(block.__code__):
        stored = _stored_names(block.__code__)
        for name, cell in zip(block.__code__.co_freevars, block.__closure__, strict=True):
            if name in stored and name not in names:
                yield cell


@once_per_code
def _stored_names(code: CodeType) -> frozenset[str]:
    """The variables of functions around that a block binds, or a function in it.

    (What functions of the user's bind is in the state of the statement around them.)
    """
    found = {i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_DEREF", "DELETE_DEREF")}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= _stored_names(inner)
    return frozenset(found).intersection(code.co_freevars)


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _restore(cell: CellType, contents: Any) -> None:
    if contents is not _EMPTY:
        cell.cell_contents = contents
    elif _contents(cell) is not _EMPTY:
        del cell.cell_contents
