"""Attributes of classes and functions: plain values that a trace guards, and that a function may change.

No hook sees a store to a class. So for the time of a trace the class itself holds the trace's values, what it
holds is compared with what is known before each operation that could be observed, and a store becomes an
operation of the graph. Where other threads run, who could see these values, a store is refused.
"""

from __future__ import annotations

import functools
import threading
import types
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import StagingError
from autograph.operators import Undefined
from autograph.records import record
from runtime.containers.sites import KINDS
from runtime.guards.keys import text_of_key
from runtime.guards.paths import Attribute, Constant, Guard, Path, equals_number, is_identical
from runtime.objects.as_it_is import AsItIs, may_change
from runtime.objects.class_methods import Methods, methods_of
from runtime.objects.reached import functions_reached
from runtime.objects.unreadable import Unreadable
from runtime.tracer.slots import Slot
from runtime.tracer.spec import Choice
from runtime.tracer.trace_globals import made_in_trace

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

_MISSING = object()
#: longer lists and dicts stay what they are: each item would be a guard
MAX_ITEMS = 100
#: known by what they are
_UNCHANGING = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    np.dtype,
    np.generic,
    type(None),
    type(Ellipsis),
)


class ClassState:
    """What one trace knows of the attributes of the classes and functions that it reached."""

    def __init__(self, outside: Any) -> None:
        self.outside = outside
        self.held: dict[Any, dict[str, Any]] = {}  # what they held when they were reached
        self.known: dict[Any, dict[str, Any]] = {}  # what they hold in the trace
        self.seen: dict[Any, _Namespace] = {}  # where they were found to hold what is known
        self.shown: set[tuple[Any, str]] = set()  # inherited, where a derived class may have its own by now
        self.inside: set[Any] = set()  # of those, the ones that the trace made
        #: functions of the trace without attributes, by the blocks that met them; who holds them is counted
        self.bare: weakref.WeakKeyDictionary[types.FunctionType, Any] = weakref.WeakKeyDictionary()
        self.as_it_is = AsItIs(outside)
        self.methods = Methods(outside.trace)
        self.alone = threading.active_count() == 1
        self.under_way = 0  # classes that are being made just now

    def hold(self, owner: Any) -> None:
        """Guard the plain values that a class or a function holds, and remember them."""
        self.held[owner] = plain_values(owner)
        self.methods.reach(owner)
        self.known[owner] = {}
        for name, value in self.held[owner].items():
            self.known[owner][name] = self._enter(owner, name, value)
        inherited = {name for base in getattr(owner, "__mro__", (owner,))[1:] for name in plain_values(base)}
        own = vars(owner)
        self.guard_absent(owner, inherited - own.keys())
        for name in sorted(inherited & own.keys() - self.held[owner].keys()):  # a method hides a plain value
            self.outside.definitions.guard_descriptor(owner, name, own[name])

    def made(self, owner: Any) -> None:
        """The trace made this class, or this function that has attributes: nobody outside sees them."""
        if owner not in self.held:
            self.held[owner], self.known[owner] = plain_values(owner), plain_values(owner)
            self.methods.made(owner, methods_of(owner), self.methods.frame())
            self.inside.add(owner)

    def meet(self, block: Any) -> None:
        """Watch a function (or block) that has attributes, and those it can reach, which may get some."""
        for function in functions_reached(block, self.held):
            if not made_in_trace(function):
                continue
            if vars(function):
                self.made(function)
            elif function is not block:
                self.bare.setdefault(function, self.methods.frame())

    def guard_absent(self, owner: Any, names: set[str]) -> None:
        """Nothing of the owner's own hides what is inherited, or is missing."""
        if names:
            absent = frozenset(names)
            self.outside.guards.append(
                Guard(
                    Constant(owner, owner.__name__),
                    lambda s, n: f"{s}.__dict__.keys().isdisjoint({n.of(absent)})",
                    f"without {', '.join(sorted(names))} of its own",
                )
            )

    def _enter(self, owner: Any, name: str, value: Any) -> Any:
        """What stands for the value in the trace."""
        path = Attribute(Constant(owner, owner.__name__), name)
        decisions, elements = self.outside.trace.decisions, self.outside.trace.containers.elements
        if self.alone and (path in decisions.staged_paths or path in elements or _is_short(value)):
            standing = self._imported(value, path)
            if standing is not value:
                store(owner, name, standing)
                return standing
        elif may_change(value):
            self.as_it_is.enter(value, path, path)
        elif not isinstance(value, _UNCHANGING):
            standing = self._imported(value, path)
            if isinstance(standing, Unreadable):
                raise standing.refusal()
            if standing is not value:
                raise self.outside.trace.refuse(
                    f"`{path}` is a {type(value).__name__}, which other threads could change meanwhile",
                    "keep it in an object, or call the function once before the threads start",
                    name,
                )
        numeric = isinstance(value, bool | int | float | complex)
        condition = equals_number(value) if numeric else is_identical(value)
        self.outside.guards.append(Guard(path, condition, text_of_key(value)))
        return value

    def _imported(self, value: Any, path: Path) -> Any:
        try:
            return self.outside.import_value(value, path)
        except StagingError as error:  # who reads it is refused there
            words, hint = error.message, error.hint or ""
            return Unreadable(value, lambda: self.outside.trace.refuse(words, hint, str(path)))

    def poll(self, trace: Trace) -> None:
        """Find what Python code stored since the last time."""
        for function in [function for function in self.bare if function.__dict__]:
            self.held[function], self.known[function] = {}, {}
            self.methods.made(function, {}, self.bare.pop(function))
            self.inside.add(function)
        for owner, known in self.known.items():
            seen = self.seen.get(owner)
            if seen is not None and seen.is_that_of(owner):
                continue
            self.methods.poll(owner)
            now = plain_values(owner)
            if len(now) == len(known) and all(now.get(n, _MISSING) is v for n, v in known.items()):
                self.seen[owner] = _Namespace(owner, known)
                continue
            for name in sorted({*now, *known}):
                before, value = known.get(name, Undefined(name)), now.get(name, Undefined(name))
                if before is value or (isinstance(before, Undefined) and isinstance(value, Undefined)):
                    continue
                if not self.alone and owner not in self.inside:
                    raise self._refuse(trace, owner, name)
                if (owner, name) in self.shown:
                    raise trace.refuse(
                        f"`{owner.__name__}.{name}` is changed, which a derived class may have hidden",
                        "change the attribute of the derived class on all paths",
                        name,
                    )
                unknown = isinstance(before, Undefined) and name not in self.held[owner]
                if unknown and owner not in self.inside:
                    self.guard_absent(owner, {name})
                slot = ClassSlot(trace, ("class", id(owner), name), f"{owner.__name__}.{name}")
                slot.owner, slot.attribute, slot.state = owner, name, self
                self.learn(owner, name, value)
                trace.note(slot, before)
                slot.record()

    def learn(self, owner: Any, name: str, value: Any) -> None:
        self.seen.pop(owner, None)
        if isinstance(value, Undefined):
            self.known[owner].pop(name, None)
        else:
            self.known[owner][name] = value

    def _refuse(self, trace: Trace, owner: Any, name: str) -> StagingError:
        self.release()
        kind = "class" if isinstance(owner, type) else "function"
        error = trace.refuse(
            f"`{name}` of the {kind} {owner.__name__} is changed, which other threads could see half done",
            "keep the value in an object, or call the function once before the threads start",
            name,
        )
        return trace.environment.at_store(error, name)

    def release(self) -> None:
        """Classes and functions get back what they held."""
        self.methods.release()
        for owner, held in self.held.items():
            if owner in self.inside:
                continue
            now = plain_values(owner)
            for name in now.keys() - held.keys():
                store(owner, name, Undefined(name))
            for name, value in held.items():
                if now.get(name, _MISSING) is not value:
                    store(owner, name, value)


class _Namespace:
    """The names and values of a class or function at one time, compared at once: most polls find nothing."""

    def __init__(self, owner: Any, known: dict[str, Any]) -> None:
        held = vars(owner)
        self.names = list(held)
        self.values = list(map(id, held.values()))
        self.kept = [value for name, value in held.items() if name not in known]  # others are kept by `known`

    def is_that_of(self, owner: Any) -> bool:
        held = vars(owner)
        return self.values == list(map(id, held.values())) and self.names == list(held)


@record(slots=False, frozen=False, eq=False)
class ClassSlot(Slot):
    """One attribute of a class or a function."""

    owner: Any = None
    attribute: str = ""
    state: Any = None

    def before(self) -> Any:
        return self.state.known[self.owner].get(self.attribute, Undefined(self.name))

    def get(self) -> Any:
        return vars(self.owner).get(self.attribute, Undefined(self.name))

    def set(self, value: Any) -> None:
        if isinstance(value, Choice) and any(isinstance(v, Undefined) for v in value.values):
            value = self._or_inherited(value)
        store(self.owner, self.attribute, value)
        self.state.learn(self.owner, self.attribute, value)

    def _or_inherited(self, value: Choice) -> Choice:
        """What is read where one path alone gave a class an attribute of its own."""
        for base in getattr(self.owner, "__mro__", (self.owner,))[1:]:
            if self.attribute in vars(base):
                inherited = vars(base)[self.attribute]
                self.state.shown.add((base, self.attribute))
                return Choice(
                    value.tag, tuple([inherited if isinstance(v, Undefined) else v for v in value.values])
                )
        hint = "give the class the attribute where it is defined"
        if not isinstance(self.owner, type):
            hint = f"set `{self.name}` before the condition, too"
        raise self.trace.refuse(
            f"`{self.name}` is set under a staged condition, and there is no such attribute before",
            hint,
            self.attribute,
        )

    def record(self) -> None:
        if self.owner in self.state.inside:
            return
        owner = self.trace.constant_object(self.owner)
        value = self.get()
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_attr", [owner], None, name=self.attribute)
        else:
            self.trace.emit_effect("store_attr", [owner], value, name=self.attribute)


def store(owner: Any, name: str, value: Any) -> None:
    """Set or delete an attribute past all hooks."""
    kind: Any = type if isinstance(owner, type) else types.FunctionType
    if isinstance(value, Undefined):
        if name in vars(owner):
            kind.__delattr__(owner, name)
    else:
        kind.__setattr__(owner, name, value)


def _is_short(value: Any) -> bool:
    """Does something stand for it in the trace, item by item?"""
    if type(value) in KINDS or type(value) is tuple:
        return may_change(value) and len(value) <= MAX_ITEMS
    return not isinstance(value, _UNCHANGING)


def plain_values(owner: Any) -> dict[str, Any]:
    """What a class or function holds but methods, descriptors and Python's own.

    Another thread may be giving hooks to a class: its attributes are taken at once.
    """
    return {name: value for name, value in vars(owner).copy().items() if is_class_data(name, value)}


def is_class_data(name: str, value: Any) -> bool:
    """Is this entry of a class's namespace a plain value, not a method, a descriptor or Python's own?"""
    if name.startswith("__") and name.endswith("__") or name.startswith("_abc_"):
        return False
    if isinstance(value, Choice):
        return True
    return isinstance(value, functools.partial) or not hasattr(type(value), "__get__")
