"""The ``__dict__`` of an instance that a trace makes: its items are the attributes.

A change of it is a change of attributes, of one slot each, however it is written. Somebody who still holds
the dict would not see what staged control flow leaves in the instance: that is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from runtime.ops.instances import has_dict, is_hidden
from runtime.tracer.captures import is_fresh
from runtime.tracer.slots import LocalAttribute

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace
    from runtime.tracer.trace_base import Frame

#: references to a namespace that its instance alone holds: that one, and the variable and argument below
_UNHELD = 3


class Namespaces:
    """Those that converted code has asked for."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._owners: dict[int, int] = {}  # of a dict, whose it is

    def met(self, owner: Any) -> None:
        """The program reads ``owner.__dict__``."""
        if self.trace.outside.is_local(owner) and has_dict(owner):
            self._owners[id(object.__getattribute__(owner, "__dict__"))] = id(owner)

    def leave(self, owner: Any) -> None:
        """An object of the run has the attributes from here on; refused where somebody holds the dict."""
        mine = [key for key, identity in self._owners.items() if identity == id(owner)]
        if mine and _is_held(owner):
            raise self.trace.refuse(
                f"the namespace of a {type(owner).__name__} is kept in a variable, "
                "and the object is one that only a run knows",
                "read `vars()` or `__dict__` anew where it is needed",
            )
        for key in mine:
            del self._owners[key]

    def owner_of(self, container: Any) -> Any:
        """The instance whose namespace this is, or None."""
        identity = self._owners.get(id(container)) if type(container) is dict else None
        if identity is None:
            return None
        owner = self.trace.outside.local(identity)
        return owner if object.__getattribute__(owner, "__dict__") is container else None

    def change(self, owner: Any, namespace: dict[str, Any], change: Callable[[], Any]) -> Any:
        """Run ``change``, and store what it did to the namespace attribute by attribute."""
        before = dict(namespace)
        result = change()
        after = dict(namespace)
        namespace.clear()
        namespace.update(before)
        for name in [*before, *after]:
            if name in before and name not in after:
                self._write(owner, name, Undefined(name))
            elif name not in before or before[name] is not after[name]:
                self._write(owner, name, after[name])
        return result

    def _write(self, owner: Any, name: Any, value: Any) -> None:
        if type(name) is not str:
            raise self.trace.refuse(
                f"the namespace of a {type(owner).__name__} gets a key that is no name",
                "keep it in a dict of its own",
            )
        if is_hidden(type(owner), name) and id(owner) in self.trace.outside.real:
            raise self.trace.refuse(
                f"`{name}` is changed in the namespace of a {type(owner).__name__} that was stored outside, "
                "past the descriptor of that name",
                "change it before the object is stored",
                name,
            )
        slot = LocalAttribute(
            self.trace, ("attribute", id(owner), name), f"{type(owner).__name__}.{name}", name
        )
        self.trace.write(slot, value)

    def check(self, frame: Frame) -> None:
        """At the end of a block: refuse where a variable holds the namespace of an instance that the block
        made or changed, and which is another one, or another's, from here on."""
        if not self._owners:
            return
        changed = {slot.key[1] for slot, _ in frame.written.values() if isinstance(slot, LocalAttribute)}  # type: ignore[index]
        for identity in set(self._owners.values()):
            owner = self.trace.outside.local(identity)
            if (identity in changed or is_fresh(self.trace, owner)) and _is_held(owner):
                raise self.trace.refuse(
                    f"the namespace of a {type(owner).__name__} is kept in a variable, "
                    "and its attributes change in staged control flow",
                    "read `vars()` or `__dict__` anew where it is needed",
                )


def _is_held(owner: Any) -> bool:
    """Does anybody but the instance itself hold its namespace?"""
    namespace = object.__getattribute__(owner, "__dict__")
    return sys.getrefcount(namespace) > _UNHELD
