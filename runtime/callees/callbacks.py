"""Functions that plain Python calls for one of its own: a key, what `map` applies. They run converted."""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable
from typing import Any

from autograph.config import is_excluded
from autograph.operators import call
from autograph.operators.containers import MARKED
from runtime.allowed import entry_of, is_hashable
from runtime.callees.builtin_calls import handler_of
from runtime.iterables.callbacks import Called
from runtime.numpy_calls import staged_calls
from runtime.ops.instances import HEAP_TYPE, is_user_instance
from runtime.ops.item_patterns import KINDS
from runtime.tracer.spec import is_instance


def with_callbacks(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, where what plain Python calls among them runs converted. Items stay what they are."""
    entry = entry_of(function)
    if entry is None or not entry.calls or (function is iter and len(args) != 2):
        return args, kwargs
    at_once = entry.calls == ("key",) or function is functools.reduce  # no iterator calls it later
    by = _at_once if at_once else Called
    for place in entry.calls:
        if isinstance(place, int) and place < len(args):
            args = (*args[:place], converting(args[place], by), *args[place + 1 :])
        elif place in kwargs:
            kwargs = {**kwargs, place: converting(kwargs[place], by)}
    return args, kwargs


def converting(argument: Any, by: Callable[[Any], Any]) -> Any:
    """A function as one that runs converted when plain Python calls it; anything else as it is."""
    return by(argument) if _runs_converted(argument) else argument


def _at_once(function: Any) -> Any:
    return functools.partial(call, function)


_PYTHON = (
    types.FunctionType, types.MethodType, functools.partial, operator.methodcaller, operator.attrgetter,
    types.MethodDescriptorType, types.WrapperDescriptorType,
)  # fmt: skip


def _runs_converted(argument: Any) -> bool:
    if isinstance(argument, _PYTHON) or (callable(argument) and is_instance(argument)):
        return True
    if isinstance(argument, type) and argument.__flags__ & HEAP_TYPE and not is_excluded(argument.__module__):
        return True
    if isinstance(argument, types.BuiltinMethodType | types.MethodWrapperType):
        if type(argument.__self__) in KINDS or is_user_instance(argument.__self__):
            return True
    if isinstance(argument, types.BuiltinFunctionType | type) and handler_of(argument) is not None:
        return True
    if is_hashable(argument) and argument in MARKED:
        return True
    # for `np.zeros` would give Python an array that no operation made
    return callable(argument) and is_hashable(argument) and argument in staged_calls.TABLE
