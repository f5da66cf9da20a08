"""`min`, `max`, `sum`, `any` and `all` of staged values: which of two is better, and what all add up to."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from runtime.control_flow.branches import branch
from runtime.control_flow.choices import apply_operator, select
from runtime.numpy_calls.arguments import has_staged
from runtime.numpy_calls.table import builtin
from runtime.ops.instances import VALUES
from runtime.staged.numbers import StagedNumber, plain
from runtime.staged.operands import Boxed, apply, is_operand, operand
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.spec import Choice
from runtime.types import ArrayType, numeric, type_of


def _better(item: Any, best: Any, name: str, numpy_name: str) -> Any:
    """The item where it is better, else the best so far: the very one, where they may not be promoted."""
    if any(map(_is_of_own_class, (item, best))):
        raise refuse("min() or max() of a number of a class of its own", "make it a plain number")
    if not isinstance(item, Choice) and not isinstance(best, Choice):
        return choose(compare(item, best, name, numpy_name), item, best)
    is_better = apply_operator(lambda x, y: compare(x, y, name, numpy_name), name, item, best)
    return select(is_better, item, best)


def _is_of_own_class(item: Any) -> bool:
    """An instance of a subclass of int, say: no number of the same value stands for it."""
    return isinstance(item, VALUES) and type(item) not in VALUES and not isinstance(item, bool | np.generic)


def _extreme(name: str, better: str) -> None:
    comparison = {"lt": "less", "gt": "greater"}[better]

    @builtin(getattr(builtins, name))
    def extreme(*args: Any) -> Any:
        if len(args) == 1:
            (only,) = args
            if isinstance(only, Staged):
                return _extreme_item(name, only)
            args = tuple(only)
        result = args[0]
        for item in args[1:]:
            result = _better(item, result, better, comparison)
        return result


def compare(x: Any, y: Any, name: str, numpy_name: str) -> Any:
    if all(isinstance(v, (StagedNumber, bool, int, float)) and not isinstance(v, np.generic) for v in (x, y)):
        if has_staged((x, y)):
            return emit(f"py.{name}", [plain(x), plain(y)])
    if not has_staged((x, y)) or not (is_operand(x) and is_operand(y)):
        return _plain_comparison(name, x, y)  # `max(None, x)`: as Python says it
    answer = apply(numpy_name, [x, y])
    return emit("py.bool", [answer._array if has_box(x, y) else answer])


def has_box(*items: Any) -> bool:
    return any(isinstance(item, Boxed) for item in items)


def _plain_comparison(name: str, x: Any, y: Any) -> Any:
    answer = getattr(operator, name)(x, y)
    return emit("py.bool", [answer]) if isinstance(answer, Staged) else bool(answer)


def choose(condition: Any, x: Any, y: Any) -> Any:
    """``x if condition else y`` of numbers, Tensors and arrays without axes, each of its own type."""
    if not isinstance(condition, Staged):
        return x if condition else y
    values = [operand(x), operand(y)]
    types = [v.type if isinstance(v, Staged) else type_of(v) for v in values]
    if any(isinstance(t, ArrayType) and t.ndim for t in types):
        raise refuse("min() or max() of arrays in a staged function", "use np.minimum, np.maximum")
    if has_box(x, y) or any(isinstance(t, ArrayType) for t in types):
        return branch(condition, lambda: x, lambda: y)
    return select(condition, x, y)


def _extreme_item(name: str, x: Any) -> Any:
    if not isinstance(x.type, ArrayType) or not x.type.ndim:
        return iter(x)  # which raises
    if x.type.ndim != 1:
        raise refuse(f"{name}() over the rows of an array", f"use np.{name}(x, axis=...)")
    return apply(f"py.{name}_item", [x])


_extreme("min", "lt")
_extreme("max", "gt")


@builtin(builtins.sum)
def total(iterable: Any, /, start: Any = 0) -> Any:
    if not isinstance(iterable, Staged):
        for item in iterable:
            start = start + item
        return start
    if not isinstance(iterable.type, ArrayType) or not iterable.type.ndim:
        return iter(iterable)  # type: ignore[call-overload]  # which raises
    length = iterable.type.shape[0]
    if length is not None:
        return apply("py.sum_items", [iterable, start]) if length else start
    is_empty = emit("py.eq", [emit("dim", [iterable], axis=0), 0])
    return branch(is_empty, lambda: start, lambda: apply("py.sum_items", [iterable, start]))


def _truth_of_items(name: str) -> None:
    @builtin(getattr(builtins, name))
    def over_items(iterable: Any, /) -> Any:
        if not isinstance(iterable, Staged):
            return NotImplemented
        if numeric(iterable.type).ndim != 1:
            raise refuse(f"{name}() over an array that is not one-dimensional", f"use np.{name}(x)")
        return emit("py.bool", [emit(name, [iterable])])


_truth_of_items("any")
_truth_of_items("all")
