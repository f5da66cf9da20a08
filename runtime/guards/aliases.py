"""Which things from outside are the same one: a trace is right only where that is so again.

Two arguments may be one list at the next call, two globals may be bound to different lists. Where the trace
changes a container, or the code asks with `is`, a guard says which are distinct.
"""

from __future__ import annotations

import dis
from types import CodeType
from typing import TYPE_CHECKING, Any

from runtime.graph import Block, walk
from runtime.guards.paths import Guard, Path, are_distinct
from runtime.ops.containers import CHANGERS

if TYPE_CHECKING:
    from runtime.guards.outside import Outside

_CHANGES = {"replace_contents", "store_item", "delete_item", "call", "call_function", *CHANGERS}
_IS = dis.opmap["IS_OP"]


class Aliases:
    """The lists, dicts and objects that one trace knows from outside."""

    def __init__(self, outside: Outside) -> None:
        self.outside = outside
        self._known: dict[int, tuple[Any, Path]] = {}
        self._objects: dict[type, list[Path]] = {}
        self._asked = False  # may the code compare identities?

    def know(self, value: Any, path: Path) -> None:
        """A container, met for the first time."""
        self._known.setdefault(id(value), (value, path))

    def know_object(self, value: Any, path: Path) -> None:
        """An object of a user's class. These are told apart by `==` as well, as keys, by what is stored."""
        self._objects.setdefault(type(value), []).append(path)

    def same(self, value: Any, path: Path) -> None:
        """It is found at another path, too."""
        first = self._known[id(value)][1]
        if first != path:
            kind = type(value).__name__
            said = f"the same {kind} as {first}"
            guard = Guard(path, lambda s, n: f"{s} is {first.source(n)}", said, others=(first,))
            self.outside.guards.append(guard)

    def enter(self, code: CodeType) -> None:
        """A function with this code is run."""
        self._asked = self._asked or compares_identity(code)
        self.outside.random_states.enter(code)

    def guard(self, body: Block) -> None:
        """At the end of the trace: what is several is several at each call."""
        for cls, paths in self._objects.items():
            self._guard_distinct(cls, paths)
        if not self._asked and not any(op.name in _CHANGES for op in walk(body)):
            return
        for kind in {type(value) for value, _ in self._known.values()}:
            self._guard_distinct(kind, [path for value, path in self._known.values() if type(value) is kind])

    def _guard_distinct(self, cls: type, paths: list[Path]) -> None:
        if len(paths) > 1:
            said = f"another {cls.__name__} than {', '.join(map(str, paths[1:]))}"
            guard = Guard(paths[0], are_distinct(paths), said, routine=True, others=paths[1:])
            self.outside.guards.append(guard)


def compares_identity(code: CodeType) -> bool:
    """Is there an `is` in the code, other than the test of an `if` for None?

    >>> compares_identity((lambda a, b: a is b).__code__), compares_identity((lambda a: a).__code__)
    (True, False)
    """
    if _IS in code.co_code[::2]:
        return True
    return any(compares_identity(c) for c in code.co_consts if isinstance(c, CodeType))
