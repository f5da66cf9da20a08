"""Which things from outside are the same one: a trace is right only where that is so again.

Two arguments may be one list at the next call, two globals may be bound to different lists. So a guard says
which are distinct.

A container of the run, whose items only a run knows, may hold one that the trace knows item by item from
another path: a change that goes through the former would not be seen there. Then both are the run's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from runtime.graph import Block, Operation, walk
from runtime.graph.effects import effects_of
from runtime.guards.paths import Attribute, DistinctGuard, Guard, Names, Path, SameGuard
from runtime.ops import REGISTRY
from runtime.ops.instances import instance_dict
from runtime.ops.item_patterns import KINDS
from runtime.outside.known import Known
from runtime.specs import readers
from runtime.specs.spec import leaf_types
from runtime.types import STR, ContainerType, ObjectType


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
