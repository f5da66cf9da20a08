"""Do real objects hold what a trace knows of their classes? A guard asks, and a handler of exceptions."""

from __future__ import annotations

from collections import deque
from typing import Any

from autograph.operators import Undefined
from runtime.ops.instances import are_atoms, attributes, is_user_instance
from runtime.specs.readers import Reader
from runtime.specs.spec import Spec


def parts_of_object(item: Any) -> list[Any]:
    """What an object from outside refers to, as far as a trace looks."""
    if isinstance(item, tuple | list | set | deque):
        return [] if are_atoms(item) else list(item)
    if isinstance(item, dict):
        return parts_of_object([*item.values()])
    return list(attributes(item).values()) if is_user_instance(item) and not isinstance(item, type) else []


#: what `raise ... from` and `add_note` leave on an exception, of which a trace may know nothing
_OF_RAISING = {"__suppress_context__", "__notes__"}


class HoldsKnown:
    """Do an object, and all that it refers to, hold what a trace knows of? Machine code asks quicker
    (functions/dispatch.py)."""

    __slots__ = ("_readers", "kinds")

    def __init__(self, specs: dict[type, dict[str, Spec | None]]) -> None:
        self._readers = readers = {
            cls: {name: Reader(spec) for name, spec in sorted(known.items())} for cls, known in specs.items()
        }
        self.kinds = tuple(
            [(cls, tuple([(n, one.pattern) for n, one in known.items()])) for cls, known in readers.items()]
        )

    def __call__(self, value: Any) -> bool:
        waiting, seen = [value], {id(value)}
        while waiting:
            item = waiting.pop()
            known = self._readers.get(type(item))
            if known is not None:
                held = attributes(item)
                if not held.keys() <= known.keys() | _OF_RAISING:
                    return False
                if not all(one.accepts(held.get(name, Undefined(name))) for name, one in known.items()):
                    return False
            for part in parts_of_object(item):
                if id(part) not in seen:
                    seen.add(id(part))
                    waiting.append(part)
        return True
