"""Attributes of classes and functions: plain values that a trace guards, and that a function may change.

What stands for such a value in a trace, and what the trace stores, is kept here, and never in the class.
Reads and stores come by the views of `seen_attributes.py`; what an instance inherits is asked for here.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.errors import StagingError
from autograph.operators import Undefined
from autograph.records import record
from runtime.control_flow import branches, choices
from runtime.guards import keys as key_texts
from runtime.guards.paths import Attribute, Constant, Guard, Path
from runtime.guards.questions import EqualsNumber, IsThis
from runtime.heap.places import StaticPlace
from runtime.objects.function_objects import LikeAFunction
from runtime.objects.user_classes import method_of
from runtime.ops.instances import class_attribute
from runtime.staged.objects import Unreadable
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice, maybe_absent
from runtime.tracer.static_places import made_in_trace

#: no attribute, or none that the trace knows better than the class does
MISSING = object()
#: known by what they are
_UNCHANGING = (
    bool, int, float, complex, str, bytes, range, slice, np.dtype, np.generic, type(None), type(Ellipsis),
)  # fmt: skip


class ClassState:
    """What one trace knows of the attributes of the classes and functions that it reached."""

    def __init__(self, outside: Any) -> None:
        self.outside = outside
        self.trace = outside.trace
        self.held: dict[Any, dict[str, Any]] = {}  # what they held when they were reached
        self.places: dict[Any, dict[str, ClassPlace]] = {}  # of which the trace knows better
        self.shown: set[tuple[Any, str]] = set()  # inherited, where a derived class may have its own by now
        self.statements: dict[types.CodeType, int] = {}  # `class` statements, and how often each ran
        self.inside: set[Any] = set()  # those that the trace made

    def hold(self, owner: Any) -> None:
        """Guard the plain values that a class or a function holds, and remember them."""
        self.held[owner] = plain_values(owner)
        for name, value in self.held[owner].items():
            standing = self._enter(owner, name, value)
            if standing is not value:
                self.place(owner, name).first = standing
        for name, value in odd_descriptors(owner).items():
            self.place(owner, name).first = self._of_odd(owner, name, value)
        bases = _bases(owner)[1:]
        inherited = {name for base in bases for name in (*plain_values(base), *odd_descriptors(base))}
        own = vars(owner)
        self.guard_absent(owner, inherited - own.keys())
        for name in sorted(inherited & own.keys() - self.held[owner].keys()):  # a method hides a plain value
            self.outside.definitions.guard_descriptor(owner, name, own[name])

    def _of_odd(self, owner: type, name: str, value: Any) -> Any:
        """What a descriptor gives that does not lead to a function of its own: where that is one value."""
        held = _behind(value)
        if isinstance(value, staticmethod) and (
            isinstance(held, _VALUES) or not hasattr(type(held), "__get__")
        ):
            return self._imported(held, Attribute(Constant(owner, owner.__name__), name))
        words = f"`{owner.__name__}.{name}` is a {type(value).__name__} of a {type(_behind(value)).__name__}"
        hint = "write a function of it, `def`, in the class"
        return Unreadable(value, lambda: self.trace.refuse(words, hint, name))

    def made(self, owner: Any) -> None:
        """The trace made this class, or this function that gets an attribute: nobody outside sees them."""
        if owner not in self.held:
            self.held[owner] = plain_values(owner)
            self.inside.add(owner)

    def guard_absent(self, owner: Any, names: set[str]) -> None:
        """Nothing of the owner's own hides what is inherited, or is missing."""
        absent, said = frozenset(names), f"without {', '.join(sorted(names))} of its own"
        condition = lambda s, n: f"{s}.__dict__.keys().isdisjoint({n.of(absent)})"
        if names:
            self.outside.guards.append(Guard(Constant(owner, owner.__name__), condition, said))

    def _enter(self, owner: Any, name: str, value: Any) -> Any:
        """What stands for the value in the trace."""
        path = Attribute(Constant(owner, owner.__name__), name)
        decisions = self.trace.decisions
        if path in decisions.staged_paths or type(value) not in _UNCHANGING:
            standing = self._imported(value, path)
            if standing is not value:
                return standing
        numeric = isinstance(value, bool | int | float | complex)
        condition = EqualsNumber(value) if numeric else IsThis(value)
        self.outside.guards.append(Guard(path, condition, key_texts.text_of_key(value)))
        return value

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
        found = self.lookup(_bases(owner), name)
        if found is MISSING:
            static = class_attribute(owner, name) if isinstance(owner, type) else None
            if method_of(static, "__get__") is None:
                if isinstance(_behind(static), _OTHERS) or isinstance(static, _OTHERS):
                    self.outside.definitions.guard_descriptor(owner, name, static)
                return getattr(owner, name)
            raise self.trace.refuse(
                f"`{owner.__name__}.{name}` asks a descriptor of a class of yours for what the class has",
                "read the attribute of an instance, or keep the value under a name of its own",
                name,
            )
        if not isinstance(owner, type) and maybe_absent(found):  # perhaps the path did not make the function

            def absent() -> Any:
                raise AttributeError(f"'function' object has no attribute {name!r}", name=name, obj=owner)

            return branches.branch(choices.is_undefined(found), absent, lambda: choices.certain(found))
        return bound(found, None, owner) if isinstance(owner, type) else found

    def lookup(self, bases: Iterable[Any], name: str) -> Any:
        """What the first of these classes that has the attribute holds, where the trace knows that better.

        MISSING: the class itself says it.
        """
        for base in bases if self.places else ():
            place = self.places.get(base, {}).get(name)
            value = MISSING if place is None else self.trace.heap.held(place)
            if type(value) is Unreadable:
                raise value.refusal()
            if place is not None and not place.is_as_outside(value):
                return value
            if name in vars(base):
                break
        return MISSING

    def inherited(self, cls: type, name: str) -> Any:
        """The same for an instance of the class that has no such attribute of its own."""
        return self.lookup(cls.__mro__, name) if self.places else MISSING

    def value(self, owner: Any, name: str) -> Any:
        """What the class or function itself holds, ``Undefined`` where that is nothing."""
        place = self.places.get(owner, {}).get(name)
        return vars(owner).get(name, Undefined(name)) if place is None else self.trace.heap.held(place)

    def namespace(self, owner: Any) -> dict[str, Any]:
        """All that a class or function holds in the trace."""
        held = dict(vars(owner)) if isinstance(owner, type) else vars(owner).copy()
        held |= {name: self.trace.heap.held(place) for name, place in self.places.get(owner, {}).items()}
        return {name: value for name, value in held.items() if not isinstance(value, Undefined)}

    def same_attributes(self, made: types.FunctionType, function: Any) -> None:
        """Python has just given a new function the attributes of another one."""
        if self.sees(made):
            self.made(made)
            for name in self.places.get(function, {}):
                self.trace.heap.hold(self.place(made, name), self.value(function, name))

    # -- stores ---------------------------------------------------------------------------------------

    def on_store(self, owner: Any, name: str, value: Any) -> None:
        """``owner.name = value`` of a class or function; a value that is Undefined deletes it."""
        holder = _holder(owner)
        if isinstance(owner, types.MethodType) or (holder is not owner and hasattr(type(owner), name)):
            store_past_trace(owner, name, value)  # of a method Python stores none
        else:
            self._store(holder, name, value)

    def _store(self, owner: Any, name: str, value: Any) -> None:
        if isinstance(value, Undefined):
            raise self.trace.refuse(
                f"`{owner.__name__}.{name}` is deleted, which would be done only while tracing",
                "store None there, and test for it",
                name,
            )
        if isinstance(owner, enum.EnumMeta):
            raise self.trace.refuse(
                f"`{owner.__name__}.{name}` is a member of an enum, or stands beside them, and is stored",
                "keep it in a class of its own",
                name,
            )
        if is_of_python(name):
            store_past_trace(owner, name, value)
            return
        if owner not in self.held:
            self.made(owner)
        before = self.value(owner, name)
        if isinstance(owner, type) and not (is_class_data(name, value) and is_class_data(name, before)):
            raise self.trace.refuse(
                f"`{name}` of the class {owner.__name__} is a method or descriptor; it is set, "
                "which would be done only while tracing",
                "set it outside the decorated function, or keep the function to call in a variable",
                name,
            )
        if isinstance(before, Undefined) and owner not in self.inside and name not in self.held[owner]:
            self.guard_absent(owner, {name})
        if (owner, name) in self.shown:
            raise self.trace.refuse(
                f"`{owner.__name__}.{name}` is changed, which a derived class may have hidden",
                "change the attribute of the derived class on all paths",
                name,
            )
        self.trace.write(self.place(owner, name), value)

    def place(self, owner: Any, name: str) -> ClassPlace:
        places = self.places.setdefault(owner, {})
        if name not in places:
            first = vars(owner).get(name, Undefined(name))
            places[name] = ClassPlace(f"{owner.__name__}.{name}", owner, name, self, first)
        return places[name]


@record(slots=False, frozen=False, eq=False)
class ClassPlace(StaticPlace):
    """One attribute of a class or a function."""

    owner: Any
    attribute: str
    state: ClassState
    first: Any  # what the trace found there, or what stands for it

    def entry(self) -> Any:
        return self.first

    def is_as_outside(self, value: Any) -> bool:
        """Does the class itself hold this value?"""
        outside = vars(self.owner).get(self.attribute, MISSING)
        return value is outside or (isinstance(value, Undefined) and outside is MISSING)

    def accept(self, value: Any) -> Any:
        return self._or_inherited(value) if isinstance(value, Choice) and maybe_absent(value) else value

    def _or_inherited(self, value: Choice) -> Choice:
        """What is read where one path alone gave a class an attribute of its own."""
        for base in _bases(self.owner)[1:]:
            inherited = self.state.value(base, self.attribute)
            if not isinstance(inherited, Undefined):
                self.state.shown.add((base, self.attribute))
                items = [inherited if isinstance(one, Undefined) else one for one in value.values]
                return Choice(value.tag, tuple(items))
        if self.owner in self.state.inside and not isinstance(self.owner, type):
            return value  # perhaps the path made the function, too
        raise self.state.trace.refuse(
            f"`{self.name}` is set under a staged condition, and there is no such attribute before",
            "give the class or function the attribute where it is defined",
            self.attribute,
        )

    def record(self, value: Any, was_there: bool) -> None:
        if self.owner not in self.state.inside:
            owner = self.state.trace.constant_object(self.owner)
            self.state.trace.emit_effect("store_attr", [owner], value, name=self.attribute)


def bound(static: Any, instance: Any, cls: type) -> Any:
    """What reading an attribute gives for what a class holds under its name."""
    return static.__get__(instance, cls) if hasattr(type(static), "__get__") else static


def store_past_trace(owner: Any, name: str, value: Any) -> None:
    """What no trace models: Python's own of a class, a method of one that the trace has made."""
    if isinstance(value, Staged):
        raise refuse(
            f"`{owner.__name__}.{name}` is replaced by a {value.type}".partition("[")[0],
            "make the function or class with what it is to have there",
        )
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
    """What a class or function holds but Python's own, and methods and descriptors, which a class binds.

    Another thread may be changing the class: its attributes are taken at once. An enum keeps its members
    under names such as `_member_map_`, where Python itself puts combinations of flags.
    """
    held = {name: value for name, value in vars(owner).copy().items() if not is_of_python(name)}
    if isinstance(owner, type):
        held = {name: value for name, value in held.items() if is_class_data(name, value)}
    if isinstance(owner, enum.EnumMeta):
        held = {name: value for name, value in held.items() if not (name[0] == name[-1] == "_")}
    return held


#: methods that are no functions
_OTHERS = (functools.partialmethod, functools._lru_cache_wrapper)
#: Python's own, which lead to what they are made of
_VALUES = (functools.partial, types.MethodType)
_DESCRIPTORS = (staticmethod, classmethod, property, functools.partialmethod, functools.cached_property)


def _behind(value: Any) -> Any:
    """The function that such a descriptor calls."""
    for name in ("__func__", "fget", "func"):
        if isinstance(value, _DESCRIPTORS) and hasattr(value, name):
            return getattr(value, name)
    return value


def odd_descriptors(owner: Any) -> dict[str, Any]:
    """Those of Python's descriptors in a class with no function behind: `staticmethod(partial(f, 2.0))`."""
    held = vars(owner).copy() if isinstance(owner, type) else {}
    return {
        name: value
        for name, value in held.items()
        if isinstance(value, _DESCRIPTORS)
        and not is_of_python(name)
        and not isinstance(_behind(value), (types.FunctionType, LikeAFunction, *_OTHERS))
    }


def is_class_data(name: str, value: Any) -> bool:
    """Is this entry of a class's namespace a plain value, not a method, a descriptor or Python's own?"""
    is_value = isinstance(value, (Choice, *_VALUES)) or not hasattr(type(value), "__get__")
    return is_value and not is_of_python(name)


def is_of_python(name: str) -> bool:
    """Is it the name of what Python itself keeps, or asks for?"""
    return name.startswith("__") and name.endswith("__") or name.startswith("_abc_")
