"""Operators, and where containers are made and read, in code converted for a stage that asks to see it.

On plain values, and for a stage that declines, each does what the expression does.

>>> items = made([1, 2])
>>> get_item(items, slice(1, None)), plus(items, [3]), equal(items, [1, 2])
([2], [1, 2, 3], True)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.operators.calls import converted
from autograph.registry import active_stage


def made(container: Any) -> Any:
    """A list, dict or set that was just made: nobody else holds it yet."""
    stage = active_stage()
    return container if stage is None else stage.made(container)


def get_item(container: Any, key: Any) -> Any:
    """`container[key]`."""
    stage = active_stage()
    if stage is not None:
        result = stage.get_item(container, key)
        if result is not NotImplemented:
            return result
    return operator.getitem(container, key)  # an exception of the user's, not of ours


def unpack(value: Any, before: int, after: int | None = None) -> Any:
    """What is assigned to `before` variables; or to `before`, one that takes a list of the rest, and `after`.

    >>> unpack([1, 2], 2), unpack([1, 2, 3, 4], 1, 1)
    ([1, 2], (1, [2, 3], 4))
    """
    stage = active_stage()
    if stage is not None:
        result = stage.unpack(value, before, after)
        if result is not NotImplemented:
            return result
    if after is None:
        return value
    items = with_rest(value, before, after)
    return (*items[:before], made(items[before]), *items[before + 1 :])


def star(items: Any) -> Any:
    """The items of `*items`, in a call or a display.

    >>> [0, *star([1, 2])]
    [0, 1, 2]
    """
    stage = active_stage()
    if stage is not None:
        result = stage.star(items)
        if result is not NotImplemented:
            return result
    return items


def double_star(mapping: Any) -> Any:
    """What is passed by its keys for `**mapping`, in a call.

    >>> dict(**double_star({"a": 1}))
    {'a': 1}
    """
    stage = active_stage()
    if stage is not None:
        result = stage.double_star(mapping)
        if result is not NotImplemented:
            return result
    return mapping


def set_of(items: list[Any]) -> Any:
    """A set display, of its items in order: what a stage's `star` gave may be among them."""
    stage = active_stage()
    if stage is not None:
        result = stage.set_of(items)
        if result is not NotImplemented:
            return result
    return set(items)


def dict_of(pairs: list[tuple[Any, Any]]) -> Any:
    """A dict display, of its keys and items in order.

    >>> dict_of([("a", 1), ("b", 2)])
    {'a': 1, 'b': 2}
    """
    stage = active_stage()
    if stage is not None:
        result = stage.dict_of(pairs)
        if result is not NotImplemented:
            return result
    return dict(pairs)


def starred(function: Any) -> Any:
    """What to call in place of `function`, with what `star` gave among the arguments.

    >>> starred(max)(*star([1, 2]))
    2
    """
    stage = active_stage()
    if stage is not None:
        result = stage.starred(function)
        if result is not NotImplemented:
            return result
    return converted(function)


def with_rest(value: Any, before: int, after: int) -> tuple[Any, ...]:
    """The first and last items of what is iterated over, and between them a list of the others."""
    try:
        iterator = iter(value)
    except TypeError:
        if hasattr(type(value), "__iter__"):
            raise
        raise TypeError(_no_iterable(value)) from None
    items = list(iterator)
    wanted = before + after
    if len(items) < wanted:
        found = f"(expected at least {wanted}, got {len(items)})"
        raise ValueError(f"not enough values to unpack {found}")
    end = len(items) - after
    return (*items[:before], items[before:end], *items[end:])


def _no_iterable(value: Any) -> str:
    """Python's own words for the class of what cannot be unpacked.

    >>> _no_iterable(1)
    'cannot unpack non-iterable int object'
    """
    try:
        (_,) = value
    except TypeError as error:
        return str(error)
    raise AssertionError("it is iterable")


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operate(a: Any, b: Any) -> Any:
        stage = active_stage()
        if stage is not None:
            result = stage.binary_operator(function, a, b)
            if result is not NotImplemented:
                return result
        return function(a, b)

    operate.__name__ = operate.__qualname__ = function.__name__
    operate.__doc__ = f"`operator.{function.__name__}(a, b)`, where either may be a container."
    return operate


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def operate(a: Any) -> Any:
        stage = active_stage()
        if stage is not None:
            result = stage.unary_operator(function, a)
            if result is not NotImplemented:
                return result
        return function(a)

    operate.__name__ = operate.__qualname__ = function.__name__
    operate.__doc__ = f"`operator.{function.__name__}(a)`."
    return operate


def merged(a: Any, b: Any) -> Any:
    """`{**a, **b}`."""
    return {**a, **b}


plus = _binary(operator.add)
times = _binary(operator.mul)
divided = _binary(operator.truediv)
floor_divided = _binary(operator.floordiv)
power = _binary(operator.pow)
matrix_product = _binary(operator.matmul)
left_shift = _binary(operator.lshift)
right_shift = _binary(operator.rshift)
remainder = _binary(operator.mod)  # of a text: `text % values`
minus = _binary(operator.sub)  # of two sets, as the next three
either = _binary(operator.or_)  # of two dicts as well
both = _binary(operator.and_)
one_of_both = _binary(operator.xor)
equal = _binary(operator.eq)
not_equal = _binary(operator.ne)
less = _binary(operator.lt)
less_equal = _binary(operator.le)
greater = _binary(operator.gt)
greater_equal = _binary(operator.ge)

negative = _unary(operator.neg)
positive = _unary(operator.pos)
inverted = _unary(operator.invert)

# They may change a container: marked in all code that runs while a stage is active.
iadd = _binary(operator.iadd)
isub = _binary(operator.isub)
imul = _binary(operator.imul)
imatmul = _binary(operator.imatmul)
itruediv = _binary(operator.itruediv)
ifloordiv = _binary(operator.ifloordiv)
imod = _binary(operator.imod)
ipow = _binary(operator.ipow)
ilshift = _binary(operator.ilshift)
irshift = _binary(operator.irshift)
iand = _binary(operator.iand)
ior = _binary(operator.ior)
ixor = _binary(operator.ixor)

#: what converted code calls for each operator of Python's
MARKED: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.add: plus, operator.sub: minus, operator.mul: times, operator.truediv: divided,
    operator.floordiv: floor_divided, operator.mod: remainder, operator.pow: power,
    operator.matmul: matrix_product, operator.lshift: left_shift, operator.rshift: right_shift,
    operator.and_: both, operator.or_: either, operator.xor: one_of_both,
    operator.eq: equal, operator.ne: not_equal, operator.lt: less, operator.le: less_equal,
    operator.gt: greater, operator.ge: greater_equal,
    operator.neg: negative, operator.pos: positive, operator.invert: inverted,
    operator.iadd: iadd, operator.isub: isub, operator.imul: imul, operator.imatmul: imatmul,
    operator.itruediv: itruediv, operator.ifloordiv: ifloordiv, operator.imod: imod, operator.ipow: ipow,
    operator.ilshift: ilshift, operator.irshift: irshift, operator.iand: iand, operator.ior: ior,
    operator.ixor: ixor, operator.getitem: get_item,
}  # fmt: skip

_PLAIN = {marked: function for function, marked in MARKED.items()}


def plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of `operator` that a marked one stands for; any other function itself.

    >>> plainly(plus) is operator.add
    True
    """
    return _PLAIN.get(function, function)


merge = _binary(merged)
merge.__name__ = merge.__qualname__ = "merge"
merge.__doc__ = "`{**a, **b}`, where nobody else holds `a`: what comes before `**b` in a display."
