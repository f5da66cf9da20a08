"""What a run, not the trace, knows of its arguments: the items of lists, dicts and texts, lengths of arrays.

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

``reduce_retracing``: calls that differ in nothing but the lengths of their arrays are one *family*. At the
third set of lengths of a family, the lengths that differ become ``None`` in one trace for all.

>>> joined_shapes([(2, 3), (4, 3), (5, 3)])
(None, 3)"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from autograph.errors import StagingError
from autograph.records import record
from runtime.functions.concrete import ConcreteFunction
from runtime.functions.signature import Open, describes_items, is_data_argument, key_of
from runtime.functions.tensor_specs import TensorSpec
from runtime.graph import Graph
from runtime.graph.effects import effects_of
from runtime.guards import keys as key_texts
from runtime.objects.container_data import MAX_KNOWN
from runtime.types import ContainerType

#: from so many sets of keys on, the dict is one of the run; of lengths, those that differ are open
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


@record(slots=False, frozen=False)
class _Family:
    seen: list[tuple[tuple[int, ...], ...]] = field(default_factory=list)
    open: list[tuple[tuple[tuple[int | None, ...], ...], ConcreteFunction]] = field(default_factory=list)
    closed: bool = False  # the program needs to know the lengths


class OpenShapes:
    """The families of one function."""

    def __init__(self) -> None:
        self._families: dict[Hashable, _Family] = {}

    def find(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]
    ) -> ConcreteFunction | None:
        """A trace with open lengths that fits a call."""
        family = self._families.get(family_of(args, kwargs))
        if family is None:
            return None
        shapes = shapes_of(args)
        for known, concrete in family.open:
            if all(map(fits, known, shapes)) and concrete.check(leaves):
                return concrete
        return None

    def forget(self, concrete: ConcreteFunction) -> None:
        """A trace that is not kept any longer."""
        for family in self._families.values():
            family.open = [known for known in family.open if known[1] is not concrete]

    def trace(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Any],
        trace: Callable[[tuple[Any, ...], str], ConcreteFunction],
        reason: str,
    ) -> ConcreteFunction:
        """A new trace: for these lengths, or with those left open that keep changing."""
        family = self._families.setdefault(family_of(args, kwargs), _Family())
        shapes = shapes_of(args)
        if not family.closed and shapes not in family.seen:
            family.seen.append(shapes)
        if len(family.seen) >= OPEN_FROM and not family.closed:
            opened = tuple(map(joined_shapes, zip(*family.seen, strict=True)))
            specs = with_shapes(args, iter(opened))
            try:
                concrete = trace(specs, f"{reason}; lengths that keep changing are left open")
            except StagingError:
                family.closed = True
            else:
                family.open.append((opened, concrete))
                return concrete
        return trace(args, reason)


def is_array(value: Any) -> bool:
    return type(value) is np.ndarray and not value.dtype.names


def family_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
    """The key of a call without the lengths of its arrays."""
    parts: list[Hashable] = []
    for arg in args:
        parts.append(("array", arg.dtype, arg.ndim) if is_array(arg) else key_of(arg, []))
    return (*parts, *((name, key_of(arg, [])) for name, arg in kwargs.items()))


def shapes_of(args: tuple[Any, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple([arg.shape for arg in args if is_array(arg)])


def joined_shapes(shapes: Any) -> tuple[int | None, ...]:
    """The lengths that all of the shapes have, None where they differ."""
    return tuple([lengths[0] if len(set(lengths)) == 1 else None for lengths in zip(*shapes, strict=True)])


def fits(known: tuple[int | None, ...], shape: tuple[int, ...]) -> bool:
    return all(n is None or n == m for n, m in zip(known, shape, strict=True))


def with_shapes(args: tuple[Any, ...], shapes: Any) -> tuple[Any, ...]:
    """The arguments with specs in place of arrays."""
    return tuple([TensorSpec(next(shapes), arg.dtype) if is_array(arg) else arg for arg in args])
