"""The arrays of one folder: each once, under a name, whichever functions read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.saving.arrays import described
from runtime.saving.signatures import Unsaveable
from runtime.state.variables import Variable
from runtime.types import is_supported_dtype


class SavedArrays:
    """Collects the arrays that functions read from outside, their constants, and variables."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        self._names: dict[int, str] = {}

    def add_variable(self, variable: Variable, name: str | None = None) -> str:
        """The name of a variable's array in the file. A variable keeps the first name it is given."""
        array = variable.value
        if id(array) not in self._names:
            made = self._add(array, name or variable.name or "variable")
            self.entries[made]["variable"] = {"name": variable.name, "trainable": variable.trainable}
        return self._names[id(array)]

    def add(self, array: Any, name: str) -> str:
        """The name of an array in the file. Raises Unsaveable for one that cannot be written."""
        if type(array) is not np.ndarray or not is_supported_dtype(array.dtype):
            raise Unsaveable(f"`{name}` is a {type(array).__name__} that no file of arrays can hold")
        return self._names.get(id(array)) or self._add(array, name)

    def _add(self, array: np.ndarray[Any, Any], name: str) -> str:
        base = re.sub(r"[^\w.\[\]'\"-]", "_", name)
        made = next(n for n in numbered(base) if n not in self.arrays)
        self._names[id(array)] = made
        self.arrays[made] = array
        self.entries[made] = described(array)
        return made

    def overlapping(self) -> tuple[str, str] | None:
        """Two arrays of the same memory, which would be apart after loading."""
        named = [(name, array) for name, array in self.arrays.items() if array.size]
        bounds = sorted((*np.lib.array_utils.byte_bounds(array), name) for name, array in named)
        for (_, end, one), (start, _, other) in zip(bounds, bounds[1:], strict=False):
            if start < end and np.may_share_memory(self.arrays[one], self.arrays[other]):
                return one, other
        return None


def numbered(base: str) -> Iterator[str]:
    """The name, and the name with numbers, for the first that is free."""
    yield base
    number = 2
    while True:
        yield f"{base}.{number}"
        number += 1
