"""An array of numbers, and of nested lists of numbers and staged values."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.plain_items import plain_items
from runtime.ops.template import build
from runtime.staged.chosen_items import array_of_chosen, chosen_items
from runtime.staged.list_arrays import is_list, joined
from runtime.staged.operands import Boxed, apply, is_iterable, is_range, refuse_own_reading
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.implied import narrowed
from runtime.tracer.spec import Choice


def array_of(structure: Any, dtype: Any = None) -> Any:
    """A fresh array of a number, or of nested lists of numbers and staged values.

    A list that mentions a Tensor gives an array like any other: the box is the result's, not the items'.
    """
    if isinstance(structure, range):
        structure = list(structure)
    plain = _without_boxes(structure)
    if is_list(plain):
        return joined("array", plain, **({} if dtype is None else {"dtype": dtype}))
    if isinstance(plain, Staged):
        return apply("copy", [plain], **({} if dtype is None else {"dtype": dtype}))
    if not chosen_items(plain):
        return _array_of_numbers(plain, dtype)
    make = _array_of_numbers if dtype is None else lambda items: _array_of_numbers(items).astype(dtype)
    return array_of_chosen(plain, make)


def _array_of_numbers(structure: Any, dtype: Any = None) -> Any:
    template, values = build(structure, lambda item: isinstance(item, Staged))
    return emit("array", values, template=template, dtype=dtype)


def _without_boxes(item: Any) -> Any:
    if isinstance(item, Boxed):
        return item.numpy()  # type: ignore[attr-defined]
    if isinstance(item, np.ndarray):
        raise refuse(
            "an array that the trace does not know is an item of a new array",
            "pass the array as an argument, or read it from a variable of the decorated function",
        )
    if isinstance(item, (list, tuple)):
        refuse_own_reading(item)
        return [_without_boxes(part) for part in plain_items(item)]
    if isinstance(item, range):
        return list(item)
    if isinstance(item, (bool, int, float, complex, np.generic, Staged)):
        refuse_own_reading(item)
        return item
    if isinstance(item, Choice):
        known = narrowed(item)
        return item if known is item else _without_boxes(known)
    if is_range(item):
        raise refuse(
            "a range whose length only a run knows is made an array: its dtype hangs on whether it is empty",
            "write np.arange(...)",
        )
    hint = "write np.array(list(...))" if is_iterable(item) else "use numbers"
    raise refuse(f"an array of {type(item).__name__} objects cannot be staged", hint)
