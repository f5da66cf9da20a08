"""Calls of Python's functions over a library's values: what asks for their truth, order, text or hash."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Any

from autograph.operators import all_true, any_true, call, if_exp
from autograph.stages.carrying import NO_STATE, Places, Steps

_TEXTS = (str, repr, format, ascii, hash)
_ASKS_FOR_EQUALITY = ("index", "count", "remove")


def called(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the call gives; NotImplemented leaves it to Python. What cannot be known is refused."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if stage._here.places and _is_effect(function, owner):
        stage.refuse(f"a call of `{name}` in a branch or a loop", "call it outside")
    for known, handler in _HANDLERS.items():
        if function is known:
            return handler(stage, function, args, kwargs)
    if isinstance(function, functools._lru_cache_wrapper):
        return _cached(stage, function, args, kwargs)
    if type(owner) is list and name == "sort":
        return _sorted(stage, function, (owner, *args), kwargs)
    if any(map(stage.holds, args)):
        if any(function is kind for kind in (int, float, complex)) or _module(function) in ("math", "cmath"):
            stage.refuse(
                f"a call of `{name}`, which gives a number of Python's,", "use the library's function"
            )
        asks_text = any(function is text for text in _TEXTS) or type(owner) is str
        if asks_text or isinstance(owner, (dict, set, frozenset)) and any(map(stage.claims, args[:1])):
            stage.refuse(f"a call of `{name}`, which asks for the text or hash of a value,")
    if isinstance(owner, list) and name in _ASKS_FOR_EQUALITY and stage.holds([owner, *args]):
        stage.refuse(f"a call of `{name}`, which compares values,", "write a loop")
    return NotImplemented


def _range(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not any(map(stage.claims, args)):
        return NotImplemented
    start, stop = args[:2] if len(args) > 1 else (0, args[0])
    step = args[2] if len(args) > 2 else 1
    if stage.claims(step):
        stage.refuse("a `range` whose step is a value", "write a `while` loop")
    range(0, 0, step)  # raises what Python does
    return Steps(stage, start, stop, step, _itself)


def _truth(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return stage.truth(args[0]) if len(args) == 1 and stage.claims(args[0]) else NotImplemented


def _sorted(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    items, keys = list(args[0]), kwargs.get("key")
    found = items if keys is None else [call(keys, item) for item in items]
    if any(map(stage.holds, found)):
        stage.refuse("an order of values", "choose with `max` and `min`, or by the library")
    if keys is not None:  # each is asked for its key once, in order
        kwargs = {**kwargs, "key": partial(_next_of, iter(found))}
    return function(*([items] if function is sorted else []), **kwargs)


def _extreme(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not args:
        return NotImplemented
    items, keys = list(args[0] if len(args) == 1 else args), kwargs.get("key")
    found = items if keys is None else [call(keys, item) for item in items]
    if not any(map(stage.holds, found)):
        if keys is not None:
            kwargs = {**kwargs, "key": partial(_next_of, iter(found))}
        return function(items, **kwargs)
    if keys is not None or not all(stage.claims(item) or stage.is_plain(item) for item in items):
        stage.refuse(f"`{function.__name__}` of other things than values", "write a loop")
    best = items[0]
    for item in items[1:]:
        better = item > best if function is max else item < best
        best = if_exp(better, partial(_itself, item), partial(_itself, best))
    return best


def _any_or_all(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What comes after a value is asked for, whatever that is: so it must do nothing else."""
    conjunction = function is all
    joined = all_true if conjunction else any_true
    iterator = iter(args[0])
    for item in iterator:
        if stage.claims(item):
            found = stage.condition(item)
            places = Places(stage, NO_STATE, (iterator,))
            left = places.run(partial(list, iterator))
            for slot, _ in left.places.values():
                name = places.name_of(slot)
                stage.refuse(f"a change of {name} in a generator, after a value that may end it,")
            for each in left.result:
                found = joined(found, partial(_itself, each))
            return found
        if bool(item) is not conjunction:
            return not conjunction
    return conjunction


def _tested(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`filter`, `takewhile` and their like, which ask Python for the truth of what a function gives."""

    def test(item: Any) -> Any:
        found = item if args[0] is None else call(args[0], item)
        if stage.holds(found):
            stage.refuse(f"`{function.__name__}` by a value", "write it as a loop")
        return found

    return function(test, *args[1:])


def _cached(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function with a cache, which would be asked by the hash of a value."""
    if not stage.holds([*args, *kwargs.values()]):
        return NotImplemented
    return call(function.__wrapped__, *args, **kwargs)


def _next_of(keys: Iterator[Any], item: Any) -> Any:
    return next(keys)


def _itself(value: Any) -> Any:
    return value


_HANDLERS: dict[Any, Callable[..., Any]] = {
    range: _range, bool: _truth, sorted: _sorted, min: _extreme, max: _extreme,
    any: _any_or_all, all: _any_or_all, filter: _tested,
    itertools.takewhile: _tested, itertools.dropwhile: _tested, itertools.filterfalse: _tested,
}  # fmt: skip


def calls_what_it_gets(function: Any) -> bool:
    """Does a function of Python's call those that it is given?"""
    return any(function is each for each in (map, reduce, itertools.accumulate, itertools.starmap))


_WORLD = frozenset(
    "io _io random _random time os posix nt sys subprocess socket shutil logging secrets uuid".split()
)


def _is_effect(function: Any, owner: Any) -> bool:
    """Does a call do something to the world, or ask it for something, that both branches would do?"""
    if any(function is each for each in (print, input, open, globals, vars, locals, exec, eval)):
        return True
    module = _module(function) or type(owner).__module__ or ""
    return module.partition(".")[0] in _WORLD or module.startswith("numpy.random")


def _module(function: Any) -> str:
    return getattr(function, "__module__", None) or ""


def is_python(root: str) -> bool:
    """Is this module of Python's own library, whose objects may hold those of the program?"""
    return root in sys.stdlib_module_names
