"""Python's builtins on staged values: `range(n)`, `int(x)`, `max(a, b)`, `any(x)`, ..."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable
from functools import reduce
from types import BuiltinFunctionType
from typing import Any

import jax.numpy as jnp

from autograph import operators
from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax import aliases, effects, generators, iteration, paths, texts
from autograph.stages._jax.branches import choose, dispatch, truth
from autograph.stages._jax.choices import Choice, known
from autograph.stages._jax.filtered import Filtered
from autograph.stages._jax.generators import Generated
from autograph.stages._jax.iteration import Source
from autograph.stages._jax.tracing import as_weak, is_array, is_staged
from autograph.stages.heap import is_iterator
from autograph.staging import Clause

Call = Callable[..., Any]
_MISSING = object()
_FOLDED = (Generated, Filtered)
_COLLECTIONS: tuple[type, ...] = (list, tuple, deque, type({}.keys()), type({}.values()), type({}.items()))


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a builtin that has a staged meaning here, or NotImplemented."""
    if isinstance(function, Choice):
        return dispatch(function, lambda option: operators.call(option, *args, **kwargs))
    if function is print:
        effects.staged_print(args, kwargs)
        return None
    if function is next and paths.inside() and args and is_iterator(args[0]):
        return iteration.refuse_iterator(args[0])
    if type(function) is BuiltinFunctionType and isinstance(function.__self__, str):
        return texts.method(function, args, kwargs)
    aliases.check_call(function)
    staged = _BUILTINS.get(function) if _is_hashable(function) else None
    if staged is None:
        return NotImplemented
    if function in _FOLDS:
        args = tuple(map(generators.as_generated, args))
    if not any(map(_is_ours, [*args, *kwargs.values()])) and not (
        function in (min, max) and args and kwargs.get("key") is not None
    ):
        return NotImplemented
    return staged(*map(known, args), **kwargs)


def _is_hashable(function: Any) -> bool:
    return type(function).__hash__ is not None


def _is_ours(value: Any) -> bool:
    if isinstance(value, (Source, Choice, *_FOLDED)) or is_staged(value):
        return True
    return type(value) in _COLLECTIONS and any(map(_is_ours, value))


def scalar(value: Any) -> Any:
    """A 0-d array of a single element."""
    if value.size != 1:
        raise TypeError(f"only an array of one element can become a number, not one of shape {value.shape}")
    return jnp.reshape(value, ())


def _int(value: Any) -> Any:
    if not is_array(value):
        return NotImplemented
    value = scalar(value)
    return as_weak(jnp.trunc(value) if jnp.issubdtype(value.dtype, jnp.floating) else value, int)


def _rounded(function: Any) -> Call:
    """`math.floor` and its like: an int."""
    return lambda value: as_weak(function(scalar(value)), int) if is_array(value) else NotImplemented


def _float(value: Any) -> Any:
    return as_weak(scalar(value), float) if is_array(value) else NotImplemented


def _complex(value: Any) -> Any:
    return as_weak(scalar(value), complex) if is_array(value) else NotImplemented


def _round(value: Any, digits: Any = None) -> Any:
    if digits is None:
        return as_weak(jnp.round(scalar(value)), int)
    return jnp.round(value, digits)


def _extreme(python: Call, better: Callable[[Any, Any], Any], of_ints: Call) -> Call:
    def extreme(*args: Any, key: Any = None, default: Any = _MISSING) -> Any:
        def measured(value: Any) -> tuple[Any, Any]:
            return (value if key is None else key(value)), value

        def pick(best: Any, value: Any) -> Any:
            pair = measured(value)
            if isinstance(best, tuple):
                if key is None and _are_ints(pair[0], best[0]):
                    return (of_ints(pair[0], best[0]),) * 2
                wins = truth(better(pair[0], best[0]))
                if is_staged(wins) and _is_numeric(pair[1]) and _is_numeric(best[1]):
                    return tuple(jnp.where(wins, new, old) for new, old in zip(pair, best, strict=True))
                return choose(wins, lambda: pair, lambda: best)
            wins = operators.or_(operators.is_(best, None), lambda: better(pair[0], known(best)[0]))
            return choose(wins, lambda: pair, lambda: best)

        iterable: Any = args if len(args) > 1 else args[0]
        if not isinstance(iterable, _FOLDED) and iteration.source_of(iterable) is None:
            if key is None and type(iterable) not in _COLLECTIONS:
                return NotImplemented
            values = list(iterable)
            if not values:
                return _refuse_empty(python) if default is _MISSING else default
            return reduce(pick, values[1:], measured(values[0]))[1]
        if not isinstance(iterable, _FOLDED):
            iterable = Generated(Clause(lambda value: value, iterable))
        best = iterable.fold(None, pick)
        empty = operators.is_(best, None)
        if default is not _MISSING:
            return choose(empty, lambda: default, lambda: known(best)[1])
        return choose(empty, lambda: _refuse_empty(python), lambda: known(best)[1])

    return extreme


def _is_numeric(value: Any) -> bool:
    return is_array(value) or type(value) in (int, float)


def _are_ints(*values: Any) -> bool:
    """Are these single ints, one of them staged? Their bounds say something about the result's."""
    if not any(map(is_staged, values)):
        return False
    return all(jnp.ndim(v) == 0 and jnp.issubdtype(jnp.result_type(v), jnp.integer) for v in values)


def _refuse_empty(python: Call) -> None:
    try:
        python([])
    except ValueError as error:
        operators.raise_stmt(ValueError(str(error)))


def _items(iterable: Any) -> Iterable[Any]:
    source = iteration.source_of(iterable)
    return iterable if source is None else source


def _sum(iterable: Any, start: Any = 0) -> Any:
    return (
        iterable.fold(start, generators.add)
        if isinstance(iterable, _FOLDED)
        else sum(_items(iterable), start)
    )


def _any(iterable: Any) -> Any:
    if isinstance(iterable, _FOLDED):
        return iterable.fold(False, generators.either, truth)
    return _fold(jnp.logical_or, False, iterable)


def _all(iterable: Any) -> Any:
    if isinstance(iterable, _FOLDED):
        return iterable.fold(True, generators.each, lambda held: jnp.logical_not(held))
    return _fold(jnp.logical_and, True, iterable)


def _fold(combine: Any, answer: Any, iterable: Any) -> Any:
    if is_array(iterable) and iterable.ndim == 1:
        return (jnp.any if combine is jnp.logical_or else jnp.all)(iterable != 0)
    for value in _items(iterable):
        answer = combine(answer, truth(value))
    return answer


def _sorted(iterable: Any, *, key: Any = None, reverse: bool = False) -> Any:
    values = list(_items(iterable))
    if key is not None or any(jnp.ndim(value) for value in values):
        raise error_at_frame(
            StagingError, "sorted() with a key, or of arrays, is not staged", hint="use jnp.argsort"
        )
    result = jnp.sort(jnp.asarray(values))
    return list(result[::-1] if reverse else result)


def _str(value: Any) -> Any:
    return effects.StagedText(((value, "s", ""),))


def _repr(value: Any) -> Any:
    return effects.StagedText(((value, "r", ""),))


_FOLDS = (sum, any, all, min, max)
_BUILTINS: dict[Any, Call] = {
    range: iteration.staged_range,
    enumerate: iteration.staged_enumerate,
    zip: iteration.staged_zip,
    reversed: iteration.staged_reversed,
    bool: lambda value=False: truth(value),
    int: _int,
    float: _float,
    complex: _complex,
    round: _round,
    math.floor: _rounded(jnp.floor),
    math.ceil: _rounded(jnp.ceil),
    math.trunc: _rounded(jnp.trunc),
    min: _extreme(min, lambda a, b: a < b, jnp.minimum),
    max: _extreme(max, lambda a, b: a > b, jnp.maximum),
    sum: _sum,
    any: _any,
    all: _all,
    sorted: _sorted,
    len: lambda value: value.length() if isinstance(value, Filtered) else NotImplemented,
    str: _str,
    repr: _repr,
}
