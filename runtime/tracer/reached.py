"""The functions that a block can reach by its closure: in closures, lists, tuples, dicts and objects."""

from __future__ import annotations

import types
from collections.abc import Container, Iterable, Iterator
from typing import Any

import numpy as np

from runtime.ops.instances import attributes, is_user_instance
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice

#: so many things are looked at, the nearest first: it is done for each block
MAX_PARTS = 300
_WITHOUT_PARTS = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type,
    np.ndarray,
    np.generic,
    Staged,
)


def functions_reached(block: Any, known: Container[Any]) -> Iterator[types.FunctionType]:
    """The block itself where it is a function, and those it reaches, but not through the known ones."""
    pending, seen = [block], {id(block)}
    for reached in pending:  # grows meanwhile
        if isinstance(reached, types.FunctionType):
            if reached is not block and reached in known:
                continue
            yield reached
        for part in _parts(reached):
            if (
                id(part) not in seen
                and len(pending) < MAX_PARTS
                and not issubclass(type(part), _WITHOUT_PARTS)
            ):
                seen.add(id(part))
                pending.append(part)


def _parts(held: Any) -> Iterable[Any]:
    if isinstance(held, types.FunctionType | types.MethodType):
        return _contents(held.__closure__ or ())
    if type(held) in (list, tuple):
        return held
    if type(held) is dict:
        return held.values()
    if isinstance(held, Choice):
        return held.values
    if not is_user_instance(held):
        return ()
    values = attributes(held).values()
    if type(held).__module__.partition(".")[0] in ("runtime", "autograph"):  # ours: not all that it knows
        return [value for value in values if isinstance(value, types.FunctionType)]
    return values


def _contents(cells: tuple[types.CellType, ...]) -> Iterator[Any]:
    for cell in cells:
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue
