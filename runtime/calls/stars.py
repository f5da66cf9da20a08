"""``*items`` of a list of which only a run knows the length, in a call or a display.

[0, *items], (*a, *b), {*items}, print(*items), zip(*items)

`print`, `zip` and `itertools.chain` get them; other functions do not.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators import call
from runtime.calls.container_calls import has_unknown, is_open_array
from runtime.control_flow.choices import dispatch
from runtime.control_flow.indexed import Indexed
from runtime.control_flow.iterators import name_in_messages
from runtime.iterables.generators import can_push, made_of
from runtime.iterables.user_iterables import iterated_for_list
from runtime.objects.compared_by_runs import hashes_itself
from runtime.objects.containers import joined_elements
from runtime.ops.template import Make
from runtime.specs.spec import Leaf, Tuple, kinds_of
from runtime.staged.containers import items_of, new_list, without_choices
from runtime.staged.list_arrays import is_list
from runtime.staged.needed_now import class_of
from runtime.staged.strings import StagedString, one_text
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice, is_instance
from runtime.tracer.trace import Trace
from runtime.types import ArrayType, ContainerType, Type


class Spread:
    """Stands for the items of a list, which nobody else holds, among arguments or in a display."""

    __slots__ = ("items",)

    def __init__(self, items: Any) -> None:
        self.items = items


def star(trace: Trace, items: Any) -> Any:
    """What Python iterates over for ``*items``; NotImplemented: the items themselves."""
    items = one_text(items)
    if isinstance(items, Choice):
        return [Spread(dispatch(items, _listed))]
    given, items = items, iterated_for_list(trace, items, of_display=True)
    if can_push(items):
        items = call(list, items)
        return _spread(items) if is_list(items) else items
    if is_list(items) and items.known_contents() is not None:
        return list(items.known_contents())
    if isinstance(items, StagedString):
        return [Spread(items.letters())]
    if is_list(items) or (isinstance(items, Indexed) and items.static is None) or is_open_array(items):
        return _spread(call(list, items))
    return NotImplemented if items is given else items


def double_star(trace: Trace, mapping: Any) -> Any:
    """What is passed by its keys for ``**mapping``; NotImplemented: the mapping itself."""
    is_asked = hasattr(type(mapping), "keys") and (is_instance(mapping) or trace.outside.is_foreign(mapping))
    return call(dict, mapping) if is_asked else NotImplemented


def _spread(items: Any) -> list[Any]:
    """The items of a list that nobody else holds: one by one where they are known."""
    known = items.known_contents()
    return [Spread(items)] if known is None else list(known)


def _listed(items: Any) -> Any:
    try:
        return call(list, items)
    except TypeError:
        words = f"Value after * must be an iterable, not {name_in_messages(class_of(items))}"
        raise TypeError(words) from None


def made(trace: Trace, container: Any) -> Any:
    """A list or tuple that was just made."""
    if isinstance(container, list | tuple) and _has_spread(container):
        return _joined(trace, tuple(container), type(container).__name__)
    return trace.containers.born(container)


def set_of(trace: Trace, items: list[Any]) -> Any:
    known = [item for item in items if not isinstance(item, Spread)]
    unknown = len(known) < len(items) or has_unknown(known) or any(map(hashes_itself, known))
    return _joined(trace, tuple(items), "set") if unknown else NotImplemented


def dict_of(trace: Trace, pairs: list[tuple[Any, Any]]) -> Any:
    if not any(has_unknown(key) or hashes_itself(key) for key, _ in pairs):
        return NotImplemented
    made = trace.containers.make({}, (trace.containers.here(), "dict.of", "dict"))
    for key, value in pairs:
        made[key] = value
    return made


def _has_spread(items: Any) -> bool:
    return any(isinstance(item, Spread) for item in items)


def _joined(trace: Trace, items: tuple[Any, ...], kind: str) -> Any:
    """A new container of all these items."""
    containers = trace.containers
    known = tuple([item for item in items if not isinstance(item, Spread)])

    def make(*known: Any) -> Any:
        rest = iter(known)
        parts = tuple([item.items if isinstance(item, Spread) else (next(rest),) for item in items])
        element = joined_elements(items_of(containers, part)[1] for part in parts)
        return new_list(containers, f"{kind}.joined", parts, element, kind)

    return without_choices(known, make)


def merge(trace: Trace, first: Any, other: Any) -> Any:
    """``{**first, **other}``; nobody else holds ``first``."""
    if isinstance(other, Choice):
        return dispatch(other, lambda one: merge(trace, first, one))
    if is_instance(other) or trace.outside.is_foreign(other):  # its own `keys` and `__getitem__`
        return merge(trace, first, call(dict, other))
    if not isinstance(first, Staged) and not isinstance(other, Staged):
        return {**first, **other}
    if isinstance(other, Staged) and not (isinstance(other.type, ContainerType) and other.type.is_mapping):
        raise TypeError(f"'{call(type, other).__name__}' object is not a mapping")
    made = first
    if not isinstance(first, Staged):
        made = trace.containers.make(first, (trace.containers.here(), "merge", "dict"))
    made.update(other)
    return made


# -- calls ---------------------------------------------------------------------------------------------


def starred(trace: Trace, function: Any) -> Callable[..., Any]:
    """What to call in place of ``function``, with ``*items`` among the arguments."""

    def with_stars(*args: Any, **kwargs: Any) -> Any:
        if not _has_spread(args):
            return call(function, *args, **kwargs)
        return dispatch(function, lambda f: _call(trace, f, args, kwargs))

    if isinstance(function, types.FunctionType):  # for Python's messages
        with_stars.__module__, with_stars.__qualname__ = function.__module__, function.__qualname__
    return with_stars


def _call(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if function is print:
        items = _joined(trace, args, "tuple")
        return trace.emit_effect("print", [], (Make(tuple, (items,)), kwargs))
    if function is itertools.chain and not kwargs:
        return call(itertools.chain.from_iterable, _joined(trace, args, "tuple"))
    if function is zip and len(args) == 1 and not kwargs.get("strict"):
        made = _zipped(trace, args[0].items)
        if made is not NotImplemented:
            return made
    name = getattr(function, "__name__", type(function).__name__)
    raise trace.refuse(
        f"the items of a list of which only a run knows the length are passed to `{name}`",
        "pass the list itself, or take its items out first: a, b = items",
        name,
    )


def _zipped(trace: Trace, rows: Any) -> Any:
    """``zip(*rows)``; NotImplemented where a row is no tuple, list or array."""
    kinds = kinds_of(rows.element)
    widths = [len(kind.items) for kind in kinds if isinstance(kind, Tuple)]
    if len(widths) == len(kinds):  # tuples never change
        width = min(widths)
        return call(iter, trace.environment.enter(_columns, None)(rows, width))
    if not all(isinstance(kind, Leaf) and _is_read_by_places(kind.type) for kind in kinds):
        return NotImplemented
    plainly = trace.environment.enter(_lazy_columns, None)(rows)
    return made_of(trace, _lazy_columns, plainly, (rows,), {})


def _is_read_by_places(kind: Type) -> bool:
    if isinstance(kind, ContainerType):
        return kind.name in ("list", "tuple")
    return isinstance(kind, ArrayType) and kind.ndim > 0


# In converted code:


def _columns(rows: Any, width: int) -> Any:
    made: list[Any] = []
    if len(rows) > 0:
        for place in range(width):
            made.append(tuple([row[place] for row in rows]))
    return made


def _lazy_columns(rows: Any) -> Iterator[Any]:
    """What rows hold, and how many there are, is asked for when it is their turn."""
    place = 0
    while len(rows) > 0 and all(place < len(row) for row in rows):
        yield tuple([row[place] for row in rows])
        place = place + 1
