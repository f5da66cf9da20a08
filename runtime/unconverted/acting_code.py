"""Code of the user's that a run calls unseen: a log's handler, `warnings.showwarning`, a stream's `write`.

    log.info("step")        # a run calls Handler.emit, which appends to a list
    return len(lines)       # the trace knows what it held before

What such code may store is looked for once the trace is complete: where the trace has read any of it, the
program is refused. Code of libraries (`autograph.config.is_excluded`) counts as not acting on the program's
state.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.guards.paths import Attribute, Cell, Global, Item, Path
from runtime.objects.acting import acts_unseen, users_function, users_methods
from runtime.ops.instances import attributes, has_dict, is_user_instance
from runtime.tracer.cells import contents_of

if TYPE_CHECKING:
    from autograph.errors import StagingError
    from runtime.tracer.trace import Trace

#: so many things are looked at
_MAX_PARTS = 2000
_WITHOUT_PARTS = (bool, int, float, complex, str, bytes, type(None), types.ModuleType, np.ndarray, np.generic)


class ActingCode:
    """What one trace leaves to its runs that may change what it knows."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._noted: list[tuple[StagingError, list[Any]]] = []

    def note(self, what: str, called: Iterable[Any]) -> bool:
        """An effect that calls these functions, or methods of these objects, is recorded; may they act?"""
        found = [one for one in called if acts_unseen(one)]
        if found:
            refusal = self.trace.refuse(
                f"{what} calls code of yours in each run that may change what this function reads",
                "keep what that code changes out of the decorated function: read it after the call, outside",
            )
            self._noted.append((refusal, found))
        return bool(found)

    def check(self) -> None:
        """The trace is complete. Raises StagingError where it has read what such code may change."""
        for refusal, called in self._noted:
            if self._meets(called):
                raise refusal

    def _meets(self, called: list[Any]) -> bool:
        outside = self.trace.outside
        objects, variables = _reached(called)
        for one in objects:
            if isinstance(one, type) and one in outside.classes.held:
                return True
            if outside.is_outside(one):
                return True
        read = {_root(guard.path) for guard in outside.guards} | {_root(one.path) for one in outside.inputs}
        return bool(read & variables)


def _root(path: Path) -> Path:
    while isinstance(path, Attribute | Item):
        path = path.base
    return path


def _reached(called: list[Any]) -> tuple[list[Any], set[Path]]:
    """The objects and classes, and the variables, that some code, and what it calls, may store into."""
    objects, variables = dict[int, Any](), set[Path]()
    pending = list(called)
    for one in pending:  # grows meanwhile
        if len(objects) < _MAX_PARTS and id(one) not in objects and not isinstance(one, _WITHOUT_PARTS):
            objects[id(one)] = one
            if isinstance(one, types.FunctionType):
                pending += _reached_by(one, variables) if users_function(one) is not None else ()
            else:
                pending += _parts(one)
    return list(objects.values()), variables


def _parts(one: Any) -> Iterable[Any]:
    if isinstance(one, types.MethodType):
        return (one.__func__, one.__self__)
    if isinstance(one, types.BuiltinMethodType):
        return (one.__self__,)
    if isinstance(one, dict):
        return one.values()
    if isinstance(one, list | tuple | set | frozenset):
        return one
    if isinstance(one, type):
        return users_methods(one)
    held = attributes(one) if is_user_instance(one) else vars(one) if has_dict(one) else {}
    return [type(one), *held.values()]


def _reached_by(function: types.FunctionType, variables: set[Path]) -> list[Any]:
    """What a function mentions; ``variables``: to which those are added that it stores to."""
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    parts = [*(function.__defaults__ or ())]
    parts += list(map(contents_of, closure.values()))
    for code in _codes(function.__code__):
        parts += [function.__globals__[name] for name in code.co_names if name in function.__globals__]
        for instruction in dis.get_instructions(code):
            name = instruction.argval
            if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                variables.add(Global(function.__globals__, name))
            elif instruction.opname == "STORE_DEREF" and name in closure:
                variables.add(Cell(closure[name], name))
    return parts


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)
