"""Functions that plain Python calls for one of its own: a key, what `map` applies. They run converted."""

from __future__ import annotations

import functools
import itertools
import operator
import types
from collections.abc import Callable
from typing import Any

from autograph.config import is_excluded
from autograph.operators import call
from runtime.callees.builtin_calls import handler_of
from runtime.callees.purity import is_hashable
from runtime.containers.comparison_keys import ComparisonKey
from runtime.containers.special_methods import is_instance
from runtime.iterables.ended import call_by_iterator
from runtime.numpy_calls import staged_calls
from runtime.objects.watched_classes import HEAP_TYPE
from runtime.outside.as_it_is import may_change

#: where they take what they call
_CALLED_FIRST = frozenset({
    map, filter, functools.reduce,
    itertools.takewhile, itertools.dropwhile, itertools.filterfalse, itertools.starmap,
})  # fmt: skip
_CALLED_SECOND = frozenset({itertools.accumulate, itertools.groupby})
_WITH_KEY = _CALLED_SECOND | {sorted, min, max}


def with_callbacks(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, where what plain Python calls among them runs converted. Items stay what they are."""
    place = None
    if function in _CALLED_FIRST or (function is iter and len(args) == 2):
        place = 0
    elif function in _CALLED_SECOND:
        place = 1
    if place is not None and place < len(args):
        by = call if function is functools.reduce else call_by_iterator
        args = (*args[:place], converting(args[place], by), *args[place + 1 :])
    for name in ("key", "func"):
        if name in kwargs and _takes_callback(function):
            by = call_by_iterator if function in _CALLED_SECOND else call
            kwargs = {**kwargs, name: converting(kwargs[name], by)}
    return args, kwargs


def _takes_callback(function: Any) -> bool:
    """By name: `key`, or the `func` of `accumulate`."""
    if function in _WITH_KEY:
        return True
    if getattr(function, "__module__", None) in ("bisect", "_bisect"):
        return True
    return getattr(function, "__name__", "") == "sort" and isinstance(
        getattr(function, "__self__", None), list
    )


def converting(argument: Any, by: Callable[..., Any]) -> Any:
    """A function as one that runs converted when plain Python calls it; anything else as it is."""
    return functools.partial(by, argument) if _runs_converted(argument) else argument


_PYTHON = (
    types.FunctionType, types.MethodType, functools.partial, operator.methodcaller, operator.attrgetter,
    types.MethodDescriptorType, types.WrapperDescriptorType,
)  # fmt: skip


def _runs_converted(argument: Any) -> bool:
    if type(argument) is ComparisonKey:
        return False  # a sort knows it
    if isinstance(argument, _PYTHON) or (callable(argument) and is_instance(argument)):
        return True
    if isinstance(argument, type) and argument.__flags__ & HEAP_TYPE and not is_excluded(argument.__module__):
        return True
    if isinstance(argument, types.BuiltinMethodType | types.MethodWrapperType):
        if may_change(argument.__self__):
            return True
    if isinstance(argument, types.BuiltinFunctionType | type) and handler_of(argument) is not None:
        return True
    # for `np.zeros` would give Python an array that no operation made
    return (
        callable(argument) and is_hashable(argument) and staged_calls.implementation_of(argument) is not None
    )
