"""What lists and dicts from before a block hold after it, while they themselves are as they were.

>>> row = [1, 2]
>>> view = View({(id(row), "contents"): Contents((), (1, 5))})
>>> view(row), row
([1, 5], [1, 2])
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from autograph.stages.slots import Contents


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a dict, or the elements of a set, which are the same on every path."""

    keys: tuple[Any, ...]

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self.keys)) + "}"


def opened(value: Any) -> Any:
    """The contents of a container as a structure that can be described."""
    return (Keys(value.keys), value.values) if isinstance(value, Contents) else value


class View:
    """The containers as a block left them: `found` holds the contents that it changed, by place."""

    def __init__(self, found: dict[Any, Any]) -> None:
        self.found = found

    def __call__(self, container: Any) -> Any:
        contents = self.found.get((id(container), "contents"))
        if contents is None:
            return container
        keys, values = opened(contents)
        if type(container) is list:
            return list(values)
        made = copy.copy(container)
        made.clear()
        if isinstance(container, dict):
            made.update(zip(keys.keys, values, strict=True))
        else:
            made.extend(values)
        return made


UNCHANGED = View({})


class Unsized:
    """Stands for a list of which only a run knows whether it is empty."""

    def holds_any(self) -> Any:
        """The list's truth value."""
        raise NotImplementedError
