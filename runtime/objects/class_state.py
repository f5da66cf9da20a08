"""Attributes of classes and functions: plain values that a trace guards, and that a function may change.

What stands for such a value in a trace, and what the trace stores, is kept here, and never in the class.
Reads and stores come by the views of `seen_attributes.py`; what an instance inherits is asked for here.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from autograph.errors import StagingError
from autograph.operators import Undefined
from autograph.records import record
from runtime.control_flow import branches, choices
from runtime.guards import keys as key_texts
from runtime.guards.paths import Attribute, Constant, Guard, Path, equals_number, is_identical
from runtime.objects import descriptors
from runtime.objects.function_objects import LikeAFunction
from runtime.ops.instances import class_attribute
from runtime.ops.item_patterns import KINDS
from runtime.staged.objects import Unreadable
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice, maybe_absent
from runtime.tracer.trace_base import Slot
from runtime.tracer.trace_globals import made_in_trace

#: no attribute, or none that the trace knows better than the class does
MISSING = object()
#: longer ones come in where they are read: what they hold is compared at each call
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
        self.trace = outside.trace
        self.held: dict[Any, dict[str, Any]] = {}  # what they held when they were reached
        self.known: dict[Any, dict[str, Any]] = {}  # what they hold in the trace, where that is another value
        self.shown: set[tuple[Any, str]] = set()  # inherited, where a derived class may have its own by now
        self.bodies = 0  # of `class` statements that run now
        self.statements: dict[types.CodeType, int] = {}  # `class` statements, and how often each ran
        self.inside: dict[Any, Any] = {}  # those that the trace made: the block that was traced then
        self.under_way = 0  # classes that are being made just now

    def hold(self, owner: Any) -> None:
        """Guard the plain values that a class or a function holds, and remember them."""
        self.held[owner] = plain_values(owner)
        for name, value in self.held[owner].items():
            standing = self._enter(owner, name, value)
            if standing is not value:
                self.learn(owner, name, standing)
        inherited = {name for base in _bases(owner)[1:] for name in plain_values(base)}
        own = vars(owner)
        self.guard_absent(owner, inherited - own.keys())
        for name in sorted(inherited & own.keys() - self.held[owner].keys()):  # a method hides a plain value
            self.outside.definitions.guard_descriptor(owner, name, own[name])

    def made(self, owner: Any) -> None:
        """The trace made this class, or this function that gets an attribute: nobody outside sees them."""
        if owner not in self.held:
            self.held[owner] = plain_values(owner)
            self.inside[owner] = self._frame()

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
        decisions = self.trace.decisions
        if type(value) in KINDS and len(value) > MAX_ITEMS and path not in decisions.data:
            return Unreadable(value, lambda: self._require_data(path))
        if path in decisions.staged_paths or type(value) not in _UNCHANGING:
            standing = self._imported(value, path)
            if standing is not value:
                return standing
        numeric = isinstance(value, bool | int | float | complex)
        condition = equals_number(value) if numeric else is_identical(value)
        self.outside.guards.append(Guard(path, condition, key_texts.text_of_key(value)))
        return value

    def _require_data(self, path: Path) -> NoReturn:
        self.trace.containers.require_data(path, f"`{path}` is read, a long container of a class")
        raise AssertionError(path)

    def _imported(self, value: Any, path: Path) -> Any:
        try:
            return self.outside.import_value(value, path)
        except StagingError as error:  # who reads it is refused there
            words, hint = error.message, error.hint or ""
            return Unreadable(value, lambda: self.trace.refuse(words, hint, str(path)))

    def sees(self, owner: Any) -> bool:
        """Does the trace see each read of, and store to, an attribute of this class or function?"""
        owner = _holder(owner)
        return owner in self.held or (isinstance(owner, types.FunctionType) and made_in_trace(owner))

    # -- reads ----------------------------------------------------------------------------------------

    def read(self, owner: Any, name: str) -> Any:
        """``owner.name`` of a class or a function, as converted code sees it."""
        holder = _holder(owner)
        if name == "__dict__" and isinstance(holder, types.FunctionType):
            raise self.outside.attributes.refuse_namespace(holder)
        if is_of_python(name) or (holder is not owner and hasattr(type(owner), name)):
            return getattr(owner, name)
        owner = holder
        self._require_plain_metaclass(owner, name, "__getattribute__")
        found = self.lookup(_bases(owner), name)
        if found is MISSING:
            static = class_attribute(owner, name) if isinstance(owner, type) else None
            if descriptors.method_of(static, "__get__") is None:
                return getattr(owner, name)
            return descriptors.read_of_class(self.outside, owner, name, static)
        if isinstance(found, Undefined):
            raise self._absent(owner, name)
        if not maybe_absent(found) or choices.is_undefined(found) is False:
            return bound(found, None, owner)
        return branches.branch(
            choices.is_undefined(found),
            lambda: self._raise_absent(owner, name),
            lambda: choices.certain(found),
        )

    def _absent(self, owner: Any, name: str) -> AttributeError:
        kind = f"type object {owner.__name__!r}" if isinstance(owner, type) else "'function' object"
        return AttributeError(f"{kind} has no attribute {name!r}", name=name, obj=owner)

    def _raise_absent(self, owner: Any, name: str) -> Any:
        raise self._absent(owner, name)

    def lookup(self, bases: Iterable[Any], name: str) -> Any:
        """What the first of these classes that has the attribute holds, where the trace knows that better.

        MISSING: the class itself says it; Undefined: the trace has deleted it.
        """
        is_hidden = False
        for base in bases if self.known else ():
            value = self.known.get(base, {}).get(name, MISSING)
            if value is MISSING and name in vars(base):
                return vars(base)[name] if is_hidden else MISSING
            if isinstance(value, Undefined):
                is_hidden = True
            elif type(value) is Unreadable:
                raise value.refusal()
            elif value is not MISSING:
                return value
        return Undefined(name) if is_hidden else MISSING

    def inherited(self, cls: type, name: str) -> Any:
        """The same for an instance of the class that has no such attribute of its own."""
        return self.lookup(cls.__mro__, name) if self.known else MISSING

    def value(self, owner: Any, name: str) -> Any:
        """What the class or function itself holds, ``Undefined`` where that is nothing."""
        value = self.known.get(owner, {}).get(name, MISSING)
        return vars(owner).get(name, Undefined(name)) if value is MISSING else value

    def namespace(self, owner: Any) -> dict[str, Any]:
        """All that a class or function holds in the trace."""
        held = dict(vars(owner)) if isinstance(owner, type) else vars(owner).copy()
        held |= self.known.get(owner, {})
        return {name: value for name, value in held.items() if not isinstance(value, Undefined)}

    def same_attributes(self, made: types.FunctionType, function: Any) -> None:
        """Python has just given a new function the attributes of another one."""
        if self.sees(made):
            self.made(made)
            for name, value in self.known.get(function, {}).items():
                self.learn(made, name, value)

    # -- stores ---------------------------------------------------------------------------------------

    def on_store(self, owner: Any, name: str, value: Any) -> None:
        """``owner.name = value`` of a class or function; a value that is Undefined deletes it."""
        holder = _holder(owner)
        if isinstance(owner, types.MethodType) or (holder is not owner and hasattr(type(owner), name)):
            store_past_trace(owner, name, value)  # of a method Python stores none
            return
        self._require_plain_metaclass(holder, name, "__setattr__", "__delattr__")
        self.store(holder, name, value)

    def _require_plain_metaclass(self, owner: Any, name: str, *methods: str) -> None:
        """Refuse what the metaclass of a class computes."""
        kind = type(owner)
        asked = [class_attribute(kind, method) for method in methods]
        computes = isinstance(class_attribute(kind, name), property)
        if computes or any(isinstance(one, types.FunctionType) for one in asked):
            raise self.trace.refuse(
                f"the metaclass {kind.__name__} says what `{owner.__name__}.{name}` is, or how it is stored",
                "use a classmethod, or a function",
                name,
            )

    def store(self, owner: Any, name: str, value: Any) -> None:
        """The same, which no metaclass sees."""
        if is_of_python(name) or hasattr(type(class_attribute(type(owner), name)), "__set__"):
            store_past_trace(owner, name, value)
            return
        if owner not in self.held:
            self.made(owner)
        before = self.value(owner, name)
        if _is_method(name, value) or _is_method(name, before):
            self._store_method(owner, name, value)
            return
        if isinstance(before, Undefined):
            if isinstance(value, Undefined):
                raise self._absent(owner, name)
            if owner not in self.inside and name not in self.held[owner]:
                self.guard_absent(owner, {name})
        if (owner, name) in self.shown:
            raise self.trace.refuse(
                f"`{owner.__name__}.{name}` is changed, which a derived class may have hidden",
                "change the attribute of the derived class on all paths",
                name,
            )
        self.trace.write(self.slot(owner, name), value)

    def slot(self, owner: Any, name: str) -> ClassSlot:
        key = ("class", id(owner), name)
        return ClassSlot(self.trace, key, f"{owner.__name__}.{name}", owner, name, self)

    def _store_method(self, owner: Any, name: str, value: Any) -> None:
        """A class that the trace made on this path is its own; any other would be changed while tracing."""
        if self.is_of_this_block(owner):
            store_past_trace(owner, name, value)
            return
        kind = "class" if isinstance(owner, type) else "function"
        raise self.trace.refuse(
            f"`{name}` of the {kind} {owner.__name__} is a method or descriptor; it is set or deleted, "
            "which would be done only while tracing",
            "set it outside the decorated function, or keep the function to call in a variable",
            name,
        )

    def is_of_this_block(self, owner: Any) -> bool:
        """Did the block that is traced now make this class or function?"""
        return owner in self.inside and self.inside[owner] is self._frame()

    def _frame(self) -> Any:
        """The block that is traced now; None for the outermost."""
        return self.trace.frames[-1] if self.trace.frames else None

    def learn(self, owner: Any, name: str, value: Any) -> None:
        """The attribute has this value in the trace from here on."""
        known = self.known.setdefault(owner, {})
        known[name] = value
        outside = vars(owner).get(name, MISSING)
        if value is outside or (isinstance(value, Undefined) and outside is MISSING):
            del known[name]
            if not known:
                del self.known[owner]


@record(slots=False, frozen=False, eq=False)
class ClassSlot(Slot):
    """One attribute of a class or a function."""

    owner: Any
    attribute: str
    state: ClassState

    def get(self) -> Any:
        return self.state.value(self.owner, self.attribute)

    def set(self, value: Any) -> None:
        if isinstance(value, Choice) and any(isinstance(v, Undefined) for v in value.values):
            value = self._or_inherited(value)
        self.state.learn(self.owner, self.attribute, value)

    def _or_inherited(self, value: Choice) -> Choice:
        """What is read where one path alone gave a class an attribute of its own."""
        for base in _bases(self.owner)[1:]:
            inherited = self.state.value(base, self.attribute)
            if not isinstance(inherited, Undefined):
                self.state.shown.add((base, self.attribute))
                return Choice(
                    value.tag, tuple([inherited if isinstance(v, Undefined) else v for v in value.values])
                )
        if self.owner in self.state.inside and not isinstance(self.owner, type):
            return value  # perhaps the path made the function; who reads it asks whether it is there
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


def bound(static: Any, instance: Any, cls: type) -> Any:
    """What reading an attribute gives for what a class holds under its name."""
    return static.__get__(instance, cls) if hasattr(type(static), "__get__") else static


def store_past_trace(owner: Any, name: str, value: Any) -> None:
    """What no trace models: Python's own of a class, a method of one that the trace has made."""
    if isinstance(value, Undefined):
        delattr(owner, name)
    elif isinstance(value, Staged):
        raise refuse(
            f"`{owner.__name__}.{name}` is replaced by a {value.type}".partition("[")[0],
            "make the function or class with what it is to have there",
        )
    else:
        setattr(owner, name, value)


def _holder(owner: Any) -> Any:
    """The function that has the attributes of a method, or of a decorated function."""
    if isinstance(owner, types.MethodType):
        return _holder(owner.__func__)
    if isinstance(owner, LikeAFunction) and isinstance(owner.python_function, types.FunctionType):
        return owner.python_function
    return owner


def _bases(owner: Any) -> tuple[Any, ...]:
    return owner.__mro__ if isinstance(owner, type) else (owner,)


def plain_values(owner: Any) -> dict[str, Any]:
    """What a class or function holds but methods, descriptors and Python's own.

    Another thread may be changing the class: its attributes are taken at once. An enum keeps its members
    under names such as `_member_map_`, where Python itself puts combinations of flags.
    """
    held = {name: value for name, value in vars(owner).copy().items() if is_class_data(name, value)}
    if not isinstance(owner, enum.EnumMeta):
        return held
    return {name: value for name, value in held.items() if not (name[0] == name[-1] == "_")}


def is_class_data(name: str, value: Any) -> bool:
    """Is this entry of a class's namespace a plain value, not a method, a descriptor or Python's own?"""
    return not is_of_python(name) and not _is_method(name, value)


def is_of_python(name: str) -> bool:
    """Is it the name of what Python itself keeps, or asks for?"""
    return name.startswith("__") and name.endswith("__") or name.startswith("_abc_")


def _is_method(name: str, value: Any) -> bool:
    """Is it a function or descriptor, which a class binds?"""
    if isinstance(value, Choice | functools.partial):
        return False
    return hasattr(type(value), "__get__")
