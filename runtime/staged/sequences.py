"""References to real lists, tuples and deques, as converted code holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from runtime.specs.spec import Leaf, Variant
from runtime.staged.containers import StagedContainer, items_of, keys_of, stands_for, without_choices
from runtime.staged.indexing import with_certain_key
from runtime.staged.numbers import StagedNumber
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice, is_instance
from runtime.types import BOOL, ScalarType


def plain_index(key: Any) -> Any:
    """The key. Raises StagingError for an object of the user's, whose `__index__` a run would ask."""
    if is_instance(key) and hasattr(type(key), "__index__"):
        raise refuse("a place or a number of times has a class of yours", "write operator.index(...)")
    return key


class StagedSequence(StagedContainer):
    """What a list, a tuple and a deque have in common."""

    __slots__ = ()

    def __array_ufunc__(self, /, *args: Any, **kwargs: Any) -> NoReturn:
        raise refuse(
            "an operator between a list or tuple and a NumPy scalar makes an array",
            "write np.array(...) of the list",
        )

    def index(self, item: Any, /, *bounds: Any) -> Any:
        return self._ask("list.index", item, *bounds)

    def count(self, item: Any, /) -> Any:
        return self._ask("list.count", item)

    def __getitem__(self, key: Any) -> Any:
        return with_certain_key(key, self._read)

    def _read(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._new("list.slice", (self, key))
        return self._take("list.getitem", plain_index(key))

    def __add__(self, other: Any) -> Any:
        if self._is_other(other):
            return self._new("list.concat", (self, other), items_of(self.containers, other)[1])
        is_number = isinstance(other, bool | int | float | complex | StagedNumber)
        if not is_number and (isinstance(other, Staged | Choice) or hasattr(type(other), "__radd__")):
            return NotImplemented
        kind, name = self.type.name, type(other).__name__
        raise TypeError(f'can only concatenate {kind} (not "{name}") to {kind}')

    def __radd__(self, other: Any) -> Any:
        if not self._is_other(other):
            return NotImplemented
        return self._new("list.concat", (other, self), items_of(self.containers, other)[1])

    def __mul__(self, times: Any) -> Any:
        return self._new("list.repeat", (self, plain_index(times)))

    def __rmul__(self, times: Any) -> Any:
        return self * times


Sequence.register(StagedSequence)  # a `match` asks for its length then, which is refused


#: what `<` of two sequences may give: what the first items that differ give, or a bool
_ANSWER = Variant((Leaf(BOOL), Leaf(ScalarType(np.dtype(bool)))))


def _comparison(name: str) -> Callable[[StagedSequence, Any], Any]:
    def compare(self: StagedSequence, other: Any) -> Any:
        if not self._is_other(other):
            return NotImplemented
        return self.containers.perform(f"list.{name}", (self, other), _ANSWER)

    return compare


for _name in ("lt", "le", "gt", "ge"):
    setattr(StagedSequence, f"__{_name}__", _comparison(_name))


class StagedList(StagedSequence):
    """A list."""

    __slots__ = ()

    def append(self, item: Any, /) -> None:
        self._store("list.append", (item,), 0)

    def insert(self, index: Any, item: Any, /) -> None:
        self._store("list.insert", (plain_index(index), item), 1)

    def pop(self, *index: Any) -> Any:
        return self._take("list.pop", *map(plain_index, index))

    def remove(self, item: Any, /) -> None:
        self._do("list.remove", item)

    def reverse(self) -> None:
        self._do("list.reverse")

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        if key is None:
            self._do("list.sort", reverse)
        else:
            self._do("list.sort_by", keys_of(self, key), reverse)

    def extend(self, items: Any, /) -> None:
        def extend(items: Any) -> None:
            other, element = items_of(self.containers, items)
            self.containers.admit(self.type.sites, element)
            self._do("list.extend", other)

        without_choices((items,), extend)

    def __setitem__(self, key: Any, value: Any) -> None:
        with_certain_key(key, lambda one: self._write(one, value))

    def _write(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            other, element = items_of(self.containers, value)
            self.containers.admit(self.type.sites, element)
            self.containers.perform("list.setslice", (self, key, other))
        else:
            self._store("list.setitem", (plain_index(key), value), 1)

    def __delitem__(self, key: Any) -> None:
        with_certain_key(key, lambda one: self._do("list.delitem", plain_index(one)))

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __imul__(self, times: Any) -> Any:
        self._do("list.imul", times)
        return self


class StagedDeque(StagedList):
    """A ``collections.deque``."""

    __slots__ = ()

    def appendleft(self, item: Any, /) -> None:
        self._store("list.appendleft", (item,), 0)

    def popleft(self) -> Any:
        return self._take("list.popleft")

    def rotate(self, steps: Any = 1, /) -> None:
        self._do("list.rotate", steps)

    sort = property(lambda self: self.__getattr__("sort"))  # it has none


for _kind, _class in (("list", StagedList), ("tuple", StagedSequence), ("deque", StagedDeque)):
    stands_for(_kind, _class)
