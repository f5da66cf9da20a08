"""Structures of which a part is one of several things at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators import Undefined
from autograph.plain_items import plain_items
from runtime.ops import objects
from runtime.ops.template import Make, tuple_of
from runtime.tracer.spec import Choice, maybe_absent


def choice_in(structure: Any) -> Choice | None:
    """A part of a structure that is one of several things at run time."""
    if isinstance(structure, Choice):
        return structure
    if isinstance(structure, Make):
        structure = (structure.args, dict(structure.kwargs))
    if not isinstance(structure, tuple | list | dict):
        return None
    return next((found for found in map(choice_in, plain_items(structure)) if found is not None), None)


def choices_in(structure: Any) -> list[Choice]:
    """The items of nested lists that are one of several values, each once."""
    if isinstance(structure, Choice):
        return [structure]
    if not isinstance(structure, list | tuple):
        return []
    each = {id(found): found for item in plain_items(structure) for found in choices_in(item)}
    return list(each.values())


def holds_choice(structure: Any) -> bool:
    return choice_in(structure) is not None


def _mapped(structure: Any, change: Callable[[Any], Any]) -> Any:
    """A structure of the changed parts."""
    if isinstance(structure, Make):
        kwargs = tuple([(name, change(part)) for name, part in structure.kwargs])
        return Make(structure.function, change(structure.args), kwargs)
    if isinstance(structure, dict):
        return {key: change(part) for key, part in structure.items()}
    if not isinstance(structure, tuple | list):
        return structure
    parts = list(map(change, plain_items(structure)))
    return parts if isinstance(structure, list) else tuple_of(structure, parts)


def with_part(structure: Any, part: Any, value: Any) -> Any:
    """A structure in which ``value`` stands for ``part``."""
    if structure is part:
        return value
    if choice_in(structure) is None:
        return structure
    return _mapped(structure, lambda one: with_part(one, part, value))


def as_attribute(value: Any) -> Any:
    """An attribute's value, or what says that there may be none."""
    if not isinstance(value, Choice) or not maybe_absent(value):
        return value
    values = [objects.ABSENT if isinstance(v, Undefined) else v for v in value.values]
    return Make(objects.one_of, (value.tag, *values))


def taken_by_run(structure: Any) -> Any:
    """A structure in which a run takes the one of several values that it has by then."""
    if isinstance(structure, Choice):
        return Make(objects.one_of, (structure.tag, *map(taken_by_run, structure.values)))
    return _mapped(structure, taken_by_run)
