"""Structures of which a part is one of several things at run time."""

from __future__ import annotations

from typing import Any

from runtime.ops.template import Make
from runtime.spec import Choice


def choice_in(structure: Any) -> Choice | None:
    """A part of a structure that is one of several things at run time."""
    if isinstance(structure, Choice):
        return structure
    if isinstance(structure, Make):
        structure = (structure.args, dict(structure.kwargs))
    parts = structure.values() if isinstance(structure, dict) else structure
    if not isinstance(structure, tuple | list | dict):
        return None
    return next((found for found in map(choice_in, parts) if found is not None), None)


def holds_choice(structure: Any) -> bool:
    return choice_in(structure) is not None


def with_part(structure: Any, part: Any, value: Any) -> Any:
    """A structure in which ``value`` stands for ``part``."""
    if structure is part:
        return value
    if isinstance(structure, Make):
        kwargs = tuple([(name, with_part(v, part, value)) for name, v in structure.kwargs])
        return Make(structure.function, with_part(structure.args, part, value), kwargs)
    if isinstance(structure, dict):
        return {key: with_part(item, part, value) for key, item in structure.items()}
    if not isinstance(structure, tuple | list):
        return structure
    items = [with_part(item, part, value) for item in structure]
    if isinstance(structure, list):
        return items
    return structure._make(items) if hasattr(structure, "_make") else tuple(items)
