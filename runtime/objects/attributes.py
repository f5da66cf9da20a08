"""Attributes of objects, as they are read: what comes in is imported.

Stores: `attribute_stores.py`.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from autograph.config import is_excluded
from autograph.operators import Undefined, call
from runtime.control_flow import branches, choices
from runtime.guards.paths import Attribute, Global, Guard, Item
from runtime.guards.questions import IsThis, LacksOwn
from runtime.objects.attribute_stores import AttributeStores
from runtime.objects.class_state import MISSING, bound, is_class_data
from runtime.objects.user_classes import (
    computes,
    is_slot,
    method_of,
    missing,
    read_descriptor,
    require_namespace,
)
from runtime.ops.instances import attributes, class_attribute, has_dict
from runtime.specs.spec import is_absent, kinds_of
from runtime.tracer.spec import Choice, maybe_absent


def has_own(owner: Any, name: str) -> bool:
    """Does the object itself hold something under this name?"""
    return name in attributes(owner)


def lacks(owner: Any, name: str) -> bool:
    """Has the object no such attribute, unless its `__getattr__` makes one?"""
    return class_attribute(type(owner), name) is None and not has_own(owner, name)


class Attributes(AttributeStores):
    """The attributes that one trace reads and stores."""

    def __init__(self, outside: Any) -> None:
        super().__init__(outside)
        self._guarded: set[tuple[int, str]] = set()

    def held(self, owner: Any, name: str) -> Any:
        """The value of an attribute that the trace stored, which may be unbound; None: it stored none."""
        if self.is_stored(owner, name):
            return self.stored(owner)[name]
        if self.trace.references.is_reference(owner):
            return self._chosen(self.trace.references.held(self.trace.references.value(owner), name))
        value = None
        if isinstance(owner, types.ModuleType) and self.outside.is_outside(owner):
            namespace = types.ModuleType.__getattribute__(owner, "__dict__")
            value = self.trace.environment.globals(namespace).peek(name)
        if isinstance(owner, types.FunctionType):
            value = self.outside.classes.value(owner, name)
        return self._chosen(value)

    @staticmethod
    def _chosen(value: Any) -> Choice | None:
        return value if isinstance(value, Choice) else None

    def may_raise(self, owner: Any, name: str) -> bool:
        """Does only a run know whether reading the attribute raises AttributeError?"""
        references = self.trace.references
        if not self.knows(owner):
            return False
        cls = type(owner)
        static = class_attribute(cls, name)
        if isinstance(static, property | functools.cached_property):
            return True
        if computes(owner, name, static):
            return True
        of_trace = self.outside.classes.inherited(cls, name)
        inherits = not isinstance(of_trace, Undefined) and of_trace is not MISSING
        if of_trace is MISSING:
            inherits = static is not None and not is_slot(static)
        falls_back = isinstance(class_attribute(cls, "__getattr__"), types.FunctionType)
        if references.is_reference(owner):
            spec = references.spec_of(references.value(owner), name)
            if inherits or isinstance(owner, BaseException):
                return any(map(is_absent, kinds_of(spec)))
            return falls_back
        if not (inherits or falls_back) or isinstance(owner, types.ModuleType):
            return False
        held = self.held(owner, name)
        return maybe_absent(held) or (falls_back and not inherits and not has_own(owner, name))

    def read_attribute(self, owner: Any, name: str) -> Any:
        """An attribute of an outside object, as converted code sees it."""
        if isinstance(class_attribute(type(owner), name), functools.cached_property):
            if name not in object.__getattribute__(owner, "__dict__"):
                return Undefined(name)  # to read it would compute it; a guard says so already
        static = class_attribute(type(owner), name)
        computes = hasattr(type(static), "__get__") and name not in attributes(
            owner
        )  # to read it would run that
        is_data = hasattr(type(static), "__set__")
        if static is not None and not is_data and (computes or self._is_of_class(owner, name)):
            self._guard_own(owner, name)
            return Undefined(name)
        try:
            value = object.__getattribute__(owner, name)
        except AttributeError:
            self._guard_missing(owner, name)
            return Undefined(name)
        return self.outside.import_value(value, Attribute(self.outside.path_of(owner), name))

    def on_read(self, owner: Any, name: str, original: Any) -> Any:
        references = self.trace.references
        if name.startswith("__") and name.endswith("__"):
            if isinstance(owner, types.ModuleType) and isinstance(vars(owner).get(name, MISSING), str | None):
                return self._global_of(owner, name)  # a text about it, which may be rebound
            if name == "__dict__" and self.knows(owner) and has_dict(owner):
                raise self.refuse_namespace(owner)
            if not self._is_its_own(owner, name):
                return original(owner, name)
        if references.is_reference(owner):
            return references.read(owner, name, original)
        references.check_known(owner)
        static = class_attribute(type(owner), name)
        if isinstance(static, functools.cached_property):
            require_namespace(owner, static)
        if isinstance(owner, types.ModuleType) and static is None:
            found = self._global_of(owner, name)
            if found is not MISSING:
                return found
        if self._inherits_of_trace(owner, name):
            return self.inherited(owner, name)
        if not self.outside.is_outside(owner):
            return self._of_unknown(owner, name, static, original)
        if self.is_stored(owner, name):
            return self._stored(owner, name, static)
        return self._of_outside(owner, name, static, original)

    def _inherits_of_trace(self, owner: Any, name: str) -> bool:
        """Does the object read what a class holds in the trace, and nothing of its own?"""
        if self.outside.classes.inherited(type(owner), name) is MISSING or has_own(owner, name):
            return False
        if not self.outside.is_outside(owner):
            return True
        self._guard_own(owner, name)
        return not self.is_stored(owner, name)

    def _of_unknown(self, owner: Any, name: str, static: Any, original: Any) -> Any:
        """An attribute of what has no name outside, and is no object of the run."""
        if isinstance(static, property):
            return call(static.fget, owner)
        value = original(owner, name)
        return self.present(owner, name, value) if isinstance(value, Choice) else value

    def _stored(self, owner: Any, name: str, static: Any) -> Any:
        """An attribute of an object from outside that the trace has stored or deleted."""
        value = self.stored(owner)[name]
        if isinstance(static, functools.cached_property):
            return self._maybe_computed(owner, name, static, value)
        return (
            self.inherited(owner, name) if isinstance(value, Undefined) else self.present(owner, name, value)
        )

    def _of_outside(self, owner: Any, name: str, static: Any, original: Any) -> Any:
        """An attribute of an object from outside, as each call finds it there: guarded, or an input."""
        if isinstance(static, property):
            self._guard_class(owner, name, static)
            return call(static.fget, owner)
        if computes(owner, name, static):
            self._guard_own(owner, name)
            return read_descriptor(self.outside, owner, name, static)
        if isinstance(static, functools.cached_property):
            return self._cached(owner, name, static)
        try:
            value = original(owner, name)
        except AttributeError:
            self._guard_missing(owner, name)
            raise
        if static is not None and isinstance(value, types.MethodType) and value.__self__ is owner:
            self._guard_class(owner, name, static)
            return value
        if static is not None and self._is_of_class(owner, name):
            self._guard_own(owner, name)
            return self.present(owner, name, value)
        return self.outside.import_value(value, Attribute(self.outside.path_of(owner), name))

    def _cached(self, owner: Any, name: str, static: functools.cached_property[Any]) -> Any:
        """A `cached_property`: what an earlier call computed, or what this one computes."""
        path = self.outside.path_of(owner)
        computed = object.__getattribute__(owner, "__dict__")
        if name not in computed:
            self._guard_class(owner, name, static)
            return self._computed_once(owner, name, static)
        self.outside.guards.append(
            Guard(path, lambda s, n: f"{name!r} in {s}.__dict__", f"`{name}` computed")
        )
        return self.outside.import_value(computed[name], Item(Attribute(path, "__dict__"), name))

    def _is_its_own(self, owner: Any, name: str) -> bool:
        """Has the program stored a `__name__`, say, to an object, as it stores any attribute?"""
        references = self.trace.references
        if references.is_reference(owner):
            return references.spec(type(owner), name) is not None
        if isinstance(owner, types.ModuleType) or not self.outside.is_outside(owner):
            return False
        return self.is_stored(owner, name) or has_own(owner, name)

    def _global_of(self, module: types.ModuleType, name: str) -> Any:
        """An attribute of a module is a global of its functions: known by the same path, whoever reads it."""
        namespace = types.ModuleType.__getattribute__(module, "__dict__")
        value = namespace.get(name, MISSING)
        if value is not MISSING and _is_fixed(module, value):
            self.outside.add_guard(Global(namespace, name), IsThis(value), "as it was", routine=True)
            return value
        found = self.trace.environment.globals(namespace).peek(name)
        return MISSING if isinstance(found, Undefined) else self.present(module, name, found)

    def refuse_namespace(self, owner: Any) -> Exception:
        """The error (not raised) for reading all attributes of an object at once."""
        path = self.outside.path_of(owner)
        name = f"a {type(owner).__name__}" if path is None else f"`{path}`"
        return self.trace.refuse(
            f"the namespace of {name} is read as a whole, so that no change is seen",
            "read attributes by their names, and store them with setattr, or with "
            "`object.__setattr__(self, name, value)`",
            None if path is None else str(path),
        )

    def _computed_once(self, owner: Any, name: str, static: functools.cached_property[Any]) -> Any:
        """A `cached_property` that was not read before: computed, and stored as an attribute."""
        value = call(static.func, owner)
        if not self.store(owner, name, value):  # which no `__setattr__` of the user's sees
            object.__getattribute__(owner, "__dict__")[name] = value
        return value

    def _maybe_computed(
        self, owner: Any, name: str, static: functools.cached_property[Any], value: Any
    ) -> Any:
        """A `cached_property` that was stored or deleted in the trace before."""
        absent = choices.is_undefined(value)
        if absent is False:
            return value
        if absent is True:
            return self._computed_once(owner, name, static)
        raise self.trace.refuse(
            f"the cached property `{name}` was computed under a staged condition only",
            "read it once before the condition",
            name,
        )

    def present(self, owner: Any, name: str, value: Any) -> Any:
        """An attribute that a staged branch made or deleted: AttributeError at run time where it is
        not there."""
        absent = choices.is_undefined(value)
        if absent is False:
            return value

        left = choices.certain(value)
        assert not isinstance(left, Undefined)
        return branches.branch(absent, lambda: self._absent(owner, name), lambda: left)

    def _absent(self, owner: Any, name: str) -> Any:
        """What Python reads where one path made no such attribute."""
        static = class_attribute(type(owner), name)
        fallback = class_attribute(type(owner), "__getattr__")
        if isinstance(fallback, types.FunctionType) and (static is None or is_slot(static)):
            return call(fallback, owner, name)
        return self.inherited(owner, name)

    def inherited(self, owner: Any, name: str) -> Any:
        """What is read where the object itself holds nothing: what its class does, or AttributeError."""
        static = self.outside.classes.inherited(type(owner), name)
        static = class_attribute(type(owner), name) if static is MISSING else static
        if isinstance(static, functools.cached_property):
            require_namespace(owner, static)
            return self._computed_once(owner, name, static)
        if static is None or is_slot(static) or isinstance(static, Undefined):
            raise missing(owner, name)
        if method_of(static, "__get__") is not None:
            return read_descriptor(self.outside, owner, name, static)
        return bound(static, owner, type(owner))

    def _guard_missing(self, owner: Any, name: str) -> None:
        if class_attribute(type(owner), "__getattr__") is None:
            look = lambda s, n: f"not hasattr({s}, {name!r})"
        else:  # which must not run for that
            look = lambda s, n: f"{n.of(lacks)}({s}, {name!r})"
        self.outside.guards.append(Guard(self.outside.path_of(owner), look, f"without `{name}`"))

    def _is_of_class(self, owner: Any, name: str) -> bool:
        """Does a class hold what is read here, which the trace knows of, and not the object itself?"""
        if name in attributes(owner):
            return False
        base = next(base for base in type(owner).__mro__ if name in base.__dict__)
        return base in self.outside.classes.held and is_class_data(name, base.__dict__[name])

    def _guard_class(self, owner: Any, name: str, static: Any) -> None:
        """A method or property is what it was when it was traced, and no attribute of the object hides it."""
        self.outside.definitions.guard(type(owner), name, static)
        if not hasattr(type(static), "__set__"):  # a property comes before what the object holds
            self._guard_own(owner, name)

    def _guard_own(self, owner: Any, name: str) -> None:
        """No attribute of the object itself hides what its class holds."""
        path = self.outside.path_of(owner)
        key = (id(owner), name)
        if key not in self._guarded:
            self._guarded.add(key)
            if type(owner).__dictoffset__:
                own = f"without its own `{name}`"
                self.outside.guards.append(Guard(path, LacksOwn(type(owner), name), own, routine=True))


def _is_fixed(module: types.ModuleType, value: Any) -> bool:
    """A function or class of a library: it stands for itself in a trace."""
    return callable(value) and is_excluded(module.__name__)
