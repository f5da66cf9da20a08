"""References to real defaultdicts, Counters and OrderedDicts, as converted code holds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autograph.operators import call, for_stmt
from runtime.control_flow.branches import branch
from runtime.staged.containers import new_list, stands_for, without_choices
from runtime.staged.mappings import StagedDict
from runtime.tracer.builder import refuse


class StagedOrderedDict(StagedDict):
    """A ``collections.OrderedDict``."""

    __slots__ = ()

    def move_to_end(self, key: Any, last: Any = True) -> None:
        self._do("OrderedDict.move_to_end", key, last)

    def popitem(self, last: Any = True) -> Any:
        return self.containers.perform("OrderedDict.popitem", (self, last), self.pair)


class StagedDefaultDict(StagedDict):
    """A ``collections.defaultdict``: what it makes for a new key, the function given for that makes here."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return without_choices((key,), self._read)

    def _read(self, key: Any) -> Any:
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
        def add(pair: Any) -> None:
            self[pair[0]] = combine(self[pair[0]], pair[1])

        if isinstance(other, StagedDict | dict):
            for_stmt(other.items(), None, add)
        elif other is not None:
            for_stmt(other, None, lambda item: add((item, 1)))
        for pair in more.items():
            add(pair)

    def most_common(self, n: Any = None) -> Any:
        return new_list(self.containers, "Counter.most_common", (self, n), self.pair)


def _refuse(self: StagedCounter, *others: Any) -> NoReturn:
    raise refuse(
        "an operator of a Counter is not staged",
        "write what it does with a `for` statement over the items, or call `update` and `subtract`",
    )


for _name in "add sub radd rsub or ror ior and rand iand iadd isub pos neg lt le gt ge".split():
    setattr(StagedCounter, f"__{_name}__", _refuse)


stands_for("OrderedDict", StagedOrderedDict)
stands_for("defaultdict", StagedDefaultDict)
stands_for("Counter", StagedCounter)
