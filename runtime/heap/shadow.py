"""Facts: what attributes of objects of the run and items of lists are at this point of a trace.

A fact is the trace's own value of a field, that which was stored or loaded last. Each open block has
facts, to begin with those of the block around it. An operation that may write a field makes the facts
about it go, in all open blocks: so what a body may write is unknown at the head of a loop, in a
handler, and after the statement.

>>> from runtime.graph import Block, Operation, Value
>>> from runtime.types import ContainerType, InstanceType
>>> kind = InstanceType("Node", object)
>>> a, b = Value(kind, "a"), Value(kind, "b")
>>> heap = ShadowHeap([Block([a, b])])
>>> for reference, name in ((a, "x"), (b, "x"), (b, "y")):
...     heap.learn(reference, name, 1.0)
>>> heap.forget(field_of(a, "x"), a)
>>> heap.fact(a, "x"), heap.fact(b, "x"), heap.fact(b, "y")
(UNKNOWN, UNKNOWN, 1.0)
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from autograph.records import record
from runtime.graph import Block, Operation, Value
from runtime.graph.effects import Field, effects_of, fields_of, may_write_fields
from runtime.graph.rewrite import is_there
from runtime.guards.keys import mark
from runtime.heap.places import Origins, Place, StaticPlace, base_of
from runtime.ops import REGISTRY
from runtime.types import ContainerType, InstanceType, ObjectType


def _is_of_arrays(operation: Operation) -> bool:
    """Is it a call of a library with arrays and numbers alone, in which no code of the user's runs?"""
    if not operation.calls_python:
        return operation.draws
    function, types = operation.attributes["function"], [value.type for value in operation.inputs]
    if getattr(function, "is_tried", False):
        return True
    if any(isinstance(kind, InstanceType | ContainerType) for kind in types):
        return False
    is_of_generator = bool(types) and str(types[0]) in ("Generator", "RandomState")
    return is_of_generator or getattr(function, "__module__", None) in ("numpy.random", "time")


class Unknown(enum.Enum):
    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return self.name


UNKNOWN: Final = Unknown.UNKNOWN

#: by field, and place; the inner ones are never changed, so that copies share them
Facts: TypeAlias = "dict[Field, Mapping[Any, Any]]"
#: that of static places: where none of them has a fact, it holds what it held when the call began
STATIC: Final = Field("static", "")
_NONE: Final[Mapping[StaticPlace, Any]] = MappingProxyType({})


@record
class Moment:
    """What was known at a point of the trace."""

    facts: Facts
    references: int  # how many were known
    asked: int  # how many loads there were, ...
    stored: int  # ... and stores
    forgot_all: int  # as `ShadowHeap._forgot_all`
    forgot: int  # as `ShadowHeap._forgot`


@record(slots=False, frozen=False, eq=False)
class EntryFact:
    """What something from outside held when the call began."""

    value: Any
    until: int | None = None  # as `ShadowHeap._forgot`, when somebody may have stored there


@record
class Change:
    """An attribute of an object, an item of a list or a static place, and what it holds on several paths."""

    field: Field
    place: Any  # a Place, or a StaticPlace
    values: list[Any]
    before: Any  # what it held before them, or UNKNOWN

    @property
    def name(self) -> str:
        return self.place.name if isinstance(self.place, StaticPlace) else self.field.name


class ShadowHeap:
    """The facts of one trace. ``blocks``: those that are open, the innermost last."""

    def __init__(self, blocks: list[Block]) -> None:
        self.origins = Origins()
        self._blocks = blocks
        self._facts: dict[Block, Facts] = {}
        self._entry: dict[Field, dict[Place, EntryFact]] = {}  # what was there before the call
        self._static_entry: dict[StaticPlace, Any] = {}
        self.stored_to: set[StaticPlace] = set()  # on any path
        self._forgot = 0  # how often anything was
        self._functions: set[Block] = set()  # bodies of functions of the graph
        self._forgot_all = 0  # how often that was
        self._calls = 0  # of functions of the graph
        self._keys: dict[tuple[Any, ...], tuple[Any, ...]] = {}  # of dicts
        self._asked: list[tuple[Field, Place]] = []  # what was loaded, known or not, in turn
        self._stored: list[tuple[Field, Value]] = []  # and what was stored to
        self._same_names: dict[tuple[str, ...], tuple[str, ...]] = {}  # facts are compared by identity

    # -- loads and stores -------------------------------------------------------------------------------

    def fact(self, reference: Value, name: str) -> Any:
        """What an attribute holds, or UNKNOWN."""
        return self.at(field_of(reference, name), reference)

    def learn(self, reference: Value, name: str, value: Any) -> None:
        """An attribute holds this value now: the operation that stored or loaded it was appended."""
        self.learn_place(field_of(reference, name), reference, value)

    def names(self, reference: Value) -> tuple[str, ...] | None:
        """The names in the ``__dict__`` of an object in their order, where all of them are known."""
        found = self.at(field_of(reference, _NAMES), reference)
        return None if found is UNKNOWN else found

    def learn_names(self, reference: Value, names: tuple[str, ...]) -> None:
        """The ``__dict__`` of an object has these names now, and no others."""
        self.learn_place(field_of(reference, _NAMES), reference, self._same_names.setdefault(names, names))

    def item(self, items: Value, index: Any) -> Any:
        """What a list holds under an index, or a dict under a key, or UNKNOWN."""
        return self.at(_items_of(items), (items, index))

    def learn_item(self, items: Value, index: Any, value: Any) -> None:
        """A list holds this value under an index now, and under no other name of this index another one."""
        self.learn_place(_items_of(items), (items, index), value)

    def length(self, items: Value) -> int | None:
        """How many items a list or a dict has, where that is known."""
        found = self.at(_length_of(items), items)
        return None if found is UNKNOWN else found if type(found) is int else len(found)

    def has_key(self, items: Value, key: Any) -> bool:
        """Are the keys of a dict known, and is this one of them?"""
        keys = self.at(_length_of(items), items)
        return keys is not UNKNOWN and type(keys) is tuple and key in keys

    def contents(self, items: Value) -> list[Any] | dict[Any, Any] | None:
        """What a list of known length, or a dict of known keys, holds, with UNKNOWN for what is not known."""
        return _contents(self.at(_length_of(items), items), lambda key: self.item(items, key))

    def contents_after(
        self, block: Block | None, before: Moment, items: Value
    ) -> list[Any] | dict[Any, Any] | None:
        """As `contents`, where a path has come to its end; None: where it began."""
        facts = before.facts if block is None else self._facts.get(block, before.facts)

        def held(field: Field, place: Place) -> Any:
            found = facts.get(field, {}).get(place, UNKNOWN)
            if found is before.facts.get(field, {}).get(place, UNKNOWN):  # a loop around takes it for granted
                self._asked.append((field, place))
            return found

        return _contents(held(_length_of(items), items), lambda key: held(_items_of(items), (items, key)))

    def members(self, items: Value) -> AbstractSet[Any] | None:
        """The members of a set of constants in their order, where it is as it was made."""
        found = self.at(_length_of(items), items)
        return None if found is UNKNOWN else found

    def learn_members(self, items: Value, members: AbstractSet[Any]) -> None:
        """A set of constants was made, of these members in this order; nobody changes ``members``."""
        self.learn_place(_length_of(items), items, members)

    def learn_contents(self, items: Value, contents: list[Any] | dict[Any, Any]) -> None:
        """A list or a dict holds these values now; UNKNOWN for one that is not known."""
        pairs = contents.items() if isinstance(contents, dict) else enumerate(contents)
        shape: Any = len(contents)
        if isinstance(contents, dict):  # the same object for the same keys: facts are compared so
            shape = self._keys.setdefault(tuple(map(mark, contents)), tuple(contents))
        self.learn_place(_length_of(items), items, shape)
        facts, field = self._here(), _items_of(items)
        known: dict[Place, Any] = {(items, index): value for index, value in pairs if value is not UNKNOWN}
        facts[field] = {**facts.get(field, {}), **known}

    def learn_entry(self, items: Value, contents: list[Any] | dict[Any, Any]) -> None:
        """A list or dict from outside, met just now, held these values when the call began.

        Nothing is known of it where somebody may have stored there before the trace met it.
        """
        kind = items.expect(ObjectType).name
        stored = {reference for field, reference in self._stored if field.owner == kind}
        if self._forgot_all or any(self.origins.may_be_one(reference, items) for reference in stored):
            return
        self.learn_contents(items, contents)
        for field in (_length_of(items), _items_of(items)):
            known = {place: value for place, value in self._here()[field].items() if base_of(place) is items}
            entry = self._entry.setdefault(field, {})
            entry.update({place: EntryFact(value) for place, value in known.items()})
            for facts in self._open():
                facts[field] = {**facts.get(field, {}), **known}

    # -- static places ----------------------------------------------------------------------------------

    def held(self, place: StaticPlace) -> Any:
        """What a static place holds."""
        known = self._here().get(STATIC, _NONE)
        return known[place] if place in known else self.held_at_entry(place)

    def static_facts(self, block: Block | None = None) -> Mapping[StaticPlace, Any]:
        """What is stored in static places here, or at the end of a block."""
        facts = self._here() if block is None else self._facts.get(block, {})
        return facts.get(STATIC, _NONE)

    def is_stored(self, place: StaticPlace) -> bool:
        """Has this path, or one before it, stored something there?"""
        return place in self._here().get(STATIC, _NONE)

    def hold(self, place: StaticPlace, value: Any) -> None:
        """A static place holds this value now: it was stored, or several paths have left it."""
        value = place.accept(value)
        self.learn_static(place, value)
        place.show(value)

    def learn_static(self, place: StaticPlace, value: Any) -> None:
        """As `hold`, where Python has stored it already."""
        self.stored_to.add(place)
        if self._here().get(STATIC, _NONE).get(place, UNKNOWN) is not value:
            self._here()[STATIC] = {**self._here().get(STATIC, _NONE), place: value}

    def make_known(self, place: StaticPlace, references: int, before: Any) -> None:
        """A place of the trace was there when so many references were known, and held this before."""
        self.origins.meet_before(place, references)
        self._static_entry[place] = before

    def held_at_entry(self, place: StaticPlace) -> Any:
        """What a static place held when the call began, or when the trace made it."""
        if place not in self._static_entry:
            self._static_entry[place] = place.entry()
        return self._static_entry[place]

    def stored_on_paths(self, before: Moment, count: int, ends: Sequence[Block]) -> Iterator[Change]:
        """Static places in which one of these paths has left another value; arguments as of `on_paths`."""
        was = before.facts.get(STATIC, _NONE)
        inner = self._blocks[-1]
        left = [
            (self._here() if block is inner else self._facts.get(block, before.facts)).get(STATIC, _NONE)
            for block in ends
        ]
        for place in dict.fromkeys([place for known in left if known is not was for place in known]):
            if place.outlives_block or self.origins.is_before(place, count):
                old = was[place] if place in was else self.held_at_entry(place)
                values = [known.get(place, old) for known in left]
                if any(value is not old for value in values):
                    yield Change(STATIC, place, values, old)

    def end_block(self, block: Block, began: int) -> None:
        """A block is over, which began when so many references were known: Python finds in static places
        what the block around knows of them."""
        self._show_again(self._facts.get(block, {}).get(STATIC, _NONE), began)

    def _show_again(self, left: Mapping[StaticPlace, Any], count: int) -> None:
        for place, value in left.items() if left is not self._here().get(STATIC) else ():
            if not self.origins.is_before(place, count):
                self._static_entry[place] = value  # who knows the place sees no other
            elif place.is_shown and self.held(place) is not value:
                place.show(self.held(place))

    # -- all facts --------------------------------------------------------------------------------------

    def at(self, field: Field, place: Place) -> Any:
        """What a place holds, or UNKNOWN."""
        found = self._is(field, place)
        self._asked.append((field, place))
        return found

    def _at_entry(self, field: Field, place: Place, forgot: int) -> Any:
        """What a place of a list or dict from outside held when the call began, if it does when so much
        was forgotten; UNKNOWN in functions of the graph, which are called later."""
        entry = self._entry.get(field, {}).get(place)
        if entry is None or not self._functions.isdisjoint(self._blocks):
            return UNKNOWN
        return entry.value if entry.until is None or forgot < entry.until else UNKNOWN

    def _was(self, moment: Moment, field: Field, place: Place) -> Any:
        """What was known at a moment."""
        found = moment.facts.get(field, {}).get(place, UNKNOWN)
        return self._at_entry(field, place, moment.forgot) if found is UNKNOWN else found

    def _is(self, field: Field, place: Place) -> Any:
        found = self._here().get(field, {}).get(place, UNKNOWN)
        return self._at_entry(field, place, self._forgot) if found is UNKNOWN else found

    def hand_inwards(self, block: Block, reference: Value) -> None:
        """What an open block knows of a reference holds in those inside, too, which have not stored to it."""
        depth = self._blocks.index(block)
        found = {
            field: {place: value for place, value in known.items() if base_of(place) is reference}
            for field, known in self._of(depth).items()
        }
        for facts in self._open()[depth + 1 :]:
            for field, known in found.items():
                if known:
                    facts[field] = {**facts.get(field, {}), **known}

    def learn_place(self, field: Field, place: Place, value: Any) -> None:
        """A place holds this value now."""
        self.origins.meet(base_of(place))
        facts = self._here()
        facts[field] = {**facts.get(field, {}), place: value}

    # -- forgetting -------------------------------------------------------------------------------------

    def follow(self, operation: Operation) -> None:
        """An operation was appended to the innermost block."""
        if operation.blocks or effects_of(operation).leaves:  # what stands in its blocks was followed there
            return
        # A "store" is one to what is known along a path, from outside: no reference stands for that.
        if REGISTRY[operation.name].family == "store" or _is_of_arrays(operation):
            return
        if operation.is_call:
            self._calls += 1
            self.forget_all()
        elif may_write_fields(operation):
            for field in fields_of(operation) or (None,):
                if field is None:
                    self.forget_all()
                else:
                    self._stored.append((field, operation.inputs[0]))
                    self.forget(field, operation.inputs[0], operation.is_attribute_deletion)

    def forget(self, field: Field, reference: Value, deletes: bool = False) -> None:
        """Somebody may store to this field of the object, which may be one that is known by another name."""
        self.origins.meet(reference)
        may_be_one = self.origins.may_be_one
        self._forgot += 1
        for place, entry in self._entry.get(field, {}).items():
            if entry.until is None and may_be_one(base_of(place), reference):
                entry.until = self._forgot
        names = Field(field.owner, _NAMES)
        for facts in self._open():
            if facts.get(names):
                facts[names] = {
                    place: known
                    for place, known in facts[names].items()
                    if (field.name in known) is not deletes or not may_be_one(base_of(place), reference)
                }
            known = facts.get(field)
            if known:
                kept = {
                    place: value
                    for place, value in known.items()
                    if not may_be_one(base_of(place), reference)
                }
                if len(kept) < len(known):
                    facts[field] = kept

    def forget_all(self) -> None:
        self._forgot_all += 1
        self._forgot += 1
        for entry in [entry for known in self._entry.values() for entry in known.values()]:
            entry.until = entry.until or self._forgot
        for facts in self._open():
            static = facts.get(STATIC, _NONE)
            facts.clear()
            facts[STATIC] = static

    # -- blocks -----------------------------------------------------------------------------------------

    def _here(self) -> Facts:
        return self._of(len(self._blocks) - 1)

    def _of(self, depth: int) -> Facts:
        block = self._blocks[depth]
        facts = self._facts.get(block)
        if facts is None:
            depth = self._blocks.index(block)  # one that is open may be entered once more
            facts = self._facts[block] = dict(self._of(depth - 1)) if depth else {}
        return facts

    def _open(self) -> list[Facts]:
        return [self._of(depth) for depth in range(len(self._blocks))]

    def begin_function(self, body: Block) -> None:
        """What is traced into this block runs whenever the function is called: nothing is known there."""
        self._facts[body] = {STATIC: self._here().get(STATIC, _NONE)}
        self._functions.add(body)

    def moment(self) -> Moment:
        """What is known here, to be compared with later, or to go back to."""
        asked, stored = len(self._asked), len(self._stored)
        facts, references = dict(self._here()), self.origins.count()
        return Moment(facts, references, asked, stored, self._forgot_all, self._forgot)

    def go_back(self, moment: Moment) -> None:
        """What was appended to the innermost block since then was taken back, or stands on another path."""
        left = self._here().get(STATIC, _NONE)
        self._facts[self._blocks[-1]] = dict(moment.facts)
        self._show_again(left, moment.references)

    def meet(self, before: Moment, ends: Sequence[Moment], is_own: Callable[[Any], bool]) -> None:
        """Paths meet here, which began with the same facts: those that all of them have left hold on, and
        what static places held before.

        ``is_own``: is it a value that refers to values of its path, as a function does that is made there?
        """
        if ends:
            first, *others = [end.facts for end in ends]
            self._facts[self._blocks[-1]] = {
                field: _without(
                    _in_all(known, [other.get(field, {}) for other in others]),
                    before.facts.get(field, {}),
                    is_own,
                )
                for field, known in first.items()
                if field is not STATIC
            }
            self._here()[STATIC] = before.facts.get(STATIC, _NONE)

    def on_paths(self, before: Moment, count: int, ends: Sequence[Block]) -> Iterator[Change]:
        """Attributes of which each of these paths has left a fact, and not all the same; static places.

        ``before``: what the paths began with; ``count``: only of the references that were known when there
        were so many, since others belong to a path.
        """
        yield from self.stored_on_paths(before, count, ends)
        first, *others = [self._facts.get(block, before.facts) for block in ends]
        for field, known in first.items():
            for place, value in known.items() if field is not STATIC else ():
                left = [value, *(other.get(field, {}).get(place, UNKNOWN) for other in others)]
                was = before.facts.get(field, {}).get(place, UNKNOWN)
                if any(one is UNKNOWN for one in left) or all(one is was for one in left):
                    continue
                if _is_variable(field, place) and self.origins.is_before(base_of(place), count):
                    yield Change(field, place, left, was)

    def keep_unchanged(self, before: Moment, ends: Sequence[Block]) -> None:
        """What all of these paths have left as it was before them is known, whatever was stored there."""
        first, *others = [self._facts.get(block, before.facts) for block in ends]
        here = self._here()
        for field, was in before.facts.items():
            known, left = first.get(field, {}), [other.get(field, {}) for other in others]
            alike = was if known is was else {p: v for p, v in was.items() if known.get(p, UNKNOWN) is v}
            kept = {p: v for p, v in alike.items() if all(one.get(p, UNKNOWN) is v for one in left)}
            if kept and here.get(field) is not was:
                here[field] = {**here.get(field, {}), **kept}

    def learned_here(self) -> Iterator[Any]:
        """What the innermost block has stored or loaded, as far as it is known."""
        around = self._of(len(self._blocks) - 2)
        for field, known in self._here().items():
            before = around.get(field, {})
            if known is not before and field is not STATIC:
                yield from (
                    value for place, value in known.items() if before.get(place, UNKNOWN) is not value
                )

    def left_by(self, block: Block, own: Container[Value]) -> list[tuple[Field, Place, Any]]:
        """What a block has left that is not known here, and what it knows of its own references."""
        here = self._here()
        return [
            (field, place, value)
            for field, known in self._facts.get(block, {}).items()
            if field is not STATIC
            for place, value in known.items()
            if base_of(place) in own or here.get(field, {}).get(place, UNKNOWN) is not value
        ]

    def learn_as(self, field: Field, place: Place, base: Value, value: Any) -> None:
        """The same place of a reference that has another name here holds this value now."""
        self.learn_place(field, (base, place[1]) if isinstance(place, tuple) else base, value)

    def join_names_and_lengths(self, before: Moment, count: int, ends: Sequence[Block]) -> None:
        """Of what was known before these paths, the names, lengths and keys that all of them have left."""
        facts = [self._facts.get(block, before.facts) for block in ends]
        for field in [field for field in facts[0] if field.name == _NAMES or field in _LENGTHS]:
            alike = _in_all(facts[0][field], [other.get(field, {}) for other in facts[1:]])
            for place, names in alike.items():
                if self.origins.is_before(base_of(place), count):
                    self.learn_place(field, place, names)

    def changed_in(self, body: Block, head: Moment) -> Iterator[Change]:
        """Attributes that the body of a loop reads and stores to, of objects from before the loop, and items
        that it stores to: what they hold at its head, and what it has left, as far as that is known; static
        places likewise."""
        for change in self.stored_on_paths(head, head.references, [body]):
            if self.origins.is_before(change.place, head.references):
                yield Change(STATIC, change.place, [change.before, *change.values], change.before)
        end, stored = self._facts.get(body, head.facts), set(self._stored[head.stored :])
        bases = {base for _, base in stored}
        items = [(field, place) for field in _ITEMS for place in end.get(field, ()) if place[0] in bases]
        for field, place in dict.fromkeys([*self._asked[head.asked :], *items]):
            before = self._was(head, field, place)
            after = end.get(field, {}).get(place, UNKNOWN)
            known = [one for one in (before, after) if one is not UNKNOWN]
            if (field, base_of(place)) not in stored or (before is after and before is not UNKNOWN):
                continue
            if isinstance(place, tuple) and (len(known) < 2 or self._may_resize(base_of(place), head)):
                continue
            if _is_variable(field, place) and self.origins.is_before(base_of(place), head.references):
                if before is not UNKNOWN or self._is_there(place):  # else no load finds it
                    yield Change(field, place, known, before)

    def stores(self) -> tuple[int, int]:
        """How many stores there were so far, for `is_resized_since`."""
        return len(self._stored), self._calls

    def is_resized_since(self, stores: tuple[int, int], items: Value) -> bool:
        """May an operation since then have made this list longer or shorter?"""
        stored, calls = stores
        may_be_one, owner = self.origins.may_be_one, items.expect(ObjectType).name
        return self._calls > calls or any(
            field.name == "length" and field.owner == owner and may_be_one(base, items)
            for field, base in self._stored[stored:]
        )

    def _may_resize(self, items: Value, head: Moment) -> bool:
        """May the list have become longer or shorter since then?"""
        resized = [base for field, base in self._stored[head.stored :] if field in _LENGTHS]
        return self._forgot_all > head.forgot_all or any(
            self.origins.may_be_one(base, items) for base in resized
        )

    def _is_there(self, place: Place) -> bool:
        """Does a load surely find something at a place of which nothing is known?"""
        return isinstance(place, Value) and is_there(place, self._blocks[0].params)

    def forgot_contents(self, head: Moment) -> bool:
        """Was it known at the head of a loop how long a list is, or which keys a dict has, and is no more?"""
        now = self._here()
        return any(
            not head.facts[field].keys() <= now.get(field, {}).keys()
            for field in _LENGTHS
            if field in head.facts
        )

    def holds_again(self, head: Moment) -> bool:
        """Is what the body of a loop took for granted at its head true when it comes there again?"""
        asked = set(self._asked[head.asked :])
        return all(self._was(head, *place) is self._is(*place) for place in asked)


def _contents(shape: Any, item: Callable[[Any], Any]) -> list[Any] | dict[Any, Any] | None:
    """What `item` finds at each place of a list of this length, or of a dict of these keys."""
    if shape is UNKNOWN:
        return None
    return list(map(item, range(shape))) if type(shape) is int else {key: item(key) for key in shape}


def _without(
    known: Mapping[Place, Any], before: Mapping[Place, Any], is_own: Callable[[Any], bool]
) -> Mapping[Place, Any]:
    """What is known, but for what a path has made."""
    own = (
        [place for place, value in known.items() if value is not before.get(place, UNKNOWN) and is_own(value)]
        if known is not before
        else ()
    )
    return {place: value for place, value in known.items() if place not in own} if own else known


def _in_all(known: Mapping[Place, Any], others: Sequence[Mapping[Place, Any]]) -> Mapping[Place, Any]:
    if all(other is known for other in others):
        return known
    return {
        place: value
        for place, value in known.items()
        if all(other.get(place, UNKNOWN) is value for other in others)
    }


_FIELDS = {kind: (Field(kind, "items"), Field(kind, "length")) for kind in ("list", "dict", "set")}
#: the field of an object that is the names in its `__dict__`
_NAMES = "__dict__"
_ITEMS = tuple([items for items, _ in _FIELDS.values()])
_LENGTHS = frozenset(length for _, length in _FIELDS.values())


def _items_of(items: Value) -> Field:
    return _FIELDS[items.expect(ObjectType).name][0]


def _length_of(items: Value) -> Field:
    return _FIELDS[items.expect(ObjectType).name][1]


def _is_variable(field: Field, place: Place) -> bool:
    """Can it be handed on like a variable? The same index may be another place of a list at another time."""
    if isinstance(place, tuple):
        return not isinstance(place[1], Value) and not (field.owner == "list" and place[1] < 0)
    return field not in _LENGTHS and field.name != _NAMES


def field_of(reference: Value, name: str) -> Field:
    """The attribute of all objects of the class."""
    kind = reference.type
    assert isinstance(kind, InstanceType)
    return Field(id(kind.cls), name)
