"""Loops over objects of the user's own classes: ``__iter__``, ``__next__`` and ``__getitem__`` run converted.

    class Positive:
        def __iter__(self):
            for v in self.items:
                if v > 0:
                    yield v

    sum(Positive(x))

Python would call these methods behind the back of the trace, as they are. So what iterates asks here first.
"""

from __future__ import annotations

import builtins
import functools
import heapq
import itertools
import math
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, MappingView, Sequence
from types import FunctionType
from typing import Any

from autograph.config import is_function_excluded
from autograph.operators import call
from runtime.containers.special_methods import own_method
from runtime.iterables.generators import InRun, TracedGenerator, inside_out
from runtime.iteration.indexed import Indexed
from runtime.iteration.iterators import name_in_messages
from runtime.objects import acting
from runtime.objects.operators import answered
from runtime.staged import mappings, sets
from runtime.staged.operands import ArrayHolder
from runtime.staged.strings import StagedString
from runtime.staged.value_classes import class_of
from runtime.tracer.call_handlers import HANDLERS, handler_there, handles
from runtime.tracer.spec import Choice, is_instance
from runtime.tracer.trace import Trace

# Python's own ways, in Python: each is converted, and runs where the user's loop stands.


def pulled(iterator: Any) -> Iterator[Any]:
    """The items of an object with ``__next__``."""
    going = True
    while going:
        item = None
        try:
            item = next(iterator)
        except StopIteration:
            going = False
        if going:
            yield item


def by_place(items: Any) -> Iterator[Any]:
    """The items of an object that has ``__getitem__`` only."""
    place, going = 0, True
    while going:
        item = None
        try:
            item = items[place]
        except (IndexError, StopIteration):
            going = False
        if going:
            yield item
        place = place + 1


def by_index(items: Any) -> Iterator[Any]:
    """What the `__iter__` of `collections.abc.Sequence` gives."""
    place, going = 0, True
    while going:
        item = None
        try:
            item = items[place]
        except IndexError:
            going = False
        if going:
            yield item
        place = place + 1


def as_dict(mapping: Any) -> dict[Any, Any]:
    """What a dict takes from an object that has ``keys``."""
    made = {}
    for key in mapping.keys():
        made[key] = mapping[key]
    return made


def asked_for_length(items: Any) -> None:
    length = 0
    try:
        length = len(items)
    except TypeError:
        pass
    if length < 0:
        raise ValueError("__len__() should return >= 0")


def next_or(iterator: Any, default: Any) -> Any:
    try:
        return next(iterator)
    except StopIteration:
        return default


def searches(container: Any) -> bool:
    """Does ``in`` call a method of the user's?"""
    return is_instance(container) and any(users_method(type(container), name) for name in _SEARCHING)


_SEARCHING = ("__contains__", "__iter__", "__getitem__")


def is_mapping_view(items: Any) -> bool:
    """Is it what `collections.abc.Mapping` gives for the keys, values or items of a mapping of the user's?"""
    return MappingView in type(items).__mro__


def iterated(trace: Trace, items: Any) -> Any:
    """What to iterate over in place of an object of a user's class; any other thing as it is."""
    if is_mapping_view(items):
        return generated(trace, type(items).__iter__, items)
    if not is_instance(items):
        return items
    cls = type(items)
    if isinstance(items, ArrayHolder):
        return call(cls.__iter__, items)  # a variable, whose reads the trace notes
    if hasattr(cls, "__iter__"):
        method = users_method(cls, "__iter__")
        if method is None:
            function = _mixin(cls)
            return items if function is None else generated(trace, function, items)
        made = call(method, items)
        check_iterator(made)
        pulls = is_instance(made) and users_method(type(made), "__next__") is not None
        if made is items or (pulls and not hasattr(type(made), "__iter__")):
            return generated(trace, pulled, made) if pulls else made
        return iterated(trace, made)
    return items if users_method(cls, "__getitem__") is None else generated(trace, by_place, items)


def _mixin(cls: type) -> Callable[..., Iterator[Any]] | None:
    """What the `__iter__` of an abstract class does, which the class has from there."""
    method = own_method(cls, "__iter__")
    if method is vars(Iterator)["__iter__"] and users_method(cls, "__next__") is not None:
        return pulled
    return by_index if method is vars(Sequence)["__iter__"] and users_method(cls, "__getitem__") else None


def check_iterator(made: Any) -> None:
    """Raises the TypeError of Python where an `__iter__` has given something that is no iterator."""
    if isinstance(made, Choice) or hasattr(type(made), "__next__"):
        return
    if issubclass(type(made), Indexed) and not made.is_sized:
        return  # one that the trace has no iterator for, or whose place a run knows
    raise TypeError(f"iter() returned non-iterator of type '{name_in_messages(class_of(made))}'")


def iterated_unmeasured(trace: Trace, items: Any) -> Any:
    """The same where a list may ask for the length, or a set may not: raises StagingError if that acts."""
    found = iterated(trace, items)
    for name in ("__len__", "__length_hint__"):
        method = None if found is items else users_method(type(items), name)
        if method is not None and acting.acts(method, type(items)):
            raise trace.refuse(
                f"Python asks for `{method.__qualname__}` unseen, which does more here than to read a length",
                "make a list of the items first: list(items)",
            )
    return found


def users_method(cls: type, name: str) -> FunctionType | None:
    """A special method in Python that is the user's, and not of a library."""
    method = own_method(cls, name)
    return None if method is None or is_function_excluded(method) else method


def generated(trace: Trace, function: Callable[..., Iterator[Any]], items: Any) -> TracedGenerator:
    def push(consume: Any, early: bool, in_run: InRun) -> None:
        inside_out(trace, function)(consume, items)

    return TracedGenerator(trace, trace.environment.enter(function, None)(items), push)


#: what iterates over all of its arguments, and over those behind a function
_ALL = (
    list, tuple, set, frozenset, dict, sum, min, max, any, all, sorted, enumerate, zip, iter,
    deque, Counter, OrderedDict, math.prod, math.fsum, heapq.nlargest, heapq.nsmallest,
    bytes, bytearray, operator.countOf, operator.indexOf,
)  # fmt: skip
#: what iterates over one argument: behind it stands a start, a value, a length
_OF_ONE = (
    sum, enumerate, iter, deque, functools.reduce, itertools.accumulate, itertools.islice,
    operator.countOf, operator.indexOf,
)  # fmt: skip
_BEHIND_A_FUNCTION = (
    map, filter, functools.reduce, defaultdict,
    itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.starmap,
)  # fmt: skip
_METHODS = frozenset({
    "extend", "update", "join", "union", "intersection", "difference", "symmetric_difference",
    "intersection_update", "difference_update", "symmetric_difference_update",
    "issubset", "issuperset", "isdisjoint",
})  # fmt: skip
#: class methods
_OF_CLASSES = frozenset({"fromkeys", "from_iterable"})


def with_items(function: Any, args: tuple[Any, ...], trace: Trace) -> tuple[Any, ...]:
    """The arguments of a call that iterates over them."""
    first = _first_iterable(function, args) if any(map(_asks_itself, args)) else None
    if first is None or not any(map(_asks_itself, args[first:])):
        return args
    of_one = any(function is one for one in _OF_ONE) or getattr(function, "__name__", "") in _OF_CLASSES
    last = first if of_one else len(args)
    take = iterated_for_list if _makes_a_list(function) else functools.partial(_items, function=function)
    take = iterator_of if function is iter else take
    items = lambda arg: arg.letters() if isinstance(arg, StagedString) else take(trace, items=arg)
    taken = tuple([items(arg) if first <= k <= last else arg for k, arg in enumerate(args)])
    return taken if any(one is not arg for one, arg in zip(taken, args, strict=True)) else args


def _asks_itself(items: Any) -> bool:
    return is_instance(items) or isinstance(items, StagedString) or is_mapping_view(items)


def iterator_of(trace: Trace, items: Any) -> Any:
    """``iter(items)``; an iterator of a user's class is itself what Python gives."""
    cls = type(items)
    if not is_instance(items) or users_method(cls, "__iter__") is None:
        if hasattr(cls, "__next__") and not hasattr(cls, "__iter__") and not hasattr(cls, "__getitem__"):
            raise TypeError(f"'{name_in_messages(cls)}' object is not iterable")
        return iterated(trace, items)
    made = call(users_method(type(items), "__iter__"), items)
    check_iterator(made)
    return made


_MAKE_LISTS = (
    list, tuple, sorted, itertools.product, itertools.combinations, itertools.permutations,
    itertools.combinations_with_replacement,
)  # fmt: skip


def _makes_a_list(function: Any) -> bool:
    """Does CPython make a list or tuple of the items?"""
    if any(function is one for one in _MAKE_LISTS):
        return True
    owner = getattr(function, "__self__", None)
    of_deque = isinstance(owner, deque)
    return not of_deque and owner is not None and getattr(function, "__name__", "") in ("extend", "join")


def iterated_for_list(trace: Trace, items: Any) -> Any:
    """The same for what makes a list or tuple: it asks how many items there may be, the iterator made."""
    found = iterated(trace, items)
    if found is items:
        return items
    if users_method(type(items), "__len__") is not None:
        call(trace.environment.enter(asked_for_length, None), items)
    hint = users_method(type(items), "__length_hint__")
    if hint is not None:
        raise trace.refuse(
            f"`{hint.__qualname__}` is asked before a list is made, which no graph does",
            "leave it out: it says only how much room to reserve",
        )
    return found


def _items(trace: Trace, function: Any, items: Any) -> Any:
    """What ``function`` reads of an argument, as CPython's own code does."""
    owner = getattr(function, "__self__", function)
    if _is_a(owner, dict, mappings.StagedDict) and is_instance(items) and hasattr(type(items), "keys"):
        own = not isinstance(items, dict) or users_method(type(items), "__iter__") is not None
        return call(trace.environment.enter(as_dict, None), items) if own else items
    if _is_a(owner, set | frozenset, sets.StagedSet) and isinstance(items, set | frozenset):
        return items  # its contents, whatever its `__iter__` says
    return iterated(trace, items)


def _is_a(owner: Any, kind: Any, staged: type) -> bool:
    """Is it such a class, or of one?"""
    return issubclass(owner, kind) if isinstance(owner, type) else isinstance(owner, (kind, staged))


def _first_iterable(function: Any, args: tuple[Any, ...]) -> int | None:
    if any(function is one for one in _ALL):
        alone = function in (min, max) and len(args) > 1 or function is iter and len(args) > 1
        return None if alone else 0
    if any(function is one for one in _BEHIND_A_FUNCTION):
        return 1
    if function is itertools.repeat:
        return None
    if getattr(function, "__module__", "") == "itertools":
        return 0
    if isinstance(function, type):
        return None
    owner = getattr(function, "__self__", None)
    if (
        any(owner is cls for cls in (dict, OrderedDict, itertools.chain))
        and getattr(function, "__name__", "") in _OF_CLASSES
    ):
        return 0
    if owner is not None and not is_instance(owner) and getattr(function, "__name__", "") in _METHODS:
        return 0
    return None


_iter = HANDLERS.get(builtins.iter)


@handles(builtins.iter)
def stage_iter(trace: Trace, items: Any, *sentinel: Any) -> Any:
    if not sentinel and is_instance(items) and users_method(type(items), "__next__") is not None:
        return items  # what `iterator_of` gave
    return NotImplemented if _iter is None else _iter(trace, items, *sentinel)


_next = handler_there(builtins.next)


@handles(builtins.next)
def stage_next(trace: Trace, iterator: Any, *default: Any) -> Any:
    method = users_method(type(iterator), "__next__") if is_instance(iterator) else None
    if method is None:
        return _next(trace, iterator, *default)
    if not default:
        return answered(call(method, iterator), method)
    return trace.environment.enter(next_or, None)(iterator, *default)


__all__ = ["iterated", "with_items"]
