"""What a branch or an iteration leaves, brought to one: in variables, in lists and dicts, in attributes.

`spec.py` says how two values join; here it is decided what cannot be chosen at run time.

    state = {"x": 0.0, "n": 1} if c else {"x": x, "n": 2}       state["x"] is a float, state["n"] an int

The items of a list or dict that all paths know are joined like variables, so that each has a type of its own,
and is known after the paths. In a loop they are carried, as `state = {"x": state["x"] + h, ...}` needs.

So are attributes of objects. The stores stand in the blocks. That a load need not ask the object, each path
hands on what it knows the attribute (or the item) to hold, and a loop carries what its body reads and stores.
What nobody asks for goes again. Of static places no load finds what they hold: each is handed on that a path
or a body stores to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

from autograph.records import record
from autograph.staging import State
from runtime.control_flow.builtin_iterables import parts_of_views
from runtime.control_flow.indexed import Indexed
from runtime.graph import Block, Value
from runtime.guards.keys import mark
from runtime.heap.places import StaticPlace
from runtime.heap.shadow import UNKNOWN, Change, Moment, ShadowHeap
from runtime.ops.template import plain_items
from runtime.specs.spec import CONSTANTS, Const, Leaf, Spec, Tuple, Variant, generalise, leaf_types
from runtime.tracer.builder import Staged
from runtime.tracer.elements import holds_opaque
from runtime.tracer.flattening import adapt, rebuild
from runtime.tracer.known_items import is_known_kind
from runtime.tracer.spec import Choice, join, spec_of
from runtime.tracer.trace import Trace
from runtime.types import STR, ArrayType, InstanceType, NumberType, ScalarType


class Joined:
    """Values of the same variables from several blocks, and the specs that hold them all."""

    def __init__(
        self,
        trace: Trace,
        names: tuple[str, ...],
        alternatives: Sequence[Sequence[Any]],
        before: tuple[Any, ...],
    ) -> None:
        """``before``: what the variables held before."""
        self.trace = trace
        self.names = names
        self.alternatives = alternatives
        self.kept: list[bool] = []  # the same object on every path: nothing to join
        self.specs: list[Spec] = []
        for position in range(len(names)):
            views = [values[position] for values in alternatives]
            first = views[0]
            same = all(view is first for view in views[1:])
            was_there = first is before[position]
            if any(isinstance(part, Indexed) for part in parts_of_views(views)) and not (same and was_there):
                self._require_no_views(views, names[position])
                same = False
            kept = same and (len(views) > 1 or not _has_staged(first) or was_there)
            self.kept.append(kept)
            self.specs.append(reduce(join, map(spec_of, views)))

    def _require_no_views(self, views: list[Any], name: str) -> None:
        """A range or an iterator of a length that a run knows belongs to the path that makes it."""
        for view in parts_of_views(views):
            if isinstance(view, Indexed) and view.static is None:
                raise self.trace.refuse(
                    f"`{name}` is {view.what} of one path, and is used after it",
                    "make it where it is used, or make a list of it",
                    name,
                )

    def flat(self, index: int) -> list[Value]:
        parts = zip(self.alternatives[index], self.specs, self.kept, strict=True)
        return [v for value, spec, kept in parts if not kept for v in adapt(value, spec, self.trace)]

    def types(self) -> list[tuple[Any, str]]:
        parts = zip(self.names, self.specs, self.kept, strict=True)
        return [
            (type, hint_of(name, spec)) for name, spec, kept in parts if not kept for type in leaf_types(spec)
        ]

    def rebuild(self, values: Iterator[Value]) -> list[Any]:
        parts = zip(self.alternatives[0], self.specs, self.kept, strict=True)
        return [first if kept else rebuild(spec, values, self.trace) for first, spec, kept in parts]


def parts_of(value: Any) -> list[Any]:
    """A value, or the parts of it where it is a tuple or a choice, as objects."""
    if isinstance(value, tuple | Choice):
        parts = plain_items(value) if isinstance(value, tuple) else value.values
        return [found for part in parts for found in parts_of(part)]
    return [value]


def hint_of(name: str, spec: Spec) -> str:
    return name if name.isidentifier() else ""


def _has_staged(value: Any) -> bool:
    return bool(leaf_types(spec_of(value)))


#: so many items are joined
MAX_ITEMS = 64


@record
class JoinedContents:
    """One of several lists or dicts: its place among the values, and those of its items.

    ``items``: by index or key, the place of the joined item, or None where nothing is known of it.
    """

    position: int
    is_dict: bool
    items: dict[Any, int | None]

    def learn(self, heap: ShadowHeap, values: Sequence[Any]) -> None:
        """The list or dict among these values holds these items."""
        container = values[self.position]
        if is_known_kind(container):
            held = {key: UNKNOWN if k is None else values[k] for key, k in self.items.items()}
            heap.learn_contents(container.value, held if self.is_dict else list(held.values()))


def _joined_contents(
    heap: ShadowHeap, moment: Moment, blocks: Sequence[Block | None], paths: Sequence[Sequence[Any]]
) -> tuple[list[list[Any]], list[JoinedContents]]:
    """The items of lists and dicts in the same place of each path: what they are, and where they belong.

    They follow the values of the paths, each of which leaves its values in a block.
    """
    look = lambda k, container: heap.contents_after(blocks[k], moment, container)
    columns = [list(column) for column in zip(*paths, strict=True)]
    first, found = len(columns), []
    for position, column in enumerate(columns):  # grows meanwhile
        if len(columns) - first >= MAX_ITEMS:
            break
        joined = _joined(position, column, look, columns)
        if joined is not None:
            found.append(joined)
    return columns[first:], found


def _joined(
    position: int, values: Sequence[Any], look: Callable[[int, Any], Any], columns: list[list[Any]]
) -> JoinedContents | None:
    kinds = {one.type.name if is_known_kind(one) else None for one in values}
    if len(kinds) > 1 or None in kinds or (len(values) > 1 and len({one.value for one in values}) == 1):
        return None
    contents = [look(k, one.value) for k, one in enumerate(values)]
    if any(held is None for held in contents):
        return None
    by_place = [held if isinstance(held, dict) else dict(enumerate(held)) for held in contents]
    keys = list(by_place[0])
    told = [tuple(map(mark, held)) for held in by_place]  # 1 is no True, and 0.0 no -0.0
    if any(one != told[0] for one in told) or len(keys) > MAX_ITEMS:
        return None
    items: dict[Any, int | None] = {}
    for key in keys:
        held = [one[key] for one in by_place]
        items[key] = len(columns) if all(map(is_simple, held)) else None
        if items[key] is not None:
            columns.append(held)
    return JoinedContents(position, isinstance(contents[0], dict), items)


def is_simple(value: Any) -> bool:
    """Is it what a variable of a staged statement can be, whatever another path or turn leaves in it?"""
    return isinstance(value, Staged) or type(value) in CONSTANTS


def contents_left(
    heap: ShadowHeap, before: Moment, paths: Sequence[tuple[Block, Sequence[Any]]]
) -> tuple[list[list[Any]], list[JoinedContents]]:
    """Of what paths leave in variables, each in its block."""
    blocks, values = zip(*paths, strict=True) if paths else ((), ())
    return _joined_contents(heap, before, blocks, values)


def contents_carried(
    heap: ShadowHeap, head: Moment, body: Block, before: Sequence[Any], after: Sequence[Any]
) -> list[JoinedContents]:
    """Of the variables of a loop, whose body makes another list or dict of the same length or keys."""
    return _joined_contents(heap, head, (None, body), (before, after))[1]


def with_contents(heap: ShadowHeap, state: State, contents: Sequence[JoinedContents]) -> State:
    """The variables of a loop, and the items of lists and dicts in them: UNKNOWN where that is not known."""
    count = len(state.names)
    names = [f"item {key}" for one in contents for key, k in one.items.items() if k is not None]

    def get() -> tuple[Any, ...]:
        values = list(state.get())
        for container in contents:
            found = values[container.position]
            held = heap.contents(found.value) if is_known_kind(found) else None
            for key, k in container.items.items():
                if k is not None:
                    values.append(_item(held, key, container))
        return tuple(values)

    known = get()
    before = [known[container.position] for container in contents]

    def set_all(values: tuple[Any, ...]) -> None:
        state.set(values[:count])
        for container, old in zip(contents, before, strict=True):
            if values[container.position] is not old:  # of which the heap knows by itself
                container.learn(heap, values)

    return State((*state.names, *names), get, set_all)


def _item(held: Any, key: Any, container: JoinedContents) -> Any:
    if held is None or len(held) != len(container.items) or isinstance(held, dict) is not container.is_dict:
        return UNKNOWN
    return held.get(key, UNKNOWN) if isinstance(held, dict) else held[key]


#: an attribute can be a variable where it holds things of one of these types on all paths
_KINDS = (NumberType, ScalarType, ArrayType, InstanceType)


def fields_left(heap: ShadowHeap, before: Moment, count: int, ends: Sequence[Block]) -> list[Change]:
    """Attributes of which all paths that go on know what they hold, and which one value can stand for, or
    of which no load finds out.

    The arguments are those of `ShadowHeap.on_paths`.
    """
    found = heap.on_paths(before, count, ends) if ends else ()
    if ends:
        heap.keep_unchanged(before, ends)
        heap.join_names_and_lengths(before, count, ends)
    return [
        change
        for change in found
        if isinstance(change.place, StaticPlace)
        or _kind_of(change.values) is not None
        or (isinstance(change.place, tuple) and _are_data(change.values))
        or (len(ends) > 1 and any(map(holds_opaque, change.values)))
    ]


def fields_carried(
    heap: ShadowHeap, head: Moment, body: Block, spec: Callable[[type, str], Spec | None], is_small: bool
) -> list[Change]:
    """Attributes of objects from before a loop that its body reads and stores to.

    What one holds at the head and at the end is known, or a load finds it that surely succeeds: ``spec`` says
    what all instances of a class hold. Where the body is not small, these are items, and what no load finds.
    """
    found = []
    for change in heap.changed_in(body, head) if body.ends != "never" else ():
        loaded: list[Spec | None] = []
        if len(change.values) < 2:
            kind = change.place.type if isinstance(change.place, Value) else None
            loaded = [spec(kind.cls, change.name) if isinstance(kind, InstanceType) else None]
        is_item = not isinstance(change.place, Value) and (
            all(map(is_simple, change.values)) or _are_data(change.values)
        )
        is_number = is_small and _kind_of(change.values, loaded) is not None
        is_static = isinstance(change.place, StaticPlace)
        if is_static or is_item or is_number or any(map(holds_opaque, change.values)):
            found.append(change)
    return found


def learn_fields(heap: ShadowHeap, fields: Sequence[Change], values: Sequence[Any]) -> None:
    """From here on the attributes are known to hold these values."""
    for field, value in zip(fields, values, strict=True):
        if isinstance(field.place, StaticPlace):
            heap.hold(field.place, value)
        else:
            heap.learn_place(field.field, field.place, value)


def with_fields(
    heap: ShadowHeap, state: State, fields: Sequence[Change], held: Callable[[Change], Any]
) -> State:
    """The variables of a loop, and these attributes beside them; ``held`` reads one that is not known."""
    count = len(state.names)

    def get() -> tuple[Any, ...]:
        return (*state.get(), *map(held, fields))

    def set_all(values: tuple[Any, ...]) -> None:
        state.set(values[:count])
        learn_fields(heap, fields, values[count:])

    return State((*state.names, *(field.name for field in fields)), get, set_all)


def _are_data(values: Sequence[Any]) -> bool:
    """Is each a number, a text or None, a tuple of such, or one of several?"""
    return all(map(_is_data, map(generalise, map(spec_of, values))))


def _is_data(spec: Spec) -> bool:
    if isinstance(spec, Variant | Tuple):
        return all(map(_is_data, spec.alternatives if isinstance(spec, Variant) else spec.items))
    if isinstance(spec, Const):
        return type(spec.value) in CONSTANTS
    return isinstance(spec, Leaf) and (isinstance(spec.type, NumberType | ScalarType) or spec.type == STR)


def _kind_of(values: list[Any], others: Sequence[Spec | None] = ()) -> Spec | None:
    """That of numbers of one type, of arrays of one, or of objects of one class; else None."""
    kinds = {*others, *(generalise(spec_of(value)) for value in values)}
    kind = kinds.pop()
    return kind if not kinds and isinstance(kind, Leaf) and isinstance(kind.type, _KINDS) else None
