"""Arguments of which a run, not the trace, knows what is in them: lists of other lengths, dicts, texts.

    def put(table, name, value): table[name] = value

The keys of a dict are a part of the signature, and so is a text: each new name would be a new trace for ever.
From the third set of keys on such a dict is one of the run, and so are texts that had as many values: on
trial, for what the function does with them may need them while tracing. Dicts that are only read stay as they
are, for what a trace knows of their items makes it fast.

A list of numbers, texts or rows of these is one of the run from its second length on, and from its first
where it is long. Where the function needs the items one by one, each length has a trace of its own.

>>> opened, tables = OpenArguments(), [{"a": 1.0}, {"a": 1.0, "b": 2.0}, {"b": 1.0}]
>>> [len(opened.propose((table, name))) for table, name in zip(tables, "bcd")]
[0, 0, 4]
>>> opened.propose(([1.0, 2.0],)), opened.propose(([1.0],))
(frozenset(), frozenset({(0, <class 'list'>)}))
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias

from runtime.containers.data import MAX_KNOWN
from runtime.functions.signature import Open, describes_items, is_data_argument
from runtime.graph import Graph
from runtime.graph.effects import effects_of
from runtime.guards import keys as key_texts
from runtime.types import ContainerType

#: from so many sets of keys on, the dict is one of the run
OPEN_FROM = 3
#: lists of these are data
_PLAIN = frozenset({bool, int, float, complex, str})
#: a position, and the class of the arguments there that are open
Places: TypeAlias = "frozenset[tuple[int, type]]"


class OpenArguments:
    """What is open among the positional arguments of one function."""

    def __init__(self) -> None:
        self.places: Places = frozenset()
        self._seen: dict[int, set[Hashable]] = {}
        self._lengths: dict[int, set[int]] = {}
        self._closed: set[Places] = set()  # tried in vain

    def propose(self, args: tuple[Any, ...]) -> Places:
        """A call has a new signature: what to open now; nothing where that changes nothing."""
        proposed = self.places | self._often(args) | self._of_other_lengths(args)
        return frozenset() if proposed == self.places or proposed in self._closed else proposed

    def _often(self, args: tuple[Any, ...]) -> Places:
        """Dicts with ever new keys, and the texts that change with them."""
        for position, arg in enumerate(args):
            values = self._seen.setdefault(position, set())
            if type(arg) in (dict, str) and len(values) < OPEN_FROM:
                values.add(tuple(map(key_texts.mark, arg)) if type(arg) is dict else arg)
        often = {position for position, values in self._seen.items() if len(values) >= OPEN_FROM}
        if not any(type(arg) is dict and position in often for position, arg in enumerate(args)):
            return frozenset()
        return frozenset((position, kind) for position in often for kind in (dict, str))

    def _of_other_lengths(self, args: tuple[Any, ...]) -> Places:
        """Lists of numbers or texts that had another length before."""
        found = set()
        for position, arg in enumerate(args):
            if type(arg) is list and len(arg) <= MAX_KNOWN and all(map(_is_plain, arg)):
                lengths = self._lengths.setdefault(position, set())
                lengths.add(len(arg))
                if len(lengths) > 1:
                    found.add((position, list))
        return frozenset(found)

    def know(self, args: tuple[Any, ...]) -> None:
        """A trace was made in which the long ones of these are data: so are short ones from now on."""
        kinds = [(k, type(arg)) for k, arg in enumerate(args) if is_data_argument(arg)]
        self.places = self.places.union(kinds)

    def close(self, tried: Places) -> None:
        """It cannot be done so."""
        self._closed.add(tried)


def _is_plain(item: Any) -> bool:
    """Is it a number or a text, or a tuple or list of these?"""
    return type(item) in _PLAIN or type(item) in (tuple, list) and all(map(_is_plain, item))


def open_arguments(places: Places, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments as a signature takes them, with those of a run marked."""
    if not places:
        return args
    return tuple([Open(arg) if _is_open(places, k, arg) else arg for k, arg in enumerate(args)])


def _is_open(places: Places, position: int, arg: Any) -> bool:
    return (position, type(arg)) in places and (type(arg) is str or not describes_items(arg))


def stores_items(graph: Graph) -> bool:
    """Does a trace change a dict or a list from outside?"""
    parts = list(graph.whole())
    outside = {param for part in parts for param in part.body.params}
    return any(
        effects_of(op).writes and op.inputs[0] in outside and isinstance(op.inputs[0].type, ContainerType)
        for part in parts
        for op in part.operations()
    )
