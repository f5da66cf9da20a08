"""References to real sets, as converted code holds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph import operators
from runtime.iteration.indexed import Indexed
from runtime.specs.spec import Spec
from runtime.staged.containers import StagedContainer, items_of, require_real, stands_for
from runtime.tracer.builder import refuse
from runtime.tracer.elements import join_elements
from runtime.tracer.known_items import as_plain


class StagedSet(StagedContainer):
    """A set whose items only a run knows."""

    __slots__ = ()

    def add(self, item: Any, /) -> None:
        self._store("set.add", (), item)

    def discard(self, item: Any, /) -> None:
        self._do("set.discard", item)

    def remove(self, item: Any, /) -> None:
        self._do("set.remove", item)

    def pop(self) -> Any:
        return self._take("list.pop")

    def update(self, *others: Any) -> None:
        for other in others:
            items, element = operand_of(self.containers, other)
            self.containers.admit(self.type.sites, element)
            self.containers.perform("set.update", (self, items))

    def difference_update(self, *others: Any) -> None:
        for other in others:
            self._do("set.difference_update", operand_of(self.containers, other)[0])

    def intersection_update(self, *others: Any) -> None:
        for other in others:
            self._do("set.intersection_update", operand_of(self.containers, other)[0])

    def symmetric_difference_update(self, other: Any, /) -> None:
        items, element = operand_of(self.containers, other)
        self.containers.admit(self.type.sites, element)
        self._do("set.symmetric_difference_update", items)

    def union(self, *others: Any) -> Any:
        return self._combined("union", others)

    def intersection(self, *others: Any) -> Any:
        return self._combined("intersection", others)

    def difference(self, *others: Any) -> Any:
        return self._combined("difference", others)

    def symmetric_difference(self, other: Any, /) -> Any:
        return self._combined("symmetric_difference", (other,))

    def _combined(self, name: str, others: tuple[Any, ...]) -> Any:
        items, element = [], None
        for other in others:
            given, kind = operand_of(self.containers, other)
            items.append(given)
            element = join_elements(element, kind) if name in ("union", "symmetric_difference") else None
        return self._new(f"set.{name}", (self, *items), element)

    def isdisjoint(self, other: Any, /) -> Any:
        return self._ask("set.isdisjoint", operand_of(self.containers, other)[0])

    def issubset(self, other: Any, /) -> Any:
        return self._ask("set.issubset", operand_of(self.containers, other)[0])

    def issuperset(self, other: Any, /) -> Any:
        return self._ask("set.issuperset", operand_of(self.containers, other)[0])

    __hash__ = StagedContainer.__hash__


def _is_set(value: Any) -> bool:
    return isinstance(value, StagedSet | set | frozenset)


def operand_of(containers: Any, other: Any) -> tuple[Any, Spec | None]:
    """What a set's methods take from `other`; a set that the trace knows becomes one of the run.

    As a set, not as items: an intersection has the items of the smaller of two sets.
    """
    if isinstance(other, set | frozenset):
        require_real("set", other)
        known = set(other) if isinstance(other, frozenset) else other
        other = containers.make(known, (containers.here(), "operand", "set"))
    return items_of(containers, other)


def _operator(name: str, symbol: str, reflected: bool = False) -> Callable[[StagedSet, Any], Any]:
    """``a | b`` and its like: of sets only, where the method of the same meaning takes any items."""

    def operate(self: StagedSet, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        if not reflected:
            return self._combined(name, (other,))
        if isinstance(other, frozenset):
            known = as_plain(self)
            if known is not self:
                return getattr(frozenset, f"__{symbol}__")(other, known)
            raise refuse(
                "a frozenset of items that only a run knows is not staged", "make it a set, with `set(...)`"
            )
        return getattr(operand_of(self.containers, other)[0], name)(self)

    return operate


def _changing(name: str) -> Callable[[StagedSet, Any], Any]:
    def operate(self: StagedSet, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        getattr(self, name)(other)
        return self

    return operate


def _asking(name: str) -> Callable[[StagedSet, Any], Any]:
    def operate(self: StagedSet, other: Any) -> Any:
        return (
            self._ask(f"set.{name}", operand_of(self.containers, other)[0])
            if _is_set(other)
            else NotImplemented
        )

    return operate


def _equal(name: str) -> Any:
    plainly = getattr(StagedContainer, f"__{name}__")

    def compare(self: StagedSet, other: Any) -> Any:
        """A frozenset and the keys of a dict equal a set of the same items."""
        if isinstance(other, frozenset):
            other = operators.call(set, other)
        elif isinstance(other, Indexed) and hasattr(other, "as_set"):
            other = other.as_set()
        return plainly(self, other)

    return compare


for _name in ("eq", "ne"):
    setattr(StagedSet, f"__{_name}__", _equal(_name))
_METHODS = {"or": "union", "and": "intersection", "sub": "difference", "xor": "symmetric_difference"}
for _name, _does in _METHODS.items():
    setattr(StagedSet, f"__{_name}__", _operator(_does, _name))
    setattr(StagedSet, f"__r{_name}__", _operator(_does, _name, reflected=True))
    setattr(StagedSet, f"__i{_name}__", _changing("update" if _name == "or" else f"{_does}_update"))
for _name in ("le", "lt", "ge", "gt"):
    setattr(StagedSet, f"__{_name}__", _asking(_name))

stands_for("set", StagedSet)
