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

    def _change(self, name: str, others: tuple[Any, ...]) -> None:
        for other in others:
            items, element = operand_of(self.containers, other)
            if name in ("update", "symmetric_difference_update"):
                self.containers.admit(self.type.sites, element)
            self._do(f"set.{name}", items)

    def _combined(self, name: str, others: tuple[Any, ...]) -> Any:
        items, element = [], None
        for other in others:
            given, kind = operand_of(self.containers, other)
            items.append(given)
            element = join_elements(element, kind) if name in ("union", "symmetric_difference") else None
        return self._new(f"set.{name}", (self, *items), element)

    def _compared(self, name: str, others: tuple[Any, ...]) -> Any:
        return self._ask(f"set.{name}", operand_of(self.containers, others[0])[0])


def operand_of(containers: Any, other: Any) -> tuple[Any, Spec | None]:
    """What a set's methods take from `other`; a set that the trace knows becomes one of the run.

    As a set, not as items: an intersection has the items of the smaller of two sets.
    """
    if isinstance(other, set | frozenset):
        require_real("set", other)
        known = set(other) if isinstance(other, frozenset) else other
        other = containers.make(known, (containers.here(), "operand", "set"))
    return items_of(containers, other)


def _method(act: Callable[..., Any], name: str, count: int | None) -> Callable[..., Any]:
    def method(self: StagedSet, *others: Any) -> Any:
        if count not in (None, len(others)):
            raise TypeError(f"set.{name}() takes exactly one argument ({len(others)} given)")
        return act(self, name, others)

    method.__name__ = name
    return method


def _operator(act: Callable[[StagedSet, Any, str], Any], name: str) -> Callable[[StagedSet, Any], Any]:
    """``a | b`` and its like: of sets only, where the method of the same meaning takes any items."""

    def operate(self: StagedSet, other: Any) -> Any:
        return act(self, other, name) if isinstance(other, StagedSet | set | frozenset) else NotImplemented

    return operate


def _swapped(b: StagedSet, a: Any, name: str) -> Any:
    if isinstance(a, frozenset):
        known = as_plain(b)
        if known is not b:
            return getattr(a, name)(known)
        raise refuse(
            "an operator of a frozenset and a set is not staged", "make a set of it, with `set(...)`"
        )
    return operand_of(b.containers, a)[0]._combined(name, (b,))


def _in_place(a: StagedSet, b: Any, name: str) -> Any:
    a._change("update" if name == "union" else f"{name}_update", (b,))
    return a


_METHODS = {"or": "union", "and": "intersection", "sub": "difference", "xor": "symmetric_difference"}
for _symbol, _name in _METHODS.items():
    _count = 1 if _symbol == "xor" else None
    _update = "update" if _symbol == "or" else f"{_name}_update"
    setattr(StagedSet, _name, _method(StagedSet._combined, _name, _count))
    setattr(StagedSet, _update, _method(StagedSet._change, _update, _count))
    setattr(StagedSet, f"__{_symbol}__", _operator(lambda a, b, name: a._combined(name, (b,)), _name))
    setattr(StagedSet, f"__r{_symbol}__", _operator(_swapped, _name))
    setattr(StagedSet, f"__i{_symbol}__", _operator(_in_place, _name))
for _name in ("le", "lt", "ge", "gt"):
    setattr(StagedSet, f"__{_name}__", _operator(lambda a, b, name: a._compared(name, (b,)), _name))
for _name in ("isdisjoint", "issubset", "issuperset"):
    setattr(StagedSet, _name, _method(StagedSet._compared, _name, 1))

stands_for("set", StagedSet)
