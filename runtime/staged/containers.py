"""References to real lists, deques, sets and dicts, as converted code holds them: what they have in common.

Every method is an operation on the real container, at that point of each run: aliases, exceptions and the
order of changes are Python's own.

The keys, values and items of a dict of the run, as converted code holds them.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from autograph.loading import loaded
from autograph.operators import call, for_stmt, get_item
from runtime.control_flow.choices import dispatch
from runtime.control_flow.indexed import Indexed
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.methods import GROWS, METHODS, NEW, PAIR, PAIRS, Method, is_literal
from runtime.specs.spec import Leaf, Spec, Tuple
from runtime.staged.objects import refuse_methods, text_about
from runtime.tracer import known_items
from runtime.tracer.builder import WRAPPERS, Staged, emit, refuse
from runtime.tracer.elements import element_of, join_elements
from runtime.tracer.spec import choice_in, is_instance, with_part
from runtime.tracer.trace import Trace, require_trace
from runtime.types import MAPPINGS, STR, ArrayType, ContainerType, ScalarType

_KINDS: dict[type, str] = {kind: kind.__name__ for kind in (list, tuple, dict, set, deque)}
_KINDS[frozenset] = "set"
#: what stands for containers of each kind
CLASSES: dict[str, type[StagedContainer]] = {}


def require_real(kind: str, other: Any) -> None:
    """Raises StagingError for an instance of a class that is derived from that of a container."""
    if not isinstance(other, StagedContainer) and type(other) not in (*CONTAINERS.values(), frozenset):
        raise refuse(
            f"a {kind} meets a {type(other).__name__}, whose class is derived from {kind}",
            f"make a {kind} of it first",
        )


def plain_index(key: Any) -> Any:
    """The key. Raises StagingError for an object of the user's, whose `__index__` a run would ask."""
    if is_instance(key) and hasattr(type(key), "__index__"):
        raise refuse("a place or a number of times has a class of yours", "write operator.index(...)")
    return key


class StagedContainer(Staged):
    """A container of which a run knows the length."""

    __slots__ = ()
    builder: Trace
    boxed = False

    @property
    def type(self) -> ContainerType:
        return self.value.type  # type: ignore[return-value]

    @property
    def containers(self) -> Any:
        return self.builder.containers

    @property
    def element(self) -> Spec | None:
        return self.containers.current(self.type.element)

    @property
    def key(self) -> Spec | None:
        return self.containers.current(self.type.key)

    @property
    def pair(self) -> Spec | None:
        """The spec of a key and its item."""
        return None if self.element is None or self.key is None else Tuple((self.key, self.element))

    def do(self, operation: str, *args: Any) -> Any:
        """What the row of the table says, done to this container and these arguments."""
        row = METHODS[operation]
        if row.is_of_collections:
            return without_choices(args, lambda *args: self._do(row, args))
        return self._do(row, args)

    def _do(self, row: Method, args: tuple[Any, ...]) -> Any:
        containers, given = self.containers, list(args)
        put = key = default = None
        for place, (letter, arg) in enumerate(row.by_letter((self, *args)), -1):
            if letter == "i":
                plain_index(arg)
            elif letter == "v":
                put = element_of(arg)
            elif letter == "k" and row.writes == GROWS:
                key = element_of(arg)
            elif letter == "d":
                default = element_of(arg)
            elif letter in "so":
                given[place], element, key = self._collection(arg)
                put = join_elements(put, element) if letter == "s" else put
        if row.gives == NEW:
            return self._new(row.name, (self, *given), put)
        if row.gives == PAIRS:
            return new_list(containers, row.name, (self, *given), self.pair)
        if put is not None:
            containers.admit(self.type.sites, put, key)
        if row.answers:
            return ask(row.name, self, *given)
        if row.gives is None:
            return containers.perform(row.name, (self, *given))
        gives = self.pair if row.gives == PAIR else join_elements(self.element, default)
        return containers.perform(row.name, (self, *given), gives)

    def _collection(self, items: Any) -> tuple[Any, Spec | None, Spec | None]:
        """An argument that has items, as a run gets it; the specs that hold each of them, and each key."""
        return (*items_of(self.containers, items), None)

    def length(self) -> Any:
        """How many items there are: an int where the trace knows that, else a staged one."""
        known = self.known_length()
        return emit("list.len", [self]) if known is None else known

    def known_length(self) -> int | None:
        has_facts = self.type.name in ("list", "dict", "set")
        known = self.containers.trace.heap.length(self.value) if has_facts else None
        if known is not None:
            self.containers.trace.references.verify("list.verify_length", (self,), known)
        return known

    def known_contents(self) -> Any:
        """A list or dict of what it holds, where the trace knows that; else None."""
        return known_items.known_items(self.containers.trace.heap, self)

    def contains(self, item: Any) -> Any:
        members = known_items.as_plain(self)
        if type(members) is set and known_items.is_place(item):
            return item in members
        return ask("list.contains", self, item)

    def items_now(self) -> Any:
        """A list of the items (of a dict: the keys) that it has at this point of the run."""
        element = self.key if self.type.is_mapping else self.element
        return new_list(self.containers, "list.of", (self,), element)

    def _new(self, operation: str, args: tuple[Any, ...], element: Spec | None = None) -> Any:
        """A new container of this kind, of the items of this one and perhaps of others."""
        containers = self.containers
        site = containers.here()
        containers.admit(frozenset({site}), join_elements(self.element, element), self.key)
        return containers.new(operation, args, self.type.name, site)

    def _is_other(self, other: Any) -> bool:
        """Is it a container of the same kind, whether a run knows it or the trace?

        Raises StagingError for one of a class of the user's that is derived from this kind.
        """
        if isinstance(other, StagedContainer):
            kind = other.type.name
        else:
            kind = next((kind for cls, kind in _KINDS.items() if isinstance(other, cls)), "")
        is_other = kind == self.type.name or (self.type.is_mapping and kind in MAPPINGS)
        if is_other:
            require_real(kind, other)
        return is_other

    def __eq__(self, other: Any) -> Any:
        return self._equals(other) if self._is_other(other) else NotImplemented

    def _equals(self, other: Any) -> Any:
        known = known_items.with_known_items((self, other))
        if all(map(known_items.are_comparable, known)):
            return bool(known[0] == known[1])
        return ask("list.equal", self, other)

    def __ne__(self, other: Any) -> Any:
        if not self._is_other(other):
            return NotImplemented
        equal = self._equals(other)
        return not equal if isinstance(equal, bool) else emit("py.not", [equal])

    def unknown(self, what: str) -> Exception:
        return refuse(
            f"plain Python {what} a {self.type.name} of which only a run knows the length",
            "do it in converted code, with a `for` statement over it",
        )

    def __getattr__(self, name: str) -> Any:
        kind = CONTAINERS[self.type.name]
        if hasattr(kind, name):
            raise refuse(
                f"`{name}` of a {self.type.name} of which only a run knows the length is not supported",
                "write what it does with a `for` statement and the other methods",
            )
        try:
            return getattr(kind(), name)
        except AttributeError as error:  # in Python's words
            raise AttributeError(*error.args, name=name, obj=self) from None

    def _certain_length(self, what: str) -> int:
        """Raises StagingError where only a run knows the length; ``what`` Python does with it."""
        length = self.known_length()
        if length is None:
            raise self.unknown(what)
        return length

    def __iter__(self) -> Iterator[Any]:
        self._certain_length("iterates over")
        return self._items_in_turn()

    def _items_in_turn(self) -> Iterator[Any]:
        """As Python's own iterator gives them: the length is asked for each time."""
        if self.type.name != "list":
            known = [*known_items.as_plain(self)]
            for item in known:
                if [*known_items.as_plain(self)] != known:
                    raise self.unknown("goes on over")
                yield item
            return
        place = 0
        while place < self._certain_length("iterates over"):
            yield get_item(self, place)
            place += 1

    def __len__(self) -> int:
        return self._certain_length("asks for the length of")

    def __bool__(self) -> bool:
        return self._certain_length("asks for the truth of") > 0

    def __hash__(self) -> int:
        if self.type.name == "tuple":
            raise self.unknown("asks for the hash of")
        raise TypeError(f"unhashable type: {type(self).__name__!r}")

    def __repr__(self) -> str:
        return text_about(self, f"<staged {self.type}>")


refuse_methods(
    StagedContainer,
    {"contains": "looks into", "str": "asks for the text of", "format": "formats"},
)


def keys_of(items: Any, key: Callable[[Any], Any]) -> Any:
    """A list of ``key(item)`` for each item, in a loop of its own."""
    containers = items.containers
    keys = new_list(containers, "list.new", ([],), None, role="keys")
    for_stmt(items, None, lambda item: keys.append(call(key, item)))
    return keys


def new_list(
    containers: Any,
    operation: str,
    args: tuple[Any, ...],
    element: Spec | None,
    kind: str = "list",
    role: str = "items",
) -> Any:
    """A new list, made by an operation at the place of the program that runs now.

    ``role`` tells lists apart that one place makes: what is put into one does not widen the other's items.
    """
    site = (containers.here(), operation, kind, role)
    containers.admit(frozenset({site}), element)
    structure = args[0] if is_literal(operation) else args
    return containers.new(operation, structure, kind, site)


def items_of(containers: Any, items: Any) -> tuple[Any, Spec | None]:
    """Items to be put into a container: as they are given to a run, and the spec that holds each."""
    if isinstance(items, StagedContainer):
        return items, items.key if items.type.is_mapping else items.element
    if isinstance(items, Staged) and isinstance(items.type, ArrayType) and items.type.ndim:
        kind = items.type
        return items, Leaf(ArrayType(kind.dtype, kind.shape[1:]) if kind.ndim > 1 else ScalarType(kind.dtype))
    if isinstance(items, Staged) and items.type == STR:
        return items, Leaf(STR)
    if isinstance(items, list | tuple | dict) and choice_in(list(items)) is not None:
        return items_of(containers, containers.make(list(items), (containers.here(), "items")))
    if isinstance(items, list | tuple | range | str | dict | set):
        element: Spec | None = None
        for item in items:
            element = join_elements(element, element_of(item))
        return list(items), element
    return items_of(containers, call(list, items))


def without_choices(values: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    """``function(*values)``, where no value, and nothing in a structure among them, is one of several."""
    chosen = choice_in(values)
    if chosen is None:
        return function(*values)
    return dispatch(chosen, lambda one: without_choices(with_part(values, chosen, one), function))


def ask(operation: str, *args: Any) -> Any:
    """Append an operation that answers a question; its arguments may be structures with staged leaves."""

    def append(*values: Any) -> Any:
        containers = require_trace().containers
        leaves, attributes = containers.operands(operation, values)
        containers.methods.check(operation, leaves)
        return emit(operation, leaves, **attributes)

    return without_choices(args, append)


def _wrap(value: Any, builder: Any) -> StagedContainer:
    if not CLASSES:
        loaded("runtime.staged.kinds")  # which makes them
    builder.heap.origins.meet(value)  # now, so that what is made later is known to be another one
    return CLASSES[value.type.name](value, builder)


WRAPPERS[ContainerType] = _wrap


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
