"""Builtins and constructors over containers that a run knows, and those that make them.

kept = [v for v in x if v > 0]
sum(kept), max(kept, default=0.0), sorted(kept, key=abs), tuple(kept), set(kept), deque(kept)
"""

from __future__ import annotations

import bisect
import builtins
import functools
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from autograph.operators import call, for_stmt, store_item
from autograph.staging import Clause
from runtime.calls.foreign_calls import refuse_call
from runtime.control_flow.indexed import Indexed, indexed, over_array
from runtime.control_flow.iterators import TracedIterator, is_pulled
from runtime.iterables.comprehensions import generator_expression
from runtime.iterables.generators import Called, can_push
from runtime.objects.comparing import holds_unknown
from runtime.staged.containers import items_of, new_list
from runtime.staged.kinds import StagedDict
from runtime.staged.list_arrays import as_list, is_list, join
from runtime.staged.strings import ask
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.call_handlers import handles, handles_each, refused
from runtime.tracer.known_items import as_plain
from runtime.tracer.trace import Trace
from runtime.types import ArrayType


def has_unknown(items: Any) -> bool:
    """Is it, or is something in it, known only at run time?"""
    return isinstance(items, Indexed) or holds_unknown(items)


def is_vector(value: Any) -> bool:
    """Is it a staged array of one dimension?"""
    return isinstance(value, Staged) and isinstance(value.type, ArrayType) and value.type.ndim == 1


def is_open_array(value: Any) -> bool:
    """Is it an array of which only a run knows how many items it has?"""
    return isinstance(value, Staged) and isinstance(value.type, ArrayType) and value.type.shape[:1] == (None,)


# -- making --------------------------------------------------------------------------------------------


@handles_each(list, tuple, set)
def make_list(cls: type, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    given: Any = args[0] if len(args) == 1 and not kwargs else None
    if is_open_array(given) and not is_vector(given):
        given = over_array(given)
    if cls is set and (type(given) in (list, tuple) or is_pulled(given)):
        args = (given := list(given),)
    by_hash = cls is set and (is_vector(given) or type(given) is list and has_unknown(given))
    if not by_hash and not is_list(given) and not isinstance(given, Indexed) and not is_open_array(given):
        return trace.containers.born(cls(*args, **kwargs))
    is_set = cls is set and is_list(given) and given.type.name == "set"
    items = given if is_set else as_list(trace, given)
    if isinstance(given, Indexed) and cls is list:
        return items
    return new_list(trace.containers, f"{cls.__name__}.of", (items,), items.element, cls.__name__)


def in_run(trace: Trace, items: tuple[Any, ...]) -> Any:
    """A tuple that a run makes of these items."""
    element = items_of(trace.containers, items)[1]
    return new_list(trace.containers, "tuple.of", (list(items),), element, "tuple")


@handles(frozenset)
def make_frozenset(trace: Trace, *args: Any) -> Any:
    """Of what the trace knows; the hashes of other items are known only at run time."""
    items = args[0] if len(args) == 1 else ()
    if isinstance(items, Staged | Indexed) or (type(items) in (list, tuple) and has_unknown(items)):
        raise trace.refuse(
            "a frozenset of items that only a run knows is not staged", "make it a set, with `set(...)`"
        )
    return NotImplemented


@handles_each(dict, OrderedDict)
def make_dict(cls: type[dict[Any, Any]], trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    if args and isinstance(args[0], StagedDict):
        return _updated(trace, cls(), *args, **kwargs)
    if len(args) == 1 and (is_list(args[0]) or isinstance(args[0], Indexed)):
        return _with_pairs(trace, cls(), args[0], kwargs)
    pairs, args = _pairs_of(args)
    if pairs is not None:
        return _with_pairs(trace, cls(), pairs, kwargs)
    return trace.containers.born(cls(*args, **kwargs))


def _updated(trace: Trace, empty: dict[Any, Any], /, *args: Any, **kwargs: Any) -> Any:
    """A new dict of the kind of ``empty``, of the run, with the items of these arguments."""
    made = trace.containers.make(empty, (trace.containers.here(), "of", type(empty).__name__))
    made.update(*args, **kwargs)
    return made


@handles(dict.fromkeys)
def dict_of_keys(trace: Trace, keys: Any, value: Any = None, /) -> Any:
    made = _updated(trace, {})
    for_stmt(keys, None, lambda key: store_item(made, key, value))
    return made


def _pairs_of(args: tuple[Any, ...]) -> tuple[list[Any] | None, tuple[Any, ...]]:
    """Pairs with keys that only a run knows, of which no real dict can be made; the arguments, unspent."""
    if len(args) != 1 or not (type(args[0]) in (list, tuple) or is_pulled(args[0])):
        return None, args
    pairs = list(map(as_plain, args[0]))
    known = all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs)
    return pairs if known and any(has_unknown(pair[0]) for pair in pairs) else None, (pairs,)


def _with_pairs(trace: Trace, empty: dict[Any, Any], pairs: Any, more: dict[str, Any]) -> Any:
    """A new dict of the kind of ``empty``, of these pairs."""
    made = _updated(trace, empty)

    def add(pair: Any) -> None:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise trace.refuse(
                "a dict is made of other things than pairs", "give tuples of a key and a value"
            )
        made[pair[0]] = pair[1]

    for_stmt(pairs, None, add)
    made.update(**more)
    return made


@handles(defaultdict)
def make_default_dict(trace: Trace, factory: Any = None, /, *args: Any, **kwargs: Any) -> Any:
    if args and isinstance(args[0], StagedDict):
        return _updated(trace, defaultdict(factory), *args, **kwargs)
    return trace.containers.born(defaultdict(factory, *args, **kwargs))


@handles(Counter)
def make_counter(trace: Trace, items: Any = None, /, **kwargs: Any) -> Any:
    if has_unknown(items):
        return _updated(trace, Counter(), items, **kwargs)
    return trace.containers.born(Counter(items, **kwargs))


@handles(deque)
def make_deque(trace: Trace, iterable: Any = (), maxlen: Any = None) -> Any:
    """A deque is a real one from the start."""
    if is_list(iterable) or isinstance(iterable, Indexed):
        iterable = as_list(trace, iterable)
    items, element = items_of(trace.containers, iterable)
    return new_list(trace.containers, "deque.of", (items, maxlen), element, "deque")


# -- lazily --------------------------------------------------------------------------------------------


_COMPARISON = type(functools.cmp_to_key(lambda a, b: 0))


_BY_KEY = "sort by a key: sorted(items, key=...)"
refused(_BY_KEY, functools.cmp_to_key)


def called(function: Any) -> Any:
    """The user's function, of which `callbacks.converting` made one that runs converted."""
    if type(function) is _COMPARISON:
        raise refuse("`functools.cmp_to_key` is not staged", _BY_KEY)
    if type(function) is Called:
        return function.function
    is_converting = type(function) is functools.partial and not function.keywords and function.func is call
    return function.args[0] if is_converting else function


@handles(filter)
def stage_filter(trace: Trace, predicate: Any, iterable: Any, /) -> Any:
    if not has_unknown(iterable) and not can_push(iterable):
        return NotImplemented
    keep = (lambda item: item) if predicate is None else Called(called(predicate))
    return generator_expression(trace, Clause(lambda item: item, iterable, keep))


@handles(map)
def stage_map(trace: Trace, function: Any, *iterables: Any) -> Any:
    sources = [indexed(iterable) for iterable in iterables]
    is_open = any(source is not None and source.static is None for source in sources)
    if not is_open and not (len(iterables) == 1 and can_push(iterables[0])):
        return NotImplemented
    items = call(builtins.zip, *iterables) if len(iterables) > 1 else iterables[0]
    given = (lambda item: item) if len(iterables) > 1 else lambda item: (item,)
    return generator_expression(trace, Clause(lambda item: Called(called(function))(*given(item)), items))


# -- methods of what the trace knows item by item --------------------------------------------------------


def method_of_known(trace: Trace, owner: Any, name: str, args: tuple[Any, ...]) -> Any:
    """`join` of a text, `index` and `count` of a tuple, where only a run can do it; else NotImplemented."""
    if isinstance(owner, str) and name == "join" and len(args) == 1:
        items = list(args[0]) if isinstance(args[0], TracedIterator) else as_plain(args[0])
        if has_unknown(items):
            return join(trace, owner, items)
        return NotImplemented if items is args[0] else owner.join(items)
    if isinstance(owner, tuple) and name in ("index", "count") and has_unknown((*owner, *args)):
        return getattr(in_run(trace, owner), name)(*args)
    return NotImplemented


# -- heaps and sorted lists ------------------------------------------------------------------------------


_HEAPS = (heapq.heappush, heapq.heapify, heapq.heappop, heapq.heappushpop, heapq.heapreplace)
_GIVE_PLACES = (bisect.bisect_left, bisect.bisect_right)


@handles_each(*_HEAPS, *_GIVE_PLACES, bisect.insort_left, bisect.insort_right)
def call_on_list(function: Any, trace: Trace, items: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A function of a list, and perhaps of an item that it puts there: the list is a real one."""
    name = f"list.{function.__name__}"
    if function in _GIVE_PLACES and isinstance(items, Staged) and isinstance(items.type, ArrayType):
        raise trace.refuse(f"`{function.__name__}` gets an array", "use np.searchsorted")
    if function in _GIVE_PLACES and isinstance(items, tuple):
        items = as_list(trace, items)
    if kwargs and kwargs.keys() <= {"lo", "hi"} and len(args) == 1:  # of bisect
        args = (*args, kwargs.pop("lo", 0), *([kwargs.pop("hi")] if "hi" in kwargs else []))
    if not is_list(items) or kwargs:
        raise refuse_call(trace, function)
    return items.do(name, *args)


@handles_each(ord, chr)
def stage_letter(function: Any, trace: Trace, value: Any, /) -> Any:
    return ask(f"str.{function.__name__}", value) if isinstance(value, Staged) else function(value)
