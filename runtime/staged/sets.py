"""References to real sets, as converted code holds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.specs.spec import Spec
from runtime.staged.containers import StagedContainer, items_of, require_real, stands_for
from runtime.tracer.builder import refuse
from runtime.tracer.elements import join_elements
from runtime.tracer.known_items import as_plain


class StagedSet(StagedContainer):
    """A set whose items only a run knows."""

    __slots__ = ()

    def add(self, item: Any, /) -> None:
        self._store("set.add", (item,), 0)

    def discard(self, item: Any, /) -> None:
        self._do("set.discard", item)

    def remove(self, item: Any, /) -> None:
        self._do("set.remove", item)

    def pop(self) -> Any:
        return self._take("list.pop")

    def update(self, *others: Any) -> None:
        self._change("update", others)

    def difference_update(self, *others: Any) -> None:
        self._change("difference_update", others)

    def intersection_update(self, *others: Any) -> None:
        self._change("intersection_update", others)

    def symmetric_difference_update(self, other: Any, /) -> None:
        self._change("symmetric_difference_update", (other,))

    def _change(self, name: str, others: tuple[Any, ...]) -> None:
        for other in others:
            items, element = operand_of(self.containers, other)
            if name in ("update", "symmetric_difference_update"):
                self.containers.admit(self.type.sites, element)
            self._do(f"set.{name}", items)

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

    def _compared(self, name: str, other: Any) -> Any:
        return self._ask(f"set.{name}", operand_of(self.containers, other)[0])

    def isdisjoint(self, other: Any, /) -> Any:
        return self._compared("isdisjoint", other)

    def issubset(self, other: Any, /) -> Any:
        return self._compared("issubset", other)

    def issuperset(self, other: Any, /) -> Any:
        return self._compared("issuperset", other)


def operand_of(containers: Any, other: Any) -> tuple[Any, Spec | None]:
    """What a set's methods take from `other`; a set that the trace knows becomes one of the run.

    As a set, not as items: an intersection has the items of the smaller of two sets.
    """
    if isinstance(other, set | frozenset):
        require_real("set", other)
        known = set(other) if isinstance(other, frozenset) else other
        other = containers.make(known, (containers.here(), "operand", "set"))
    return items_of(containers, other)


def _operator(act: Callable[[StagedSet, Any, str], Any], name: str) -> Callable[[StagedSet, Any], Any]:
    """``a | b`` and its like: of sets only, where the method of the same meaning takes any items."""

    def operate(self: StagedSet, other: Any) -> Any:
        return act(self, other, name) if isinstance(other, StagedSet | set | frozenset) else NotImplemented

    return operate


def _both(a: StagedSet, b: Any, symbol: str) -> Any:
    return a._combined(_METHODS[symbol], (b,))


def _both_swapped(b: StagedSet, a: Any, symbol: str) -> Any:
    if not isinstance(a, frozenset):
        return getattr(operand_of(b.containers, a)[0], _METHODS[symbol])(b)
    known = as_plain(b)
    if known is b:
        raise refuse(
            "a frozenset of items that only a run knows is not staged", "make it a set, with `set(...)`"
        )
    return getattr(frozenset, f"__{symbol}__")(a, known)


def _in_place(a: StagedSet, b: Any, symbol: str) -> Any:
    a._change("update" if symbol == "or" else f"{_METHODS[symbol]}_update", (b,))
    return a


_METHODS = {"or": "union", "and": "intersection", "sub": "difference", "xor": "symmetric_difference"}
for _name in _METHODS:
    setattr(StagedSet, f"__{_name}__", _operator(_both, _name))
    setattr(StagedSet, f"__r{_name}__", _operator(_both_swapped, _name))
    setattr(StagedSet, f"__i{_name}__", _operator(_in_place, _name))
for _name in ("le", "lt", "ge", "gt"):
    setattr(StagedSet, f"__{_name}__", _operator(lambda a, b, name: a._compared(name, b), _name))

stands_for("set", StagedSet)
