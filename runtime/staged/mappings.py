"""References to real dicts, and the views of them, as converted code holds them."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from autograph.operators import call
from runtime.iteration.indexed import Indexed
from runtime.specs.spec import Spec, Tuple
from runtime.staged.containers import StagedContainer, new_list, stands_for
from runtime.staged.objects import refuse_methods
from runtime.tracer import known_items
from runtime.tracer.builder import refuse
from runtime.tracer.elements import element_of, join_elements
from runtime.tracer.spec import is_instance
from runtime.tracer.trace import require_trace

_MISSING = object()


class StagedDict(StagedContainer):
    """A dict whose keys only a run knows."""

    __slots__ = ()

    @property
    def key(self) -> Spec | None:
        return self.containers.current(self.type.key)

    @property
    def pair(self) -> Spec | None:
        """The spec of a key and its item."""
        return None if self.element is None or self.key is None else Tuple((self.key, self.element))

    def _admit(self, key: Any, value: Any) -> None:
        containers = self.containers
        containers.admit(self.type.sites, element_of(value), element_of(key))

    def _contents(self) -> dict[Any, Any] | None:
        """What it holds, where the trace knows the keys."""
        found: Any = self.containers.trace.heap.contents(self.value) if self.type.name == "dict" else None
        return found

    def contains(self, item: Any) -> Any:
        known = self._contents()
        return super().contains(item) if known is None or not known_items.is_place(item) else item in known

    def __getitem__(self, key: Any) -> Any:
        return self._take("dict.getitem", key)

    item_at = __getitem__  # of a key that is there, also in classes that derive from this

    def __setitem__(self, key: Any, value: Any) -> None:
        self._admit(key, value)
        self._do("dict.setitem", key, value)

    def __delitem__(self, key: Any) -> None:
        self._do("dict.delitem", key)

    def _or(self, operation: str, key: Any, default: Any) -> Any:
        """The item at ``key``, or ``default``."""
        element = join_elements(self.element, element_of(default))
        return self.containers.perform(operation, (self, key, default), element)

    def get(self, key: Any, default: Any = None, /) -> Any:
        known = self._contents()
        if known is not None and known_items.is_place(key):
            return self[key] if key in known else default
        return self._or("dict.get", key, default)

    def pop(self, key: Any, default: Any = _MISSING, /) -> Any:
        return self._take("dict.pop", key) if default is _MISSING else self._or("dict.pop", key, default)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        self._admit(key, default)
        return self._take("dict.setdefault", key, default)

    def popitem(self) -> Any:
        return self.containers.perform("dict.popitem", (self,), self.pair)

    def update(self, other: Any = (), /, **more: Any) -> None:
        if isinstance(other, StagedDict):
            self.containers.admit(self.type.sites, other.element, other.key)
            self._do("dict.update", other)
        elif is_instance(other):
            self.update(call(dict, other))
        else:
            for key, value in dict(other).items():
                self[key] = value
        for name, value in more.items():
            self[name] = value

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, StagedDict | dict):
            return NotImplemented
        known = other.type.name if isinstance(other, StagedDict) else type(other).__name__
        if (self.type.name, known) != ("dict", "dict"):
            raise refuse("`|` of dicts that are not both plain", "make a dict of each: dict(...)")
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if isinstance(other, dict):
            raise refuse("`|` of dicts that are not both plain", "make a dict of each: dict(...)")
        return NotImplemented

    def keys(self) -> Any:
        return self._view(self.items_now(), "keys")

    def values(self) -> Any:
        return self._view(new_list(self.containers, "dict.values", (self,), self.element), "values")

    def items(self) -> Any:
        return self._view(new_list(self.containers, "dict.items", (self,), self.pair), "items")

    def _view(self, items: Any, what: str) -> Any:
        heap = self.containers.trace.heap
        known, stores = self._contents(), heap.stores()
        keys = None if known is None else [*known]

        def item(place: Any) -> Any:
            """The item at a place, as it is now, where the keys are known to be those of before."""
            now = self._contents()
            if keys is None or now is None or type(place) is not int or [*now] != keys:
                return items[place]
            if heap.is_resized_since(stores, self.value):
                return items[place]
            key = keys[place]
            return key if what == "keys" else self[key] if what == "values" else (key, self[key])

        made = VIEWS[what]((0, items.length(), 1), item, f"the {what} of this dict", (self,))
        made.items = items
        return made


class View(Indexed):
    """The keys, values or items of a dict that a run knows; as long as the dict is when it is asked."""

    is_sized = True
    items: Any  # a list of them
    name: str

    def __iter__(self) -> Iterator[Any]:
        return Indexed.__iter__(self.now())

    def now(self) -> Any:
        return self if self.was_just_made() else getattr(self.over[0], self.name)()

    def was_just_made(self) -> bool:
        """Has nothing been done since the dict was asked for its keys, values or items?"""
        made = self.items.value.owner
        for op in reversed(require_trace().block.operations):
            if op is made:
                return True
            if op.name != "list.len":
                break
        return False

    def length(self) -> Any:
        return self.over[0].length()


class SetView(View):
    """The keys or items, which are no sets here."""

    def unknown(self, what: str) -> Exception:
        return refuse(f"{what} {self.what}, as of a set", "make a set of it first: set(d), set(d.items())")

    def isdisjoint(self, other: Any) -> NoReturn:
        raise self.unknown("`isdisjoint` of")


refuse_methods(SetView, dict.fromkeys("and rand or ror sub rsub xor rxor".split(), "an operator of"))
refuse_methods(SetView, dict.fromkeys("eq ne lt le gt ge".split(), "comparing"))


def _of_keys(operation: Any, is_reflected: bool = False) -> Any:
    """An operator of ``d.keys()``: that of a set of them."""

    def operate(self: Any, other: Any) -> Any:
        keys, others = call(set, self), call(set, other)
        return operation(others, keys) if is_reflected else operation(keys, others)

    return operate


_SET_OPERATORS = {"and": operator.and_, "or": operator.or_, "sub": operator.sub, "xor": operator.xor}
_OF_KEYS = {f"__{name}__": _of_keys(made) for name, made in _SET_OPERATORS.items()}
_OF_KEYS |= {f"__r{name}__": _of_keys(made, True) for name, made in _SET_OPERATORS.items()}

#: the classes of views bear Python's names, for its errors
VIEWS: dict[str, Any] = {
    "keys": type("dict_keys", (SetView,), {"name": "keys", **_OF_KEYS}),
    "values": type("dict_values", (View,), {"name": "values"}),
    "items": type("dict_items", (SetView,), {"name": "items"}),
}

Mapping.register(StagedDict)  # a `match` looks into it then, which is refused

stands_for("dict", StagedDict)
