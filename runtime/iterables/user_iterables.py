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
from runtime.allowed import Way, entry_of, is_hashable
from runtime.control_flow.builtin_iterables import StagedIterator
from runtime.control_flow.indexed import Indexed, indexed, values_of
from runtime.control_flow.iterators import name_in_messages
from runtime.iterables.generators import TracedGenerator, made_of
from runtime.objects import acting
from runtime.objects.compared_by_runs import own_method
from runtime.objects.operators import answered
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.methods import methods_of
from runtime.staged.needed_now import class_of
from runtime.staged.operands import ArrayHolder
from runtime.staged.strings import StagedString
from runtime.tracer.call_handlers import handler_there, handles
from runtime.tracer.spec import Choice, is_instance
from runtime.tracer.trace import Trace, require_trace

# Python's own ways, in Python: each is converted, and runs where the user's loop stands.


def one_by_one(items: Any, ends: tuple[type[Exception], ...], by_place: bool) -> Iterator[Any]:
    """``items[0]``, ``items[1]``, ... or what ``next(items)`` gives, until that raises one of ``ends``."""
    place, going = 0, True
    while going:
        item = None
        try:
            item = items[place] if by_place else next(items)
        except ends:
            going = False
        if going:
            yield item
        place = place + 1


def asked_for_length(items: Any) -> None:
    try:
        len(items)
    except TypeError:
        pass


def next_or(iterator: Any, default: Any) -> Any:
    try:
        return next(iterator)
    except StopIteration:
        return default


def by_keys(mapping: Any) -> dict[Any, Any]:
    return {key: mapping[key] for key in mapping.keys()}


def searches(container: Any) -> bool:
    """Does ``in`` call a method of the user's, or one that no trace sees?"""
    names = ("__contains__", "__iter__", "__getitem__")
    if is_instance(container) and any(users_method(type(container), name) for name in names):
        return True
    return require_trace().outside.is_foreign(container)


def is_mapping_view(items: Any) -> bool:
    """Is it what `collections.abc.Mapping` gives for the keys, values or items of a mapping of the user's?"""
    return MappingView in type(items).__mro__


def iterated(trace: Trace, items: Any) -> Any:
    """What to iterate over in place of an object of a user's class; any other thing as it is."""
    if is_mapping_view(items):
        return generated(trace, type(items).__iter__, items)
    if not _is_object(trace, items):
        return items
    cls = type(items)
    if isinstance(items, ArrayHolder):
        return call(cls.__iter__, items)  # a variable, whose reads the trace notes
    values = values_of(trace, items)
    if values is not None:
        return call(values.tolist)  # of which pandas, too, gives Python's own numbers
    mixin = own_method(cls, "__iter__")
    if not hasattr(cls, "__iter__") or mixin is vars(Sequence)["__iter__"]:
        if users_method(cls, "__getitem__") is None:
            return items
        ends = (IndexError,) if mixin else (IndexError, StopIteration)
        return generated(trace, one_by_one, items, ends, True)
    method = users_method(cls, "__iter__")
    if method is None and (mixin is not vars(Iterator)["__iter__"] or users_method(cls, "__next__") is None):
        if trace.outside.is_foreign(items):
            raise trace.outside.refuse_foreign(items, "iterated over")
        return items
    made = items if method is None else call(method, items)
    check_iterator(made)
    pulls = is_instance(made) and users_method(type(made), "__next__") is not None
    if made is items or (pulls and not hasattr(type(made), "__iter__")):
        return generated(trace, one_by_one, made, (StopIteration,), False) if pulls else made
    return iterated(trace, made)


def _is_object(trace: Trace, items: Any) -> bool:
    """May its class say how it is iterated over?"""
    return is_instance(items) or is_mapping_view(items) or trace.outside.is_foreign(items)


def check_iterator(made: Any) -> None:
    """Raises the TypeError of Python where an `__iter__` has given something that is no iterator."""
    if isinstance(made, Choice) or hasattr(type(made), "__next__"):
        return
    if issubclass(type(made), Indexed) and not made.is_sized:
        return  # one that the trace has no iterator for, or whose place a run knows
    raise TypeError(f"iter() returned non-iterator of type '{name_in_messages(class_of(made))}'")


def iterated_for_list(trace: Trace, items: Any, of_display: bool = False) -> Any:
    """The same for what makes a list: Python asks for the length, the iterator made."""
    found = iterated(trace, items)
    if found is items:
        return items
    for name in ("__len__", "__length_hint__"):
        method = users_method(type(items), name)
        if method is not None and (name != "__len__" or of_display and acting.acts(method, type(items))):
            raise trace.refuse(
                f"Python asks for `{method.__qualname__}` unseen before it makes a list",
                "leave it out, or make the list by a comprehension",
            )
    if users_method(type(items), "__len__") is not None:
        call(trace.environment.enter(asked_for_length, None), items)
    return found


def users_method(cls: type, name: str) -> FunctionType | None:
    """A special method in Python that is the user's, and not of a library."""
    method = own_method(cls, name)
    return None if method is None or (is_function_excluded(method) and not _is_converted(method)) else method


def _is_converted(method: FunctionType) -> bool:
    """Is it a library's, whose source is converted as yours is?"""
    entry = entry_of(method)
    return entry is not None and entry.way is Way.CONVERTED


def generated(trace: Trace, function: Callable[..., Iterator[Any]], *args: Any) -> TracedGenerator:
    return made_of(trace, function, trace.environment.enter(function, None)(*args), args, {})


_FIRST, _SECOND, _ALL = slice(0, 1), slice(1, 2), slice(0, None)
#: which of its arguments a function iterates over
_ITERATED: dict[Any, slice] = {
    **dict.fromkeys((
        list, tuple, set, frozenset, dict, sum, min, max, any, all, sorted, enumerate, iter, deque, Counter,
        OrderedDict, math.prod, math.fsum, bytes, bytearray, operator.countOf, operator.indexOf,
        itertools.accumulate, itertools.islice, itertools.combinations, itertools.permutations,
        itertools.cycle, itertools.pairwise, itertools.groupby,
    ), _FIRST),
    **dict.fromkeys((
        filter, functools.reduce, defaultdict, itertools.takewhile, heapq.nlargest, heapq.nsmallest,
    ), _SECOND),
    **dict.fromkeys((zip, itertools.chain, itertools.product, itertools.zip_longest), _ALL),
    map: slice(1, None),
}  # fmt: skip
#: methods of Python's own texts and containers
_METHODS = {"join", "update"}.union(
    name for kind in CONTAINERS for name, row in methods_of(kind).items() if row.is_of_collections
)
#: these make a list or tuple of the items
_MAKE_LISTS = frozenset(
    {list, tuple, sorted, itertools.product, itertools.combinations, itertools.permutations}
)


def with_items(function: Any, args: tuple[Any, ...], trace: Trace) -> tuple[Any, ...]:
    """The arguments of a call that iterates over them."""
    if not any(isinstance(arg, StagedString) or _is_object(trace, arg) for arg in args):
        return args
    places = range(len(args))[_iterated_places(function, args)]
    taken = tuple([_items(trace, function, arg) if k in places else arg for k, arg in enumerate(args)])
    return taken if any(one is not arg for one, arg in zip(taken, args, strict=True)) else args


def _iterated_places(function: Any, args: tuple[Any, ...]) -> slice:
    if is_hashable(function) and function in _ITERATED:
        alone = function in (min, max, iter) and len(args) > 1  # `min(a, b)`
        return slice(0) if alone else _ITERATED[function]
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, type) and name in ("fromkeys", "from_iterable"):
        return _FIRST
    of_container = owner is not None and not isinstance(owner, type) and not is_instance(owner)
    return _ALL if of_container and name in _METHODS else slice(0)


def _items(trace: Trace, function: Any, items: Any) -> Any:
    """What ``function`` reads of an argument that it iterates over."""
    if isinstance(items, StagedString):
        return items.letters()
    if function is iter:
        return iterator_of(trace, items)
    owner = getattr(function, "__self__", function)
    kind = owner if isinstance(owner, type) else class_of(owner)
    own = users_method(type(items), "__iter__")
    of_dict = isinstance(kind, type) and issubclass(kind, dict) and hasattr(type(items), "keys")
    if isinstance(items, dict | set | frozenset) and own is None:
        return items
    if of_dict and not isinstance(items, dict) and users_method(type(items), "keys") is not None:
        return trace.environment.enter(by_keys, None)(items)
    if of_dict or isinstance(items, dict | set | frozenset):
        raise trace.refuse(
            f"a {type(items).__name__}, whose class says how it is read, is made a dict or set by Python",
            "write a comprehension over it",
        )
    makes_list = is_hashable(function) and function in _MAKE_LISTS
    makes_list = makes_list or getattr(function, "__name__", "") in ("extend", "join") and kind is not deque
    return iterated_for_list(trace, items) if makes_list else iterated(trace, items)


def iterator_of(trace: Trace, items: Any) -> Any:
    """``iter(items)``; an iterator of a user's class is itself what Python gives."""
    cls = type(items)
    method = users_method(cls, "__iter__") if is_instance(items) else None
    if method is None:
        if hasattr(cls, "__next__") and not hasattr(cls, "__iter__") and not hasattr(cls, "__getitem__"):
            raise TypeError(f"'{name_in_messages(cls)}' object is not iterable")
        return iterated(trace, items)
    made = call(method, items)
    check_iterator(made)
    return made


@handles(builtins.iter)
def stage_iter(trace: Trace, items: Any, *sentinel: Any) -> Any:
    if sentinel:
        return NotImplemented
    if is_instance(items) and users_method(type(items), "__next__") is not None:
        return items  # what `iterator_of` gave
    source = indexed(items)
    return NotImplemented if source is None else source.like(source.bounds, source.item)


_next = handler_there(builtins.next)


@handles(builtins.next)
def stage_next(trace: Trace, iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, StagedIterator):
        return iterator.take(*default)
    method = users_method(type(iterator), "__next__") if is_instance(iterator) else None
    if method is None:
        return _next(trace, iterator, *default)
    if not default:
        return answered(call(method, iterator), method)
    return trace.environment.enter(next_or, None)(iterator, *default)
