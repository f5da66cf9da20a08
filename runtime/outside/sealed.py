"""An OrderedDict from outside that holds arrays or objects: read, not changed.

What converted code sees is a copy with the items imported. Guards say that the original still holds as much
under the same keys; a change of the copy is found the next time the trace looks, and refused.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from typing import Any

from runtime.guards.paths import Item, KeysGuard, Path
from runtime.outside import keys as outside_keys
from runtime.outside.aliases import Aliases
from runtime.outside.known import Known


class Sealed:
    """The containers of one trace that are only read."""

    def __init__(self, outside: Known, aliases: Aliases) -> None:
        self.outside = outside
        self.aliases = aliases
        self._held: list[tuple[Any, list[Any], Path]] = []

    def enter(self, value: OrderedDict[Any, Any], path: Path) -> Any:
        """What stands for ``value``, found at ``path``."""
        self.outside.guards.append(KeysGuard(path, OrderedDict, list(value)))
        outside_keys.know_keys(self.outside, value, path)
        items = [(key, self.outside.import_value(item, Item(path, key))) for key, item in value.items()]
        stand_in = OrderedDict(items)
        self.outside.stands_for(stand_in, value, path)
        self._held.append((stand_in, _parts(stand_in), path))
        return stand_in

    def check(self) -> None:
        """Refuse a change, or begin again with a container of the run."""
        for stand_in, before, path in self._held:
            now = _parts(stand_in)
            if len(now) != len(before) or not all(map(operator.is_, now, before)):
                raise self.outside.trace.refuse(
                    f"`{path}` is an OrderedDict from outside and is changed, which is not staged",
                    "use a list or a dict",
                    str(path),
                )


def _parts(container: OrderedDict[Any, Any]) -> list[Any]:
    return [part for pair in container.items() for part in pair]
