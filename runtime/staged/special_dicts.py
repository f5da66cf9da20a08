"""References to real defaultdicts, Counters and OrderedDicts, as converted code holds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from runtime.control_flow.branches import branch
from runtime.iteration.indexed import Indexed, indexed
from runtime.specs.spec import Leaf, Spec
from runtime.staged.containers import complete, new_list, without_choices
from runtime.staged.mappings import StagedDict
from runtime.tracer.builder import refuse
from runtime.tracer.elements import join_elements
from runtime.types import INT


class StagedOrderedDict(StagedDict):
    """A ``collections.OrderedDict``."""

    __slots__ = ()

    def move_to_end(self, key: Any, last: Any = True) -> None:
        self._do("OrderedDict.move_to_end", key, last)

    def popitem(self, last: Any = True) -> Any:
        return without_choices(
            (last,), lambda last: self.containers.perform("OrderedDict.popitem", (self, last), self.pair)
        )

    __hash__ = StagedDict.__hash__


class StagedDefaultDict(StagedDict):
    """A ``collections.defaultdict``: what it makes for a new key, the function given for that makes here."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return without_choices((key,), self._read)

    def _read(self, key: Any) -> Any:
        from autograph.operators import call

        factory = self.default_factory

        def fill() -> None:
            self[key] = call(factory)

        if factory is not None:
            branch(self.contains(key), lambda: None, fill)
        return self._take("dict.getitem", key)

    @property
    def default_factory(self) -> Any:
        found = [self.containers.factories.get(site) for site in self.type.sites]
        if any(factory is not found[0] for factory in found):
            raise refuse(
                "one of several defaultdicts, which make different things for a new key, is read",
                "use a dict, and its `setdefault`",
            )
        return found[0]

    def copy(self) -> Any:
        containers = self.containers
        containers.factories[containers.here()] = self.default_factory
        return super().copy()

    __hash__ = StagedDict.__hash__


class StagedCounter(StagedDict):
    """A ``collections.Counter``."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self._or("dict.get", key, 0)

    def __delitem__(self, key: Any) -> None:
        self._do("Counter.delitem", key)

    def update(self, other: Any = None, /, **more: Any) -> None:
        self._count(other, more, lambda old, new: new + old)

    def subtract(self, other: Any = None, /, **more: Any) -> None:
        self._count(other, more, lambda old, new: old - new)

    def _count(self, other: Any, more: dict[str, Any], combine: Callable[[Any, Any], Any]) -> None:
        from autograph.operators import for_stmt

        def add(item: Any) -> None:
            self[item] = combine(self[item], 1)

        def add_pair(pair: Any) -> None:
            self[pair[0]] = combine(self[pair[0]], pair[1])

        if isinstance(other, StagedDict | dict):
            for_stmt(other.items(), None, add_pair)
        elif other is not None:
            if indexed(other) is None and not isinstance(other, list | tuple | str | set):
                raise refuse(
                    f"a Counter counts the items of a {type(other).__name__}", "count them in a `for` loop"
                )
            for_stmt(other, None, add)
        for pair in more.items():
            add_pair(pair)

    def most_common(self, n: Any = None) -> Any:
        return self._listed("Counter.most_common", self.pair, n)

    def elements(self) -> Any:
        items = self._listed("Counter.elements", self.key)
        return Indexed((0, items.length(), 1), lambda i: items[i], "the elements of this Counter", (self,))

    def _listed(self, operation: str, element: Spec | None, *args: Any) -> Any:
        return without_choices(
            args, lambda *args: new_list(self.containers, operation, (self, *args), element)
        )

    def total(self) -> Any:
        from autograph.operators import call

        return call(sum, self.values())

    __hash__ = StagedDict.__hash__


def _arithmetic(name: str) -> Callable[[StagedCounter, Any], Any]:
    def operate(self: StagedCounter, other: Any) -> Any:
        self.containers.require(other)
        if isinstance(other, Counter):
            raise refuse("a Counter from outside is combined with one made here", "pass a dict")
        if name == "or_":
            _refuse_mapping(other)
        if not isinstance(other, StagedCounter):
            return NotImplemented
        return _new_counter(f"Counter.{name}", self, other)

    return operate


def _refuse_mapping(other: Any) -> None:
    """Python takes another mapping here, and makes a dict of both, or counts by its items."""
    if not isinstance(other, StagedCounter) and isinstance(other, StagedDict | dict):
        raise refuse("a Counter is combined with a dict", "make a Counter of it first: Counter(other)")


def _new_counter(operation: str, *counters: StagedCounter) -> Any:
    containers = counters[0].containers
    site = containers.here()
    element: Spec | None = Leaf(INT)
    key = None
    for counter in counters:
        element, key = join_elements(element, counter.element), join_elements(key, counter.key)
    containers.admit(frozenset({site}), element, key)
    return containers.new(operation, counters, "Counter", site)


def _in_place(name: str) -> Callable[[StagedCounter, Any], Any]:
    def operate(self: StagedCounter, other: Any) -> Any:
        self.containers.require(other)
        _refuse_mapping(other)
        if not isinstance(other, StagedCounter):
            return NotImplemented
        element = join_elements(join_elements(self.element, other.element), Leaf(INT))
        self.containers.admit(self.type.sites, element, other.key)
        self._do(f"Counter.{name}", other)
        return self

    return operate


for _name in ("add", "sub", "or_", "and_"):
    setattr(StagedCounter, f"__{_name.rstrip('_')}__", _arithmetic(_name))


def _reflected(self: StagedCounter, other: Any) -> Any:
    if isinstance(other, Counter):
        raise refuse("a Counter from outside is combined with one made here", "pass a dict")
    _refuse_mapping(other)
    return NotImplemented


for _name in ("radd", "rsub", "ror", "rand"):
    setattr(StagedCounter, f"__{_name}__", _reflected)
for _name in ("iadd", "isub", "ior", "iand"):
    setattr(StagedCounter, f"__{_name}__", _in_place(_name))
for _name in ("pos", "neg"):
    setattr(StagedCounter, f"__{_name}__", lambda self, name=_name: _new_counter(f"Counter.{name}", self))


def counted(containers: Any, items: Any, more: dict[str, Any], site: Any) -> Any:
    """A new Counter of these items."""
    made = containers.make(Counter(), site)
    made.update(items, **more)
    return made


complete(StagedOrderedDict, "OrderedDict")
complete(StagedDefaultDict, "defaultdict")
complete(StagedCounter, "Counter")
