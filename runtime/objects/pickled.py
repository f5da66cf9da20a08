"""Decorated functions in pickles that are read by another process.

Python's own pickles name a function. cloudpickle, and with it joblib and Dask, sends those of ``__main__`` as
they are, for the other process has another ``__main__``; then the texts that a trace of them reads go along.
"""

from __future__ import annotations

import inspect
import os
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from autograph import register_source
from autograph.source import read_lines

#: for each function, by its name and first line, its file and the text of that
Texts: TypeAlias = dict[tuple[str, int], tuple[str, str]]


def texts_for(asking: types.FrameType, function: Any) -> Texts:
    """What goes along with a function where the pickler sends it as it is; nothing where it sends its name.

    ``asking``: the frame that called the pickler.
    """
    found = [*_reached_from(function, set())]
    override = getattr(asking.f_locals.get("self"), "reducer_override", None)
    if not found or override is None or override(found[0]) is NotImplemented:
        return {}
    known: dict[str, str] = {}
    for f in found:
        file = f.__code__.co_filename
        known[file] = known.get(file) or "".join(read_lines(file, f.__globals__, f.__code__))
    return {_place(f): (f.__code__.co_filename, known[f.__code__.co_filename]) for f in found}


def _place(function: types.FunctionType) -> tuple[str, int]:
    return function.__qualname__, function.__code__.co_firstlineno


def arrived(texts: Texts, make: Callable[..., Any], *args: Any) -> Any:
    """What ``make`` decorates, in a process that may not have the files.

    cloudpickle leaves the names of the files out.
    """
    for found in _reached_from(args[0], set()):
        file, text = texts.get(_place(found), ("", ""))
        if text and not os.path.exists(file):
            register_source(text, file)
        if file:
            found.__code__ = _in_file(found.__code__, file)
    return make(*args)


def _in_file(code: types.CodeType, file: str) -> types.CodeType:
    constants = [_in_file(c, file) if isinstance(c, types.CodeType) else c for c in code.co_consts]
    return code.replace(co_filename=file, co_consts=tuple(constants))


def _reached_from(held: Any, seen: set[int]) -> Iterator[types.FunctionType]:
    """The functions that come with an object and that have no name in another process."""
    if id(held) in seen:
        return
    seen.add(id(held))
    parts: list[Any] = [type(held), *[getattr(held, k) for k in _INSIDE if hasattr(type(held), k)]]
    if isinstance(held, types.FunctionType | type):
        if held.__module__ != "__main__" and "<locals>" not in held.__qualname__:
            return
        parts = [*vars(held).values()]
    if isinstance(held, types.FunctionType):
        yield held
        parts = [held.__globals__.get(name) for name in _names_in(held.__code__)]
        parts += inspect.getclosurevars(held).nonlocals.values()
    for part in parts:
        yield from _reached_from(part, seen)


#: where methods, properties, partials and decorated functions have their functions
_INSIDE = ("__func__", "fget", "func", "python_function")


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)
