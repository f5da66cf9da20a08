"""Lists, tuples, deques, dicts and sets of a run: their classes, made from the rows of `ops/methods.py`.

Here stands what is more than one operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from autograph.operators import call, for_stmt
from runtime.control_flow.branches import branch
from runtime.control_flow.iterators import name_in_messages
from runtime.ops.item_patterns import CONTAINERS, SPECIAL_DICTS
from runtime.ops.methods import Method, methods_of
from runtime.specs.spec import Leaf, Spec, Variant
from runtime.staged.containers import (
    CLASSES,
    StagedContainer,
    items_of,
    keys_of,
    new_list,
    require_real,
    view_of,
    without_choices,
)
from runtime.staged.indexing import with_certain_key
from runtime.staged.numbers import StagedNumber
from runtime.tracer import known_items
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice, is_instance
from runtime.types import BOOL, ScalarType

#: what `<` of two sequences may give: what the first items that differ give, or a bool
_ANSWER = Variant((Leaf(BOOL), Leaf(ScalarType(np.dtype(bool)))))


def direct(method: Any) -> Any:
    """Called at once: whatever the arguments are, the method itself says what becomes of them."""
    method.is_direct = True
    return method


class StagedSequence(StagedContainer):
    """What a list, a tuple and a deque have in common."""

    __slots__ = ()

    def __array_ufunc__(self, /, *args: Any, **kwargs: Any) -> NoReturn:
        raise refuse(
            "an operator between a list or tuple and a NumPy scalar makes an array",
            "write np.array(...) of the list",
        )

    def __getitem__(self, key: Any) -> Any:
        return self._at(key, "list.getitem", "list.slice")

    def _at(self, key: Any, of_item: str, of_slice: str, *args: Any) -> Any:
        """What is done at an index, or at a slice, whichever it is at run time."""
        return with_certain_key(
            key, lambda one: self.do(of_slice if isinstance(one, slice) else of_item, one, *args)
        )

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

    def _compared(self, name: str, other: Any) -> Any:
        return self.containers.perform(f"list.{name}", (self, other), _ANSWER)


class StagedList(StagedSequence):
    """A list or a deque."""

    __slots__ = ()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._at(key, "list.setitem", "list.setslice", value)

    def __delitem__(self, key: Any) -> None:
        self._at(key, "list.delitem", "list.delitem")

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        if key is None:
            self.do("list.sort", reverse)
        else:
            self.do("list.sort_by", keys_of(self, key), reverse)


class StagedDeque(StagedList):
    """A ``collections.deque``."""

    __slots__ = ()
    sort = property(lambda self: self.__getattr__("sort"))  # it has none


class StagedDict(StagedContainer):
    """A dict whose keys only a run knows."""

    __slots__ = ()
    __getitem__: Callable[..., Any]

    def known_keys(self) -> list[Any] | None:
        known = self.containers.trace.heap.contents(self.value) if self.type.name == "dict" else None
        return None if known is None else [*known]

    def contains(self, item: Any) -> Any:
        known = self.known_keys()
        return super().contains(item) if known is None or not known_items.is_place(item) else item in known

    def item_at(self, key: Any) -> Any:
        """Of a key that is there, also in classes that derive from this."""
        return self.do("dict.getitem", key)

    @direct
    def get(self, key: Any, default: Any = None, /) -> Any:
        known = self.known_keys()
        if known is not None and known_items.is_place(key):
            return self[key] if key in known else default
        return self.do("dict.get", key, default)

    def update(self, other: Any = (), /, **more: Any) -> None:
        if isinstance(other, StagedDict):
            self.do("dict.update", other)
        elif is_instance(other):
            self.update(call(dict, other))
        else:
            for key, value in dict(other).items():
                self[key] = value
        for name, value in more.items():
            self[name] = value

    def _collection(self, items: Any) -> tuple[Any, Spec | None, Spec | None]:
        return items, items.element, items.key

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, StagedDict | dict):
            return NotImplemented
        known = other.type.name if isinstance(other, StagedDict) else type(other).__name__
        if (self.type.name, known) != ("dict", "dict"):
            raise refuse("`|` of dicts that are not both plain", "make a dict of each: dict(...)")
        made = self.do("list.copy")
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if isinstance(other, dict):
            raise refuse("`|` of dicts that are not both plain", "make a dict of each: dict(...)")
        return NotImplemented

    @direct
    def keys(self) -> Any:
        return view_of(self, self.items_now(), "keys")

    @direct
    def values(self) -> Any:
        return view_of(self, new_list(self.containers, "dict.values", (self,), self.element), "values")

    @direct
    def items(self) -> Any:
        return view_of(self, self.do("dict.items"), "items")


class StagedOrderedDict(StagedDict):
    """A ``collections.OrderedDict``."""

    __slots__ = ()


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
        return self.item_at(key)

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
        return self.do("list.copy")


class StagedCounter(StagedDict):
    """A ``collections.Counter``."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self.do("dict.get", key, 0)

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


class StagedSet(StagedContainer):
    """A set whose items only a run knows."""

    __slots__ = ()

    @direct
    def pop(self) -> Any:
        return self.do("list.pop")

    def _collection(self, items: Any) -> tuple[Any, Spec | None, Spec | None]:
        """A set that the trace knows becomes one of the run: as a set, not as items, since an intersection
        has the items of the smaller of two sets."""
        if isinstance(items, set | frozenset):
            require_real("set", items)
            known = set(items) if isinstance(items, frozenset) else items
            items = self.containers.make(known, (self.containers.here(), "operand", "set"))
        return super()._collection(items)

    def _compared(self, name: str, other: Any) -> Any:
        return self.do(f"set.{name}", other)

    def _swapped(self, name: str, other: Any) -> Any:
        if isinstance(other, frozenset):
            known = known_items.as_plain(self)
            if known is not self:
                return getattr(other, name)(known)
            raise refuse(
                "an operator of a frozenset and a set is not staged", "make a set of it, with `set(...)`"
            )
        return self._collection(other)[0].do(f"set.{name}", self)

    def _in_place(self, name: str, other: Any) -> Any:
        self.do("set.update" if name == "union" else f"set.{name}_update", other)
        return self


def _operator(act: Callable[..., Any], name: str) -> Callable[..., Any]:
    """``a | b`` and its like: of one kind only, where the method of the same meaning takes any items."""

    def operate(self: Any, other: Any) -> Any:
        return act(self, name, other) if self._is_other(other) else NotImplemented

    return operate


_SYMBOLS = {"or": "union", "and": "intersection", "sub": "difference", "xor": "symmetric_difference"}
for _symbol, _name in _SYMBOLS.items():
    setattr(StagedSet, f"__{_symbol}__", _operator(StagedSet._compared, _name))
    setattr(StagedSet, f"__r{_symbol}__", _operator(StagedSet._swapped, _name))
    setattr(StagedSet, f"__i{_symbol}__", _operator(StagedSet._in_place, _name))
for _name in ("lt", "le", "gt", "ge"):
    for _base in (StagedSequence, StagedSet):
        setattr(_base, f"__{_name}__", _operator(_base._compared, _name))


# -- from rows ---------------------------------------------------------------------------------------------


def _method(row: Method, name: str, real: type) -> Callable[..., Any]:
    """The method of this name that a row of the table is."""

    def method(self: StagedContainer, /, *args: Any, **named: Any) -> Any:
        given = row.given(args, named)
        if given is None:  # which raises, in Python's words
            getattr(real(), name)(*[None] * len(args), **dict.fromkeys(named))
        made = self.do(row.name, *(given or ()))
        return self if name.startswith("__i") else made

    method.__name__ = name
    return method if row.is_of_collections else direct(method)


def _from_source(function: FunctionType) -> Callable[..., Any]:
    """A method that Python's library has in Python: it runs converted."""
    return lambda self, /, *args, **named: call(function, self, *args, **named)


_WRITTEN: dict[str, type[StagedContainer]] = {
    "list": StagedList, "tuple": StagedSequence, "deque": StagedDeque, "set": StagedSet, "dict": StagedDict,
    "OrderedDict": StagedOrderedDict, "defaultdict": StagedDefaultDict, "Counter": StagedCounter,
}  # fmt: skip
#: asked of the real one by its class, or answered for all containers
_NOT_CALLED = frozenset({"__init__", "__missing__", "__repr__", "__reduce__", "__eq__", "__ne__"})
for _kind, _class in _WRITTEN.items():
    _real = CONTAINERS[_kind]
    _made = {n: _method(row, n, _real) for n, row in methods_of(_kind).items() if not hasattr(_class, n)}
    _rows = {*methods_of("dict"), *_made, *vars(_class), *_NOT_CALLED}
    _made |= {
        n: _from_source(f) for n, f in vars(_real).items() if type(f) is FunctionType and n not in _rows
    }
    # Python asks the right operand first where its class derives from the left one's
    _bases = (_class, CLASSES["dict"]) if _real in SPECIAL_DICTS else (_class,)
    CLASSES[_kind] = type(name_in_messages(_real), _bases, {"__slots__": (), "__module__": __name__, **_made})

Sequence.register(StagedSequence)  # a `match` asks for its length then, which is refused
Mapping.register(StagedDict)  # a `match` looks into it then, which is refused
