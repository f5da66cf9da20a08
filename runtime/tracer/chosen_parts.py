"""Structures of which a part is one of several things at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.plain_items import plain_items
from runtime.ops import objects
from runtime.ops.template import Make, mapped
from runtime.tracer.spec import Choice


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
    """A structure of the changed parts, a plain list or dict for one of a subclass."""
    if isinstance(structure, list | dict):
        structure = dict(structure) if isinstance(structure, dict) else list(plain_items(structure))
    return mapped(structure, change)


def with_part(structure: Any, part: Any, value: Any) -> Any:
    """A structure in which ``value`` stands for ``part``."""
    if structure is part:
        return value
    if choice_in(structure) is None:
        return structure
    return _mapped(structure, lambda one: with_part(one, part, value))


def taken_by_run(structure: Any) -> Any:
    """A structure in which a run takes the one of several values that it has by then."""
    if isinstance(structure, Choice):
        return Make(objects.one_of, (structure.tag, *map(taken_by_run, structure.values)))
    return _mapped(structure, taken_by_run)
