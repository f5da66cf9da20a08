"""Where the functions that a trace runs come from: guards on their code and defaults, and on the classes that
hold them.

Python finds a method, an operator or a constructor, and no trace sees that. So each function says, when it
is entered, which class attributes must still lead to it.
"""

from __future__ import annotations

import abc
import builtins
import types
from collections.abc import Iterable
from typing import Any

from autograph.config import is_excluded
from autograph.loading import loaded
from runtime.guards.descriptions import Descriptions
from runtime.guards.paths import Attribute, Constant, Guard, Path
from runtime.guards.questions import Condition, HasNoOther, IsThis, KeepsItsCode, LacksName
from runtime.objects.function_objects import functions_in
from runtime.ops.instances import class_attribute
from runtime.outside.known import Known

#: what Python puts into a class by itself, when somebody asks
_NO_METHODS = frozenset(
    {"__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__doc__"}
)


def _has_no_other(cls: type, namespace: dict[str, Any]) -> HasNoOther:
    """The condition that a class got no special method: what it lacks, no other guard speaks of.

    Of a named tuple no trace sees what is asked for: it got no attribute at all.
    """

    def names(held: Iterable[str]) -> set[str]:
        is_any = issubclass(cls, tuple)
        return {name for name in held if is_any or (name[:2] == "__" and name not in _NO_METHODS)}

    held = names(namespace)
    differs = lambda cls: names(vars(cls)) != held
    return HasNoOther(cls.__mro__, len(namespace), differs)


#: what a context of decimal says of rounding
_CONTEXT = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")

#: as Python has them
_BUILTINS = {name: held for name, held in vars(builtins).items() if name != "print"}


class Definitions:
    """The functions that one trace entered, and the classes that it reached."""

    def __init__(self, outside: Known) -> None:
        self.outside = outside
        self._entered: dict[int, Any] = {}
        self._held_by: dict[int, list[tuple[type, str, Any]]] = {}
        self._classes: list[type] = []
        self._guarded: set[Any] = set()
        self.descriptions = Descriptions()

    def reach(self, cls: type, namespace: dict[str, Any]) -> None:
        """``cls`` holds functions, classmethods, staticmethods, properties."""
        self._classes.append(cls)
        path = Constant(cls, cls.__name__)
        self.guard_once(path, _has_no_other(cls, namespace), "a class as it was traced")
        for name, held in namespace.items():
            if isinstance(held, types.MethodType):
                continue  # a value, which belongs to another object
            for function in functions_in(held):
                self._held_by.setdefault(id(function), []).append((cls, name, held))
                if vars(function):  # `cls.method.calls` may be read
                    self.guard(cls, name, held)
                    if function not in self.outside.classes.held:
                        self.outside.classes.hold(function)

    def know(self, function: types.FunctionType) -> None:
        """A guard on a path that leads to ``function`` says that it keeps its code."""
        self._entered[id(function)] = function

    def enter(self, function: types.FunctionType) -> None:
        """``function`` is run: it is to be found where it was found, and to be what it was."""
        self.descriptions.enter(function)
        if id(function) not in self._entered:
            self._entered[id(function)] = function
            path = Constant(function, function.__name__)
            self.guard_once(path, KeepsItsCode.of(function), "a function as it was traced")
        for cls, name, held in self._held_by.get(id(function), ()):
            for reached in self._classes:
                if cls in reached.__mro__ and self.outside.class_attribute(reached, name) is held:
                    self.guard(reached, name, held)

    def finish(self) -> None:
        """The trace is complete: guard what functions and classes say of themselves, where code asks."""
        held = [one for each in self._held_by.values() for one in each]
        methods = [function for *_, static in held for function in functions_in(static)]
        described = [*self._entered.values(), *methods, *self._classes]
        self.outside.guards += self.descriptions.guards(described)

    def guard(self, cls: type, name: str, held: Any) -> None:
        """``cls`` still has this, its own or inherited."""
        path: Path = Attribute(Constant(cls, cls.__name__), name)
        if isinstance(held, classmethod):
            path = Attribute(path, "__func__")
        condition = IsThis(getattr(held, "__func__", held))
        self._guard((cls, name), path, condition, "as it was traced")

    def guard_descriptor(self, cls: type, name: str, held: Any) -> None:
        """``cls`` still has this descriptor, whose own code must not run for that."""
        look = lambda s, n: f"{n.of(class_attribute)}({s}, {name!r}) is {n.of(held)}"
        self._guard((cls, name), Constant(cls, cls.__name__), look, "as it was traced")

    def guard_registered(self, cls: type, abstract: type) -> None:
        """An abstract base class says the same of ``cls``: others may be registered with it."""
        is_protocol = getattr(abstract, "_is_protocol", False)
        if isinstance(abstract, abc.ABCMeta) and not is_protocol and not is_excluded(abstract.__module__):
            is_one = issubclass(cls, abstract)
            look = lambda s, n: f"{n.of(issubclass)}({n.of(cls)}, {s}) is {is_one}"
            path = Constant(abstract, abstract.__name__)
            self._guard((cls, abstract), path, look, f"what it was for a {cls.__name__}")

    def guard_decimal_context(self) -> None:
        """How Decimals are rounded: what computes with them asks for it unseen."""
        look = lambda context: (*[getattr(context, name) for name in _CONTEXT], *context.traps.items())
        getcontext = loaded("decimal").getcontext
        held = look(getcontext())
        condition = lambda s, n: f"{n.of(look)}({s}()) == {n.of(held)}"
        self.guard_once(Constant(getcontext, "decimal.getcontext"), condition, "as it was traced")

    def guard_absent(self, namespace: dict[str, Any], name: str) -> None:
        """No global hides a builtin, and that is the same one. Raises StagingError where it no longer is.

        Which `print` there is, a run asks itself.
        """
        held = namespace.get("__builtins__", builtins)
        known = vars(held) if isinstance(held, types.ModuleType) else held
        if known is vars(builtins) and name in _BUILTINS and known.get(name) is not _BUILTINS[name]:
            self.outside.stands_in_the_way = True
            raise self.outside.trace.refuse(
                f"the builtin `{name}` was replaced for all modules, those that trace this function too",
                f"define a global `{name}` in the module that is to use another one",
                name,
            )

        is_any = name not in known or name == "print"
        lacks = LacksName(namespace, name, None if is_any else known, known.get(name))
        path = Constant(namespace, f"{namespace.get('__name__', 'the globals')}")
        self.guard_once(path, lacks, f"without `{name}`")

    def guard_no_attribute(self, owner: Any, name: str) -> None:
        """A class, a module or a function has no attribute of this name."""
        path = Constant(owner, getattr(owner, "__name__", type(owner).__name__))
        self.guard_once(path, lambda s, n: f"not hasattr({s}, {name!r})", f"without `{name}`")

    def guard_once(self, path: Path, condition: Condition, expected: str) -> None:
        """A condition, once for each path and text."""
        self._guard((path, expected), path, condition, expected)

    def _guard(self, key: Any, path: Path, condition: Condition, expected: str) -> None:
        if key not in self._guarded:
            self._guarded.add(key)
            self.outside.guards.append(Guard(path, condition, expected, routine=True))
