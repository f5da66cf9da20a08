"""Dicts among the arguments that a function stores into under ever new keys, and texts that change with them.

    def put(table, name, value): table[name] = value

The keys of a dict are a part of the signature, and so is a text: each new name would be a new trace for ever.
From the third set of keys on such a dict is one of the run, and so are texts that had as many values: on
trial, for what the function does with them may need them while tracing. Dicts that are only read stay as they
are, for what a trace knows of their items makes it fast.

>>> opened, tables = OpenArguments(), [{"a": 1.0}, {"a": 1.0, "b": 2.0}, {"b": 1.0}]
>>> [sorted(opened.propose((table, name))) for table, name in zip(tables, "bcd")]
[[], [], [0, 1]]
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from runtime.functions.signature import Open
from runtime.graph import Graph
from runtime.guards.keys import mark

#: from so many sets of keys on, the dict is one of the run
OPEN_FROM = 3
_STORES = frozenset({"store_item", "delete_item", "replace_contents"})


class OpenArguments:
    """What is open among the positional arguments of one function."""

    def __init__(self) -> None:
        self.positions: frozenset[int] = frozenset()
        self._seen: dict[int, set[Hashable]] = {}
        self._closed: set[frozenset[int]] = set()  # tried in vain

    def propose(self, args: tuple[Any, ...]) -> frozenset[int]:
        """A call has a new signature: what to open now; nothing where that changes nothing."""
        for position, arg in enumerate(args):
            values = self._seen.setdefault(position, set())
            if type(arg) in (dict, str) and len(values) < OPEN_FROM:
                values.add(tuple(map(mark, arg)) if type(arg) is dict else arg)
        often = {position for position, values in self._seen.items() if len(values) >= OPEN_FROM}
        if not any(type(arg) is dict and position in often for position, arg in enumerate(args)):
            return frozenset()
        proposed = self.positions | often
        return frozenset() if proposed == self.positions or proposed in self._closed else proposed

    def close(self, tried: frozenset[int]) -> None:
        """It cannot be done so."""
        self._closed.add(tried)


def open_arguments(positions: frozenset[int], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments as a signature takes them, with those of a run marked."""
    if not positions:
        return args
    is_open = [i in positions and type(arg) in (dict, str) for i, arg in enumerate(args)]
    return tuple([Open(arg) if opened else arg for arg, opened in zip(args, is_open, strict=True)])


def stores_items(graph: Graph) -> bool:
    """Does a trace change a dict or a list from outside?"""
    return not _STORES.isdisjoint(op.name for part in graph.whole() for op in part.operations())
