"""The classes that a trace watches: those of the objects that it met or made.

Which things from outside are the same one: a trace is right only where that is so again.

Two arguments may be one list at the next call, two globals may be bound to different lists. So a guard says
which are distinct.

A container of the run, whose items only a run knows, may hold one that the trace knows item by item from
another path: a change that goes through the former would not be seen there. Then both are the run's.
"""

from __future__ import annotations

import builtins
import enum
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from autograph.config import is_excluded
from runtime.calls import foreign_calls
from runtime.graph import Block, Operation, walk
from runtime.graph.effects import effects_of
from runtime.guards.paths import Attribute, DistinctGuard, Guard, Names, Path, SameGuard
from runtime.objects import acting
from runtime.objects.user_classes import IMMUTABLE_TYPE, require_plain_metaclass
from runtime.ops import REGISTRY
from runtime.ops.instances import HEAP_TYPE, class_attribute, instance_dict
from runtime.ops.item_patterns import KINDS
from runtime.outside import opaque
from runtime.outside.definitions import Definitions
from runtime.outside.known import Known
from runtime.specs import readers
from runtime.specs.spec import leaf_types
from runtime.tracer.builder import Staged
from runtime.types import STR, ContainerType, ObjectType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


#: a tuple's own say what it holds, whatever a class of the user's has for them
OF_CONTENTS = ("__getitem__", "__iter__", "__contains__", "__eq__", "__ne__")


class WatchedClasses(Known):
    """What one trace knows of the world outside, and the classes that it watches there."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self._watched: dict[type, None] = {}  # in their order
        self._special: dict[tuple[type, str], types.FunctionType | None] = {}
        self._is_watched: dict[type, bool] = {}  # a class, or one of those that it inherits from
        self.aliases = Aliases(self)
        self.definitions = Definitions(self)

    def watch(self, cls: type) -> bool:
        """The trace has met instances of a class. False for one that is none of the user's."""
        if cls in self._watched:
            return True
        self.require_module(cls)
        if (
            not cls.__flags__ & HEAP_TYPE
            or cls.__flags__ & IMMUTABLE_TYPE
            or cls.__module__ in ("builtins", "typing")
        ):
            return False
        self.reach_class(cls)
        self._require_plain_reads(cls)
        self._watched[cls] = None
        self._is_watched.clear()
        self._special.clear()
        return True

    def special_method(self, value: Any, name: str) -> types.FunctionType | None:
        """The special method that runs converted where Python asks ``value`` for it: a function in Python.

        None where Python answers, of what the trace knows. What an object from outside answers by code that
        no trace sees is refused.
        """
        cls = type(value)
        method = None
        if cls.__flags__ & HEAP_TYPE:
            key = cls, name
            if key not in self._special:
                self._special[key] = self._find_special(cls, name)
            method = self._special[key]
        if method is None and self.answers_unseen(value, name):
            raise self.refuse_foreign(value, f"asked for its `{name}`")
        return method

    def answers_unseen(self, value: Any, *names: str) -> bool:
        """Has it been found outside, and has its class one of these methods, in C?"""
        if not self.is_foreign(value):
            return False
        held = [(class_attribute(type(value), name), getattr(object, name, None)) for name in names]
        return any(
            own is not None and own is not of_all and not isinstance(own, types.FunctionType)
            for own, of_all in held
        )

    def require_seen(self, value: Any, *names: str) -> None:
        """Refuse to ask an object from outside for what code answers that no trace sees."""
        for name in names:
            self.special_method(value, name)

    def is_foreign(self, value: Any) -> bool:
        """Was it found outside, and does nobody see what it holds?"""
        return self.is_outside(value) and not isinstance(value, Staged) and not opaque.is_guarded(value)

    def refuse_foreign(self, value: Any, what: str) -> Exception:
        return foreign_calls.refuse_foreign(self.trace, value, what)

    def _find_special(self, cls: type, name: str) -> types.FunctionType | None:
        if not self._watched.keys() & {*cls.__mro__}:
            return None
        if issubclass(cls, tuple) and name in OF_CONTENTS:
            return None  # such methods only read: `acting.require_tuple_read_unseen`
        method = class_attribute(cls, name)
        if not isinstance(method, types.FunctionType) or hasattr(method, "__runtime_inline__"):
            return None
        return None if issubclass(cls, enum.Enum) and method.__module__ == "enum" else method

    def is_watched(self, cls: type) -> bool:
        """Are the attributes of its instances read and stored under the eyes of the trace?"""
        known = self._is_watched.get(cls)
        if known is None:
            seen = self._watched.keys() & {*cls.__mro__}
            known = self._is_watched[cls] = not all(issubclass(base, (type, tuple)) for base in seen)
        return known

    def _require_plain_reads(self, cls: type) -> None:
        """Refuse a `__getattribute__` that acts: Python, and our own code, asks it unseen."""
        method = class_attribute(cls, "__getattribute__")
        if isinstance(method, types.FunctionType) and acting.acts(method, cls):
            raise self.trace.refuse(
                f"`{method.__qualname__}` does more than to read, and each attribute asks it unseen",
                "count or log where the attribute is read, or use a property for it",
                cls.__name__,
            )

    def reach_class(self, cls: type) -> None:
        """Guard what a class holds as plain values, and remember it: nothing sees stores to a class."""
        self.require_module(cls)
        if type(cls).__module__ == "_ctypes":
            raise self.trace.refuse(
                f"the class {cls.__name__} is one of ctypes, whose objects are memory that no trace sees",
                "use a class of your own or an array, and fill the ctypes object outside of this function",
                cls.__name__,
            )
        if issubclass(cls, tuple) and cls not in self.classes.held:
            acting.require_tuple_read_unseen(self.trace, cls)
        for base in cls.__mro__:
            if (
                base not in self.classes.held
                and base.__flags__ & HEAP_TYPE
                and not is_excluded(base.__module__)
            ):
                self.definitions.reach(base, dict(vars(base)))
                self.classes.hold(base)
                if issubclass(base, tuple) or "__class_getitem__" in vars(base):
                    self.watch(base)
                require_plain_metaclass(self.trace, type(base))

    def require_module(self, cls: type) -> None:
        """Refuse a class of the user's that says it is one of Python's own: no guard would hold it."""
        changeable = cls.__flags__ & HEAP_TYPE and not cls.__flags__ & IMMUTABLE_TYPE
        if changeable and cls.__module__ == "builtins" and getattr(builtins, cls.__name__, None) is not cls:
            raise self.trace.refuse(
                f"the class {cls.__name__} was made by code whose globals have no `__name__`, and passes for "
                "one of Python's own",
                'put a "__name__" into the globals that exec gets: exec(code, {"__name__": "mine"})',
                cls.__name__,
            )


class Aliases:
    """The lists, dicts and objects that one trace knows from outside."""

    def __init__(self, outside: Known) -> None:
        self.outside = outside
        self._known: dict[int, tuple[Any, Path]] = {}
        self._objects: dict[type, list[Path]] = {}
        self._namespaces: dict[int, Path] = {}  # id of the `__dict__` of an object -> where that is
        self._of_run: list[tuple[Any, Path]] = []  # containers and objects of which a run knows the parts

    def know(self, value: Any, path: Path) -> None:
        """A container, met for the first time."""
        self._known.setdefault(id(value), (value, path))

    def know_object(self, value: Any, path: Path) -> None:
        """An object of a user's class. These are told apart by `==` as well, as keys, by what is stored."""
        self._objects.setdefault(type(value), []).append(path)
        with suppress(AttributeError):  # a TypeVar has none, whatever its class says
            self._namespaces[id(instance_dict(value))] = path

    def know_of_run(self, value: Any, path: Path, kind: ContainerType | None = None) -> None:
        """An object or a container (of this kind) whose parts only a run knows."""
        items = [] if kind is None or kind.element is None else leaf_types(kind.element, of_item=True)
        if kind is None or any(isinstance(item, ObjectType) and item != STR for item in items):
            self._of_run.append((value, path))

    def same(self, value: Any, path: Path) -> None:
        """It is found at another path, too."""
        first = self._known[id(value)][1]
        if first != path:
            self.outside.guards.append(SameGuard(path, first, type(value).__name__))

    def guard(self, body: Block) -> None:
        """At the end of the trace: what is several is several at each call."""
        self.guard_distinct()
        if not self._known and not self._of_run:
            return
        if any(map(_may_change, walk(body))):
            self._guard_inside()
            self._guard_namespaces()

    def guard_distinct(self) -> None:
        kinds: dict[type, list[Path]] = {}
        for value, path in self._known.values():
            kinds.setdefault(type(value), []).append(path)
        for cls, paths in [*self._objects.items(), *kinds.items()]:
            self._guard_distinct(cls, paths)

    def _guard_namespaces(self) -> None:
        """A dict that the trace knows is no `__dict__` of an object: a store to one is to the other."""
        dicts = [(value, path) for value, path in self._known.values() if type(value) is dict]
        for value, path in dicts:
            if id(value) in self._namespaces:
                raise self.outside.trace.refuse(
                    f"`{path}` is the namespace of `{self._namespaces[id(value)]}`, "
                    "and one of the two is changed",
                    "read and store the attributes by their names",
                    str(path),
                )
        if dicts and self._namespaces:
            spaces: list[Path] = [Attribute(path, "__dict__") for path in self._namespaces.values()]
            self._guard_distinct(dict, [path for _, path in dicts] + spaces)

    def _guard_inside(self) -> None:
        """What the trace knows item by item lies in nothing of which only a run knows the items."""
        data = self.outside.trace.containers.data
        known = [
            (value, path) for value, path in self._known.values() if type(value) in KINDS and path not in data
        ]
        for whole, path in self._of_run if known else ():
            inside = lies_inside(whole, [value for value, _ in known])
            for (value, at), found in zip(known, inside, strict=True):
                if found:
                    self.outside.trace.containers.require_data(
                        at, "a list or dict of which a run knows the items lies in another one"
                    )
                    kind = type(value).__name__
                    raise self.outside.trace.refuse(
                        f"`{at}` is a {kind} that lies in `{path}`, too, where only a run knows the items",
                        "read it from one of the two places, or pass a copy",
                        str(at),
                    )
            paths = [path for _, path in known]
            said = f"holding none of {', '.join(map(str, paths))}"
            guard = Guard(path, _holds_none(paths), said, routine=True, others=paths)
            self.outside.guards.append(guard)

    def _guard_distinct(self, cls: type, paths: list[Path]) -> None:
        if len(paths) > 1:
            self.outside.guards.append(DistinctGuard(paths, cls.__name__))


def _holds_none(paths: list[Path]) -> Callable[[str, Names], str]:
    """None of what lies at the paths is reached from the object."""

    def condition(source: str, names: Names) -> str:
        others = ", ".join(path.source(names) for path in paths)
        return f"not any({names.of(lies_inside)}({source}, [{others}]))"

    return condition


def lies_inside(whole: Any, values: Sequence[Any]) -> list[bool]:
    """Which of the values can be reached from the parts of an object?

    >>> row = [1]
    >>> lies_inside([[row], {"k": []}], [row, []])
    [True, False]
    """
    seen = {id(whole)}
    waiting = [whole]
    while waiting:
        for part in readers.parts_of_object(waiting.pop()):
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)
    return [id(value) in seen and value is not whole for value in values]


def _may_change(op: Operation) -> bool:
    """May it store to a container or an object from outside?"""
    family = REGISTRY[op.name].family
    if family == "container":
        return bool(effects_of(op).writes)
    return family == "store" or op.is_call or op.calls_python
