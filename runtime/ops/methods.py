"""What can be done to lists, tuples, deques, dicts and sets of a run: one row a method.

Converted code, the facts of a trace, effects, passes, gradients and engines read it:

>>> METHODS["list.insert"].takes, METHODS["list.insert"].writes, METHODS["list.remove"].asks
('civ', 'length', ('__eq__',))
>>> METHODS["list.insert"].does([1, 2], 0, 3), METHODS["list.pop"].gives, METHODS["list.copy"].gives
(None, 'item', 'new')
"""

from __future__ import annotations

import bisect
import heapq
import operator
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any

from autograph.records import record
from runtime.ops.item_patterns import CONTAINERS
from runtime.types import BOOL, INT, STR, Type

# -- what a method gives: an item, a key and its item, a new container of such items, or of pairs
ITEM, PAIR, NEW, PAIRS = "item", "pair", "new", "pairs"
# -- what it writes: items alone, the length too, or new keys and no others
ITEMS, LENGTH, GROWS = "items", "length", "grows"
# -- which special methods of items it may call
EQUAL, ORDER, HASH = ("__eq__",), ("__lt__", "__gt__", "__eq__"), ("__hash__", "__eq__")
_HASHING = ("dict", "set", "Counter", "OrderedDict")


@record(slots=False, eq=False)
class Method:
    """What a method, an operator or a function of containers is.

    does:    Python's own: the kernel, and what is done to items that a trace knows
    takes:   a letter for each argument, ``?`` behind one that may be missing, ``*`` before the last of any
            number: c the container; h one that is kept in order, as a heap, of which a trace knows no
            items; i an index, a slice, a number or a flag; k a key; d a default; v an item that is put in;
            x one that is looked for; s what has items that are put in; o what has items that are read;
            q a list of keys that are compared in the place of the items
    gives:   ITEM, PAIR, NEW, PAIRS, a type; None: nothing
    writes:  what of the container
    asks:    the special methods of items that Python calls
    reads:   all that it reads of the container, where no code of the user's can run in it
    missing: names and values of the last arguments, where they are not given; `/name`: never by its name
    lowered: who writes the machine code (`OpDef.lowered`), before it is a call of Python's function
    """

    name: str
    does: Callable[..., Any]
    takes: str
    gives: Any
    writes: str
    asks: tuple[str, ...]
    reads: tuple[str, ...]
    may_raise: bool
    missing: tuple[tuple[str, Any], ...]
    lowered: tuple[str, ...]

    @cached_property
    def family(self) -> str:
        return self.name.partition(".")[0]

    @cached_property
    def makes(self) -> bool:
        """Does it make a container that nobody knew?"""
        return self.gives in (NEW, PAIRS)

    @cached_property
    def answers(self) -> bool:
        """Does it give a length, a place or a truth value?"""
        return isinstance(self.gives, Type)

    @cached_property
    def looks_at_items(self) -> bool:
        """Has a run to have what the items are, rather than to move them?"""
        looks = self.family == "str" or (bool(self.asks) and self.family != "dict")
        return looks and "q" not in self.takes

    @cached_property
    def moves_items(self) -> bool:
        """Does it nothing but move items, so that what stands beside them moves likewise?"""
        moves = self.letter(0) in "cs" and self.family in ("list", "tuple", "dict", "deque")
        return moves and not (self.looks_at_items or "q" in self.takes or self.answers or self.gives == PAIR)

    @cached_property
    def is_of_collections(self) -> bool:
        """Does it read the items of its arguments, which may be of any kind that is iterated over?"""
        return "s" in self.takes or "o" in self.takes

    @cached_property
    def letters(self) -> str:
        return self.takes.replace("?", "").replace("*", "")

    def letter(self, position: int) -> str:
        letters = self.letters
        return letters[position] if position < len(letters) else letters[-1]

    def by_letter(self, args: Sequence[Any]) -> Iterable[tuple[str, Any]]:
        """Each of these arguments with its letter; the first is the container."""
        return zip_longest(self.letters[: len(args)], args, fillvalue=self.letters[-1])

    def given(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...] | None:
        """The arguments behind the container; None where there are too few, too many or others."""
        most, named = len(self.letters) - 1, dict(named)
        optional = len(self.missing)
        least = most - optional - self.takes.count("?") - self.takes.count("*")
        is_right = least <= len(args) and (len(args) <= most or "*" in self.takes)
        for name, value in self.missing[max(0, len(args) - (most - optional)) :]:
            args = (*args, named.pop(name, value))
        return args if is_right and not named else None


class CallOfMethod:
    """A function that calls a method of its first argument."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, target: Any, *args: Any) -> Any:
        return getattr(target, self.name)(*args)


#: all of them, by the names of operations
METHODS: dict[str, Method] = {}
_OF_KINDS: dict[str, dict[str, Method]] = {kind: {} for kind in CONTAINERS}


def methods_of(kind: str) -> dict[str, Method]:
    """Those of a kind of containers by the names in Python, but for what special dicts have of a dict."""
    return _OF_KINDS[kind]


def _row(
    name: str,
    takes: str,
    gives: Any = None,
    *,
    of: str = "",
    does: Callable[..., Any] | None = None,
    writes: str = "",
    asks: tuple[str, ...] = (),
    reads: tuple[str, ...] = (),
    may_raise: bool = True,
    lowered: str = "",
    **missing: Any,
) -> None:
    """``of``: the kinds of containers that have it as a method, and behind a colon its names in Python."""
    family, _, suffix = name.partition(".")
    asks = asks or (HASH if family in _HASHING else ())
    last = tuple([(key.replace("_", "/", 1), value) for key, value in missing.items()])
    by = (*lowered.split(), "builtin")
    row = Method(name, does or CallOfMethod(suffix), takes, gives, writes, asks, reads, may_raise, last, by)
    METHODS[name] = row
    kinds, _, names = of.partition(":")
    for kind in kinds.split():
        _OF_KINDS[kind].update(dict.fromkeys(names.split() or [suffix], row))


# -- functions that Python has not -----------------------------------------------------------------------


def _in_turn(keys: Any) -> Callable[[Any], Any]:
    """A key function that has the keys already, perhaps in a buffer (ops/buffers.py): it is asked for those
    of all items, one after the other."""
    return partial(next, iter(keys if isinstance(keys, list) else keys.numbers().tolist()))


def _sorted_by(items: Any, keys: Any, reverse: Any) -> list[Any]:
    return sorted(items, key=_in_turn(keys), reverse=reverse)


def _sort_by(target: Any, keys: Any, reverse: Any) -> None:
    target.sort(key=_in_turn(keys), reverse=reverse)


def _sort(target: Any, reverse: Any) -> None:
    target.sort(reverse=reverse)


# -- asked -----------------------------------------------------------------------------------------------

_row("list.len", "c", INT, does=len, reads=("length",), may_raise=False, lowered="list dict")
_row("list.contains", "cx", BOOL, does=operator.contains, asks=EQUAL, lowered="dict fold")
_row("list.equal", "co", BOOL, does=operator.eq, asks=EQUAL)
_row("list.index", "cxi?i?", INT, of="list tuple deque", asks=EQUAL, lowered="fold")
_row("list.count", "cx", INT, of="list tuple deque", asks=EQUAL, lowered="fold")
_row("list.join", "io", STR, does=str.join)
for _name in ("lt", "le", "gt", "ge"):
    _row(f"list.{_name}", "co", ITEM, does=getattr(operator, _name), asks=ORDER)
    _row(f"set.{_name}", "co", BOOL, does=getattr(operator, _name))
for _name in ("isdisjoint", "issubset", "issuperset"):
    _row(f"set.{_name}", "co", BOOL, of="set")
_row("list.bisect_left", "cxi?i?", INT, does=bisect.bisect_left, asks=ORDER)
_row("list.bisect_right", "cxi?i?", INT, does=bisect.bisect_right, asks=ORDER)

# -- read ------------------------------------------------------------------------------------------------

_row("list.getitem", "ci", ITEM, does=operator.getitem, reads=("items", "length"), lowered="list")
_row("dict.getitem", "ck", ITEM, of="dict:__getitem__", does=operator.getitem, lowered="dict")
_row("dict.get", "ckd", ITEM, of="dict", _default=None, lowered="dict")
_row("list.sum", "cd", ITEM, does=sum, asks=("__add__",), lowered="fold")
_row("list.min", "c", ITEM, does=min, asks=ORDER, lowered="fold")
_row("list.max", "c", ITEM, does=max, asks=ORDER, lowered="fold")

# -- changed ---------------------------------------------------------------------------------------------

_row("list.append", "cv", of="list deque", writes=LENGTH, may_raise=False, lowered="list")
_row("list.appendleft", "cv", of="deque", writes=LENGTH)
_row("list.insert", "civ", of="list deque", writes=LENGTH)
_row("list.extend", "cs", of="list deque:extend __iadd__", writes=LENGTH)
_row("list.extendleft", "cs", of="deque", writes=LENGTH)
_row("list.pop", "ci?", ITEM, of="list deque", writes=LENGTH, lowered="list")
_row("list.popleft", "c", ITEM, of="deque", writes=LENGTH)
_row("list.remove", "cx", of="list deque", writes=LENGTH, asks=EQUAL)
_row("list.clear", "c", of="list deque set dict", writes=LENGTH, may_raise=False)
_row("list.reverse", "c", of="list deque", writes=ITEMS, may_raise=False)
_row("list.rotate", "ci", of="deque", writes=ITEMS, _steps=1)
_row("list.sort", "ci", does=_sort, writes=ITEMS, asks=ORDER, lowered="sorting")
_row("list.sort_by", "cqi", does=_sort_by, writes=ITEMS, asks=ORDER)
_row("list.imul", "ci", of="list deque:__imul__", does=operator.imul, writes=LENGTH)
_row("list.setitem", "civ", does=operator.setitem, writes=ITEMS, lowered="list")
_row("list.setslice", "cis", does=operator.setitem, writes=LENGTH)
_row("list.delitem", "ci", does=operator.delitem, writes=LENGTH)
_row("set.add", "cv", of="set", writes=LENGTH, lowered="dict")
_row("set.discard", "cx", of="set", writes=LENGTH)
_row("set.remove", "cx", of="set", writes=LENGTH)
_row("set.update", "c*s", of="set", writes=LENGTH)
_row("set.clear", "c", writes=LENGTH)
_row("dict.setitem", "ckv", of="dict:__setitem__", does=operator.setitem, writes=GROWS, lowered="dict")
_row("dict.delitem", "ck", of="dict:__delitem__", does=operator.delitem, writes=LENGTH, lowered="dict")
_row("Counter.delitem", "ck", of="Counter:__delitem__", does=operator.delitem, writes=LENGTH)
_row("dict.pop", "ckd?", ITEM, of="dict", writes=LENGTH)
_row("dict.popitem", "c", PAIR, of="dict", writes=LENGTH)
_row("dict.setdefault", "ckv", ITEM, of="dict", writes=GROWS, _default=None, lowered="dict")
_row("dict.update", "cs", writes=GROWS)
_row("dict.clear", "c", writes=LENGTH)
_row("OrderedDict.move_to_end", "cki", of="OrderedDict", writes=LENGTH, last=True)
_row("OrderedDict.popitem", "ci", PAIR, of="OrderedDict", writes=LENGTH, last=True)
_row("list.heapify", "h", does=heapq.heapify, writes=LENGTH, asks=ORDER)
_row("list.heappush", "hv", does=heapq.heappush, writes=LENGTH, asks=ORDER, lowered="heap")
_row("list.heappop", "h", ITEM, does=heapq.heappop, writes=LENGTH, asks=ORDER, lowered="heap")
_row("list.heappushpop", "hv", ITEM, does=heapq.heappushpop, writes=LENGTH, asks=ORDER)
_row("list.heapreplace", "hv", ITEM, does=heapq.heapreplace, writes=LENGTH, asks=ORDER)
_row("list.insort_left", "hvi?i?", does=bisect.insort_left, writes=LENGTH, asks=ORDER)
_row("list.insort_right", "hvi?i?", does=bisect.insort_right, writes=LENGTH, asks=ORDER)

# -- made ------------------------------------------------------------------------------------------------

_row("list.concat", "cs", NEW, does=operator.add)
_row("list.repeat", "ci", NEW, of="list tuple deque:__mul__ __rmul__", does=operator.mul)
_row("list.slice", "ci", NEW, does=operator.getitem)
_row("list.copy", "c", NEW, of="list deque set dict")
_row("list.tolist", "i", NEW, does=lambda array: array.tolist())
_row(
    "list.sorted",
    "si",
    NEW,
    does=lambda items, reverse: sorted(items, reverse=reverse),
    asks=ORDER,
    lowered="sorting",
)
_row("list.sorted_by", "sqi", NEW, does=_sorted_by, asks=ORDER, lowered="sorting")
_row("list.joined", "*s", NEW, does=lambda *parts: [item for part in parts for item in part])
_row("tuple.joined", "*s", NEW, does=lambda *parts: tuple([item for part in parts for item in part]))
_row("set.joined", "*s", NEW, does=lambda *parts: {item for part in parts for item in part})
_row("list.of", "s", NEW, does=list, lowered="dict")
for _kind in ("tuple", "set", "deque", "dict", "OrderedDict"):
    _row(f"{_kind}.of", "si?" if _kind == "deque" else "s", NEW, does=CONTAINERS[_kind])
_row("Counter.most_common", "ci", PAIRS, of="Counter", n=None)
_row("dict.values", "c", NEW, does=lambda table: list(table.values()), lowered="dict")
_row("dict.items", "c", PAIRS, does=lambda table: list(table.items()), lowered="dict")
for _name in ("union", "intersection", "difference", "symmetric_difference"):
    _takes = ("c" if _name == "symmetric_difference" else "c*") + ("s" if _name[0] in "us" else "o")
    _row(f"set.{_name}", _takes, NEW, of="set")
    if _name != "union":
        _row(f"set.{_name}_update", _takes, of="set", writes=LENGTH)
for _name in ("split", "rsplit", "splitlines"):
    _row(f"str.{_name}", "i?i?", NEW)


def is_literal(operation: str) -> bool:
    """Is it the one that makes a container of what the program writes there?"""
    return operation not in METHODS
