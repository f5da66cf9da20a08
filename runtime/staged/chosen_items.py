"""``np.array([a, b])`` of items that are of one number type or another, which only a run knows.

NumPy takes the dtype that holds all items. Where the dtypes that it may take stand in a row, each of which
holds the one before, the run finds the last of them that an item asks for, and each array is made by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.plain_items import plain_items
from runtime.control_flow.choices import dispatch
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.flattening import retag
from runtime.tracer.spec import Choice
from runtime.types import ArrayType, ScalarType, type_of

DType = np.dtype[Any]


def chosen_items(structure: Any) -> list[Choice]:
    """The items of nested lists that are one of several values, each once."""
    if isinstance(structure, Choice):
        return [structure]
    if not isinstance(structure, list | tuple):
        return []
    each = {id(found): found for item in plain_items(structure) for found in chosen_items(item)}
    return list(each.values())


def array_of_chosen(structure: Any, make: Callable[[Any], Any]) -> Any:
    """``make`` of a structure of numbers only, for each of the dtypes that NumPy may take.

    Raises StagingError where items are no numbers, or the dtypes do not stand in a row.
    """
    choices = chosen_items(structure)
    row = _dtypes_in_a_row(structure, choices)
    levels = [retag(one.tag, [_level(row, dtype) for dtype in _dtypes(one)]) for one in choices]
    level = levels[0]
    for other in levels[1:]:
        level = emit("py.select", [emit("py.gt", [other, level]), other, level])

    def at(level: int) -> Any:
        numbers = {id(choice): _as_number(choice, row, level) for choice in choices}
        return make(_with_numbers(structure, numbers))

    return dispatch(Choice(level, tuple(range(len(row)))), at)


def _dtypes_in_a_row(structure: Any, choices: list[Choice]) -> list[DType]:
    """The dtypes of the array, each of which holds the one before."""
    fixed = _fixed_dtypes(structure)
    found = [np.result_type(*fixed)] if fixed else []
    for choice in choices:
        own = _dtypes(choice)
        found = [np.promote_types(a, b) for a in found for b in own] if found else own
        found = list(dict.fromkeys(found))
    found.sort(key=lambda dtype: sum(np.promote_types(dtype, other) == dtype for other in found))
    if any(np.promote_types(a, b) != b for a, b in zip(found, found[1:], strict=False)):
        raise _refused(choices[0])
    return found


def _dtypes(choice: Choice) -> list[DType]:
    """The dtype that NumPy finds for each of the values. Raises StagingError for what is no number."""
    found = [_dtype_of(value) for value in choice.values]
    if any(dtype is None for dtype in found):  # None equals the dtype of floats
        raise _refused(choice)
    return found  # type: ignore[return-value]


def _dtype_of(value: Any) -> DType | None:
    if isinstance(value, Staged):
        known = value.type
        return None if isinstance(known, ArrayType) else getattr(known, "dtype", None)
    return np.asarray(value).dtype if isinstance(value, bool | int | float | complex | np.generic) else None


def _fixed_dtypes(structure: Any) -> list[DType]:
    if isinstance(structure, list | tuple):
        return [found for item in plain_items(structure) for found in _fixed_dtypes(item)]
    if isinstance(structure, Choice):
        return []
    known = structure.type if isinstance(structure, Staged) else type_of(structure)
    return [known.dtype] if hasattr(known, "dtype") else []


def _level(row: list[DType], dtype: DType) -> int:
    """Which of the dtypes the array has at least, with an item of this one."""
    return next(level for level, held in enumerate(row) if np.promote_types(held, dtype) == held)


def _as_number(choice: Choice, row: list[DType], level: int) -> Any:
    """The number, as an item of the dtype at this level; larger ones are not among the items then."""
    result: Any = None
    for tag, (value, dtype) in enumerate(zip(choice.values, _dtypes(choice), strict=True)):
        if _level(row, dtype) <= level:
            number = emit("cast", [value], to=ScalarType(row[level]))
            is_this = None if result is None else emit("py.eq", [choice.tag, tag])
            result = number if result is None else emit("py.select", [is_this, number, result])
    return result


def _with_numbers(structure: Any, numbers: dict[int, Any]) -> Any:
    if isinstance(structure, Choice):
        return numbers[id(structure)]
    if isinstance(structure, list | tuple):
        return [_with_numbers(item, numbers) for item in plain_items(structure)]
    return structure


def _refused(item: Choice) -> Exception:
    return refuse(
        f"an item of a new array is {repr(item)[1:-1]}, of one type or another",
        "give it one dtype and number of dimensions on all paths",
    )
