"""Calls of Python's functions over a library's values: what asks for their truth, order, text or hash."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable
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
    if isinstance(function, functools._lru_cache_wrapper) and stage.holds([*args, *kwargs.values()]):
        return call(function.__wrapped__, *args, **kwargs)  # the cache would ask for the hash of a value
    if type(owner) is list and name == "sort":
        return _sorted(stage, function, args, kwargs)
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
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    return Steps(stage, start, stop, step, _itself)


def _truth(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return stage.truth(args[0]) if len(args) == 1 and stage.claims(args[0]) else NotImplemented


def _checked(stage: Any, name: str, function: Any, item: Any) -> Any:
    """What Python is to ask for its truth or order: what `function` gives for an item, or the item."""
    found = item if function is None else call(function, item)
    if stage.holds(found):
        stage.refuse(
            f"a call of `{name}`, which asks for the truth or order of values,", "write a loop, or use `max`"
        )
    return found


def _sorted(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    key = partial(_checked, stage, function.__name__, kwargs.get("key"))
    return function(*args, **{**kwargs, "key": key})


def _tested(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(partial(_checked, stage, function.__name__, args[0]), *args[1:])


def _extreme(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    items = list(args[0] if len(args) == 1 else args)
    if kwargs or not any(map(stage.claims, items)):
        return _sorted(stage, function, (items,) if args else (), kwargs)
    best = items[0]
    for item in items[1:]:
        better = item > best if function is max else item < best
        best = if_exp(better, partial(_itself, item), partial(_itself, best))
    return best


def _any_or_all(stage: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What comes after a value is asked for, whatever that is: so it must do nothing else."""
    joined = all_true if function is all else any_true
    iterator = iter(args[0])
    for item in iterator:
        if stage.claims(item):
            stage.ends_early(iterator)
            places = Places(stage, NO_STATE, (iterator,))
            left = places.run(partial(list, iterator))
            for slot, _ in left.places.values():
                name = places.name_of(slot)
                stage.refuse(f"a change of {name} in a generator, after a value that may end it,")
            return reduce(lambda a, b: joined(a, partial(_itself, b)), left.result, stage.condition(item))
        if bool(item) is not (function is all):
            return function is any
    return function is all


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
