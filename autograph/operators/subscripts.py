"""Item stores: `target[key] = value`, `target[key] op= value`, `del target[key]`.

Each returns what the variable that held the target holds from now on, so that converted code can write
`x = ag__.set_item(x, i, v)` and immutable arrays can be updated too. Where no variable can be rebound (the
target is an attribute, or a global), converted code calls `store_item`, `update_item` or `remove_item`,
which refuse a stage that answers with a new value. Where the key or the value was given by code that may have
rebound the variable, `held` is what it holds by now, and that is what it keeps.

A variable that other code may rebind, a global say, may be rebound by the store itself: by a `__setitem__`,
or the `__index__` of the key. There `held=BOTH` gives the target as well, and `kept` is given what the
variable holds after it.

>>> x = set_item([1, 2], 0, 5)
>>> x
[5, 2]
>>> set_item(x, 0, 7, held="another value"), x
('another value', [7, 2])
>>> kept(set_item(x, 0, 8, held=BOTH), x), kept(set_item(x, 0, 9, held=BOTH), "rebound by then")
([9, 2], 'rebound by then')
"""

from __future__ import annotations

from collections.abc import Callable
from operator import delitem, getitem, setitem
from typing import Any

from autograph.errors import StagingError, error_at_frame
from autograph.operators.containers import plainly
from autograph.registry import active_stage, claiming_any
from autograph.staging import Stage


class _Target:
    """The default of `held`: the target."""


#: as `held`: give the target and what the variable is to hold, for `kept`
BOTH = object()


def kept(stored: tuple[Any, Any], now: Any) -> Any:
    """What a variable holds after a store to an item of what it held before; it is read after the store."""
    target, result = stored
    return result if now is target else now


def set_item(target: Any, key: Any, value: Any, held: Any = _Target) -> Any:
    """`target[key] = value`, giving the target."""
    stage = _stage(target, key, value)
    if stage is not None:
        result = stage.set_item(target, key, value)
        if result is not NotImplemented:
            return _kept(target, result, held)
    setitem(target, key, value)
    return _kept(target, target, held)


def del_item(target: Any, key: Any, held: Any = _Target) -> Any:
    """`del target[key]`, giving the target.

    >>> del_item({"a": 1, "b": 2}, "a")
    {'b': 2}
    """
    stage = _stage(target, key)
    if stage is not None:
        result = stage.del_item(target, key)
        if result is not NotImplemented:
            return _kept(target, result, held)
    delitem(target, key)
    return _kept(target, target, held)


def aug_item(
    target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any, held: Any = _Target
) -> Any:
    """`target[key] op= value`, giving the target.

    >>> import operator
    >>> aug_item([1, 2], 1, operator.imul, 10)
    [1, 20]
    """
    stage = _stage(target, key, value)
    if stage is not None:
        result = stage.aug_item(target, key, plainly(operator), value)
        if result is not NotImplemented:
            return _kept(target, result, held)
    setitem(target, key, operator(getitem(target, key), value))
    return _kept(target, target, held)


def store_item(target: Any, key: Any, value: Any) -> None:
    """`set_item` where the target's variable cannot be rebound."""
    _same(target, set_item(target, key, value))


def remove_item(target: Any, key: Any) -> None:
    """`del_item` where the target's variable cannot be rebound."""
    _same(target, del_item(target, key))


def update_item(target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> None:
    """`aug_item` where the target's variable cannot be rebound."""
    _same(target, aug_item(target, key, operator, value))


def _stage(*operands: Any) -> Stage | None:
    return active_stage() or claiming_any(operands)


def _kept(target: Any, result: Any, held: Any) -> Any:
    if held is BOTH:
        return target, result
    return result if held is _Target or held is target else held


def _same(target: Any, result: Any) -> None:
    if result is not target:
        raise error_at_frame(
            StagingError,
            "this item assignment makes a new value, which must be kept in a variable",
            hint="bind the array to a local variable, assign to its item, and store it back",
        )
