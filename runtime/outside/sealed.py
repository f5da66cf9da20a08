"""An OrderedDict, a defaultdict or a deque from outside that holds arrays or objects: read, not changed.

So are sets, deques, special dicts and bytearrays that the trace made and stored outside: each run makes
its own there, of what they held then.

What converted code sees is a copy with the items imported. Guards say that the original still holds as much
under the same keys; a change of the copy is found the next time the trace looks, and refused.
"""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from runtime.containers.default_factories import Missing
from runtime.guards.paths import Attribute, Guard, Item, ItemThere, KeysGuard, Path
from runtime.ops.item_patterns import KINDS
from runtime.outside import keys as outside_keys
from runtime.outside import opaque
from runtime.outside.aliases import Aliases
from runtime.outside.known import Known

_KINDS = (collections.OrderedDict, collections.defaultdict, collections.deque)


def is_sealed(value: Any) -> bool:
    """Is this a container whose items have to be imported one by one?

    >>> is_sealed(collections.deque([1, 2])), is_sealed(collections.deque([[1], [2]]))
    (False, True)
    """
    if type(value) not in _KINDS:
        return False
    if getattr(value, "default_factory", None) is not None:
        return True  # reading may change it
    try:
        opaque.contents(value)
    except TypeError:  # it holds what cannot be compared
        return True
    return False


class Sealed:
    """The containers of one trace that are only read."""

    def __init__(self, outside: Known, aliases: Aliases) -> None:
        self.outside = outside
        self.aliases = aliases
        self._held: list[tuple[Any, list[Any], Path]] = []
        self._stored: list[tuple[Any, list[Any]]] = []

    def enter(self, value: Any, path: Path) -> Any:
        """What stands for ``value``, found at ``path``."""
        known = self.outside.stand_in_of(value)
        if known is not None:
            self.aliases.same(value, path)
            return known
        self.aliases.know(value, path)
        kind: Any = type(value)
        keys = None if kind is collections.deque else list(value)

        guard: Guard
        if keys is None:
            length = len(value)
            guard = Guard(
                path,
                lambda s, n: f"type({s}) is {n.of(kind)} and len({s}) == {length}",
                f"a {kind.__name__} of {length}",
            )
        else:
            guard = KeysGuard(path, kind, keys)
        self.outside.guards.append(guard)
        outside_keys.know_keys(self.outside, () if keys is None else value, path)
        if keys is None:
            items = [self.outside.import_value(item, Item(path, i)) for i, item in enumerate(value)]
            stand_in = kind(items, value.maxlen)
        else:
            pairs = {
                key: self.outside.import_value(item, ItemThere(path, key)) for key, item in value.items()
            }
            stand_in = (
                kind(pairs) if kind is collections.OrderedDict else kind(self._factory(value, path), pairs)
            )
        self.outside.stands_for(stand_in, value, path)
        self._held.append((stand_in, snapshot(stand_in), path))
        return stand_in

    def _factory(self, value: Any, path: Path) -> Callable[[], NoReturn] | None:
        """What the stand-in of a defaultdict calls for a key that is not there."""
        if value.default_factory is None:
            return None

        factory = self.outside.import_value(value.default_factory, Attribute(path, "default_factory"))

        def refuse() -> NoReturn:
            self.outside.trace.containers.require(self.outside.stand_ins[id(value)])
            raise self.outside.trace.refuse(
                f"`{path}` is a defaultdict from outside and gets a new key, which is not staged",
                "read it with `get`, or make the key before the call",
                str(path),
            )

        return Missing(refuse, factory)

    def store(self, container: Any) -> None:
        """One that the trace made is stored outside as it is now."""
        if type(container) not in (list, dict) and isinstance(container, (*KINDS, bytearray)):
            self._stored.append((container, snapshot(container)))

    def check(self) -> None:
        """Refuse a change, or begin again with a container of the run."""
        for container, before in self._stored:
            if not _holds_still(container, before):
                self.outside.trace.containers.require(container)
                raise self.outside.trace.refuse(
                    f"a {type(container).__name__} is changed after it was stored outside",
                    "change it first, and store it then",
                )
        for stand_in, before, path in self._held:
            if not _holds_still(stand_in, before):
                kind = type(stand_in).__name__
                raise self.outside.trace.refuse(
                    f"`{path}` is a {kind} from outside and is changed, which is not staged",
                    "use a list or a dict",
                    str(path),
                )


def _holds_still(container: Any, before: list[Any]) -> bool:
    now = snapshot(container)
    return len(now) == len(before) and all(map(operator.is_, now, before))


def snapshot(container: Any) -> list[Any]:
    """The keys and items of a container, in order."""
    if isinstance(container, dict):
        return [part for pair in container.items() for part in pair]
    return list(container)
