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

from autograph.config import is_excluded
from runtime.callees import own_texts
from runtime.guards.paths import Attribute, Cell, Global, Item, Path
from runtime.objects.function_objects import functions_in
from runtime.objects.watched_classes import HEAP_TYPE, class_attribute, namespace_of
from runtime.ops.instances import attributes, has_dict, is_user_instance

if TYPE_CHECKING:
    from autograph.errors import StagingError
    from runtime.tracer.trace import Trace

#: so many things are looked at
_MAX_PARTS = 2000
_WITHOUT_PARTS = (bool, int, float, complex, str, bytes, type(None), types.ModuleType, np.ndarray, np.generic)
_OWN = ("runtime", "autograph")


def is_library_code(module: str) -> bool:
    """Is it of a package that is not converted, or of our own?"""
    return is_excluded(module) or module.partition(".")[0] in _OWN


def users_function(held: Any) -> types.FunctionType | None:
    """The Python function of the user's behind an entry of a class, or behind a method."""
    for function in functions_in(held):
        function = getattr(function, "__runtime_inline__", None) or function
        if not is_library_code(function.__globals__.get("__name__") or ""):
            return function
    return None


def require_tuple_read_unseen(trace: Trace, cls: type) -> None:
    """Refuse a class of tuples whose methods act that Python and our own code call, where no hook sees it."""
    for name in dir(cls) if issubclass(cls, tuple) else ():
        method = users_function(class_attribute(cls, name)) if name in _OF_TUPLES else None
        if method is not None and own_texts.acts(method, cls):
            raise trace.refuse(
                f"a {cls.__name__} is a tuple with methods that change something, and is read unseen",
                f"make it an object that holds a tuple: `{name}` is such a method",
            )


#: what no hook is put on in a class of tuples
_OF_TUPLES = frozenset(
    f"__{name}__"
    for name in (
        "getitem iter len contains eq ne hash bool str repr format getattr getattribute setattr delattr "
        "copy deepcopy reduce reduce_ex getstate"
    ).split()
)


def users_methods(cls: type) -> Iterator[types.FunctionType]:
    """The methods of a class that are written in Python, by the user."""
    for base in cls.__mro__:
        if base.__flags__ & HEAP_TYPE and not is_library_code(base.__module__):
            for held in namespace_of(base).values():
                function = users_function(held)
                if function is not None:
                    yield function


def acts_unseen(called: Any) -> bool:
    """Is this a function of the user's, or an object of a class of the user's, that may change something?"""
    if isinstance(called, types.BuiltinMethodType):
        return isinstance(called.__self__, list | dict | set)  # the `append` of a list, say
    function = users_function(called)
    if function is not None:
        return own_texts.acts(function, type(getattr(called, "__self__", None)))
    cls = type(called)
    if not cls.__flags__ & HEAP_TYPE or all(is_library_code(base.__module__) for base in cls.__mro__):
        return False
    return any(own_texts.acts(method, cls) for method in users_methods(cls))


class ActingCode:
    """What one trace leaves to its runs that may change what it knows."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._noted: list[tuple[StagingError, list[Any]]] = []

    def note(self, what: str, called: Iterable[Any]) -> None:
        """An effect that calls these functions, or methods of these objects, has been recorded just now."""
        acting = [one for one in called if acts_unseen(one)]
        if acting:
            refusal = self.trace.refuse(
                f"{what} calls code of yours in each run that may change what this function reads",
                "keep what that code changes out of the decorated function: read it after the call, outside",
            )
            self._noted.append((refusal, acting))

    def check(self) -> None:
        """The trace is complete. Raises StagingError where it has read what such code may change."""
        for refusal, acting in self._noted:
            if self._meets(_Reached(acting)):
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
            return self._reached_by(one) if users_function(one) is not None else ()
        if isinstance(one, types.BuiltinMethodType):
            return (one.__self__,)
        if isinstance(one, dict):
            return one.values()
        if isinstance(one, list | tuple | set | frozenset):
            return one
        if isinstance(one, type):
            self.classes.add(one)
            return users_methods(one)
        self.classes.add(type(one))
        held = attributes(one) if is_user_instance(one) else vars(one) if has_dict(one) else {}
        return [*users_methods(type(one)), *held.values()]

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
