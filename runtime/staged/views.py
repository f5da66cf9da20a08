"""The keys, values and items of a dict of the run, as converted code holds them."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NoReturn

from autograph.operators import call
from runtime.control_flow.indexed import Indexed
from runtime.staged.objects import refuse_methods
from runtime.tracer.builder import refuse
from runtime.tracer.trace import require_trace


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
            if not op.is_length:
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


def view_of(table: Any, items: Any, what: str) -> View:
    """``table.keys()``, ``values()`` or ``items()``, of which ``items`` is a list."""
    heap = table.containers.trace.heap
    keys, stores = table.known_keys(), heap.stores()

    def item(place: Any) -> Any:
        """The item at a place, as it is now, where the keys are known to be those of before."""
        is_known = keys is not None and type(place) is int and table.known_keys() == keys
        if not is_known or heap.is_resized_since(stores, table.value):
            return items[place]
        key = keys[place]
        return key if what == "keys" else table[key] if what == "values" else (key, table[key])

    made: View = VIEWS[what]((0, items.length(), 1), item, f"the {what} of this dict", (table,))
    made.items = items
    return made
