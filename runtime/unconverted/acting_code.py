"""Code of the user's that a run calls unseen: a log's handler, `warnings.showwarning`, a stream's `write`.

    log.info("step")        # a run calls Handler.emit, which appends to a list
    return len(lines)       # the trace knows what it held before

What such code may store is looked for once the trace is complete: where the trace has read any of it, the
program is refused. Code of libraries (`autograph.config.is_excluded`) counts as not acting on the program's
state.
"""

from __future__ import annotations

import builtins
import dis
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.guards.paths import Attribute, Cell, Global, Item, Path
from runtime.objects import acting
from runtime.ops.instances import attributes, class_attribute, has_dict, is_user_instance

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
        found = [one for one in called if acting.acts_unseen(one)]
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
            if self._meets(_Reached(called)):
                raise refusal

    def _meets(self, reached: _Reached) -> bool:
        outside = self.trace.outside
        if any(
            (outside.is_outside(one) or outside.is_local(one)) and not isinstance(one, types.ModuleType)
            for one in reached.objects.values()
        ):
            return True
        if any(cls in outside.classes.held and reached.stores_into(cls) for cls in reached.classes):
            return True
        read = {_root(guard.path) for guard in outside.guards} | {_root(one.path) for one in outside.inputs}
        return bool(read & reached.variables)


def _root(path: Path) -> Path:
    while isinstance(path, Attribute | Item):
        path = path.base
    return path


class _Reached:
    """The objects, classes and variables that some code, and what it calls, may store into."""

    def __init__(self, acting: list[Any]) -> None:
        self.objects: dict[int, Any] = {}
        self.classes: set[type] = set()
        self.variables: set[Path] = set()
        self.stored: set[str] = set()  # the names of attributes
        pending = list(acting)
        for one in pending:  # grows meanwhile
            if len(self.objects) >= _MAX_PARTS:
                return
            if id(one) not in self.objects and not isinstance(one, _WITHOUT_PARTS):
                self.objects[id(one)] = one
                pending += self._parts(one)

    def stores_into(self, cls: type) -> bool:
        """May an attribute of the class be stored?"""
        return any(class_attribute(cls, name) is not None for name in self.stored)

    def _parts(self, one: Any) -> Iterable[Any]:
        if isinstance(one, types.MethodType):
            return (one.__func__, one.__self__)
        if isinstance(one, types.FunctionType):
            return self._reached_by(one) if acting.users_function(one) is not None else ()
        if isinstance(one, types.BuiltinMethodType):
            return (one.__self__,)
        if isinstance(one, dict):
            return one.values()
        if isinstance(one, list | tuple | set | frozenset):
            return one
        if isinstance(one, type):
            self.classes.add(one)
            return acting.users_methods(one)
        self.classes.add(type(one))
        held = attributes(one) if is_user_instance(one) else vars(one) if has_dict(one) else {}
        return [*acting.users_methods(type(one)), *held.values()]

    def _reached_by(self, function: types.FunctionType) -> list[Any]:
        parts: list[Any] = [*(function.__defaults__ or ())]
        for code in _codes(function.__code__):
            for instruction in dis.get_instructions(code):
                if instruction.opname in ("STORE_ATTR", "DELETE_ATTR"):
                    self.stored.add(instruction.argval)
                elif instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                    self.variables.add(Global(function.__globals__, instruction.argval))
            parts += [function.__globals__[name] for name in code.co_names if name in function.__globals__]
        stored = {i.argval for c in _codes(function.__code__) for i in dis.get_instructions(c)
                  if i.opname == "STORE_DEREF"}  # fmt: skip
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name in stored:
                self.variables.add(Cell(cell, name))
            if cell != types.CellType():
                parts.append(cell.cell_contents)
        return [part for part in parts if not (isinstance(part, type) and part in vars(builtins).values())]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)
