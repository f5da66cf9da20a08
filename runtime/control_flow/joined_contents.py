"""What lists and dicts hold that a variable refers to, one on each path, or another one in each iteration.

    state = {"x": 0.0, "n": 1} if c else {"x": x, "n": 2}       state["x"] is a float, state["n"] an int

The items that all paths know are joined like variables, so that each has a type of its own, and is known
after the paths. In a loop they are carried, as `state = {"x": state["x"] + h, ...}` needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.records import record
from autograph.staging import State
from runtime.graph import Block
from runtime.guards.keys import mark
from runtime.heap.shadow import UNKNOWN, Moment, ShadowHeap
from runtime.specs.spec import CONSTANTS
from runtime.tracer.builder import Staged
from runtime.tracer.known_items import is_known_kind

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
