"""References to real dicts and sets, as converted code holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.elements import element_of, join_elements
from runtime.iteration import Indexed
from runtime.spec import Spec, Tuple
from runtime.staged.containers import StagedContainer, complete, items_of, new_list, without_choices

_MISSING = object()


class StagedDict(StagedContainer):
    """A dict whose keys only a run knows."""

    __slots__ = ()

    @property
    def key(self) -> Spec | None:
        return self.containers.current(self.type.key)

    def _admit(self, key: Any, value: Any) -> None:
        containers = self.containers
        containers.admit(self.type.sites, element_of(containers.item(value)), element_of(key))

    def __getitem__(self, key: Any) -> Any:
        return self._take("dict.getitem", key)

    def __setitem__(self, key: Any, value: Any) -> None:
        def store(key: Any, value: Any) -> None:
            self._admit(key, value)
            self.containers.perform("dict.setitem", (self, key, value))

        without_choices((key, value), store)

    def __delitem__(self, key: Any) -> None:
        self._do("dict.delitem", key)

    def _or(self, operation: str, key: Any, default: Any) -> Any:
        """The item at ``key``, or ``default``."""

        def read(key: Any, default: Any) -> Any:
            element = join_elements(self.element, element_of(self.containers.item(default)))
            return self.containers.perform(operation, (self, key, default), element)

        return without_choices((key, default), read)

    def get(self, key: Any, default: Any = None, /) -> Any:
        return self._or("dict.get", key, default)

    def pop(self, key: Any, default: Any = _MISSING, /) -> Any:
        return self._take("dict.pop", key) if default is _MISSING else self._or("dict.pop", key, default)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        def store(key: Any, default: Any) -> Any:
            self._admit(key, default)
            return self.containers.perform("dict.setdefault", (self, key, default), self.element)

        return without_choices((key, default), store)

    def popitem(self) -> Any:
        pair = None if self.element is None or self.key is None else Tuple((self.key, self.element))
        return self.containers.perform("dict.popitem", (self,), pair)

    def update(self, other: Any = (), /, **more: Any) -> None:
        if isinstance(other, StagedDict):
            self.containers.admit(self.type.sites, other.element, other.key)
            self._do("dict.update", other)
        else:
            for key, value in dict(other).items():
                self[key] = value
        for name, value in more.items():
            self[name] = value

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def keys(self) -> Any:
        return self._view(self.items_now(), "keys")

    def values(self) -> Any:
        return self._view(new_list(self.containers, "dict.values", (self,), self.element), "values")

    def items(self) -> Any:
        pair = None if self.element is None or self.key is None else Tuple((self.key, self.element))
        return self._view(new_list(self.containers, "dict.items", (self,), pair), "items")

    def _view(self, items: Any, what: str) -> Any:
        bounds = (0, items.length(), 1)
        return Indexed(bounds, lambda i: items[i], f"the {what} of this dict", (self,))

    __hash__ = StagedContainer.__hash__


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
            items, element = items_of(self.containers, other)
            self.containers.admit(self.type.sites, element)
            self.containers.perform("set.update", (self, items))

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        return self._new("set.or", (self, other), items_of(self.containers, other)[1])

    def __and__(self, other: Any) -> Any:
        return self._new("set.and", (self, other))

    def __sub__(self, other: Any) -> Any:
        return self._new("set.sub", (self, other))

    __hash__ = StagedContainer.__hash__


Mapping.register(StagedDict)  # a `match` looks into it then, which is refused

complete(StagedDict, "dict")
complete(StagedSet, "set")
