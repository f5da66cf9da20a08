"""Which two references may be one object of the run.

A reference is a value of the graph; two values of one class may be one object, but for these reasons:

* An object that is made is none of those that were known before.
* An object of the outside is none that the trace makes.
* Lists that are made at different places of the program are different.
* An object that was only read from and stored to so far lies in no field: no load can find it.

>>> from runtime.graph import Operation, Value
>>> from runtime.types import InstanceType
>>> kind = InstanceType("Node", object)
>>> param, made = Value(kind, "p"), Operation("object.make", (), (kind,), {}).output
>>> origins = Origins()
>>> origins.meet(param)
>>> origins.meet(made)
>>> origins.may_be_one(param, made)
False
"""

from __future__ import annotations

from typing import Any

from runtime.graph import Operation, Value
from runtime.guards.paths import PathBase
from runtime.ops import containers
from runtime.ops.calling import CALL
from runtime.ops.template import Hole
from runtime.types import ContainerType

#: operations whose output is an object that nobody knew before, as that of `containers.MAKERS` is
_MAKES = frozenset({"object.make", "object.copy", "object.deepcopy", "list.new"})
#: operations after which nobody else knows their first input: what it holds is read or stored, or who it is
_LOOKS_AT_FIRST = frozenset({"object.getattr", "object.setattr", "object.delattr", "object.verify"})


class Origins:
    """Where the references of one trace come from."""

    def __init__(self) -> None:
        self._order: dict[Value, int] = {}  # as they became known
        self._outside: set[Value] = set()
        #: objects made here that lie in no field and were given to nobody, by now
        self.private: set[Value] = set()
        #: those of them for which that was an answer, in turn
        self.relied_on: list[Value] = []

    def meet(self, value: Value) -> None:
        """``value`` is a reference."""
        if value not in self._order:
            self._order[value] = len(self._order)
            if _is_made(value) and value.owner.name == "object.make":  # type: ignore[union-attr]
                self.private.add(value)

    def meet_outside(self, value: Value) -> None:
        """``value`` is an object that was there before the call."""
        self.meet(value)
        self._outside.add(value)

    def count(self) -> int:
        """How many references are known."""
        return len(self._order)

    def is_before(self, value: Value, count: int) -> bool:
        """Was it there when so many were known? What is from outside was, whenever it was met."""
        return value in self._outside or self._order[value] < count

    def share_all(self) -> None:
        """Code begins that runs at other times as well: of what is known, all may lie in any field then."""
        self.private.clear()

    def note(self, operation: Operation) -> None:
        """Which objects an operation gives to others."""
        if not self.private:
            return
        given = operation.inputs
        if operation.name in _LOOKS_AT_FIRST and _stands_once(operation):
            given = given[1:]
        elif operation.name == "is":
            given = ()
        self.private.difference_update(given)
        for block in operation.blocks:
            self.private.difference_update(block.results)

    def may_be_one(self, a: Value, b: Value) -> bool:
        """May these references to objects of one class, or to lists, be one?"""
        if a is b:
            return True
        if isinstance(a.type, ContainerType) and isinstance(b.type, ContainerType):
            if a.type.sites and b.type.sites and not may_meet(a.type.sites, b.type.sites):
                return False
        older, newer = sorted((a, b), key=self._order.__getitem__)
        if _is_made(newer):
            return newer.owner is older.owner  # copies of one thing are one
        if _is_made(older):
            if newer in self._outside:
                return False
            if older in self.private and _is_loaded(newer):
                self.relied_on.append(older)
                return False
        return True


def may_meet(a: frozenset[Any], b: frozenset[Any]) -> bool:
    """May containers of these places be the same one?

    What lies within others from outside may be anything from there. Those that were found along two paths
    are two, which a guard says (`outside/aliases.py`).
    """
    if not a.isdisjoint(b):
        return True
    inside_a, inside_b = any(map(_is_inside, a)), any(map(_is_inside, b))
    return (inside_a and any(map(is_outside, b))) or (inside_b and any(map(is_outside, a)))


def is_outside(site: Any) -> bool:
    """Was the container there before the call?"""
    return isinstance(site, PathBase) or site[0] == "items of"


def _is_inside(site: Any) -> bool:
    return not isinstance(site, PathBase) and site[0] == "items of"


def _is_made(value: Value) -> bool:
    """Of a tuple that is made of another one, that may be the other one."""
    if value.owner is None:
        return False
    name = value.owner.name
    return name in _MAKES or (not name.startswith("tuple.") and name in containers.MAKERS)


def _is_loaded(value: Value) -> bool:
    """Is it the result of an operation, and not what one of several paths, or a caller, hands on?"""
    return value.owner is not None and not value.owner.blocks and value.owner.name != CALL


def _stands_once(operation: Operation) -> bool:
    """Does its first input stand there once, and alone?"""
    template = operation.attributes.get("template")
    if template is None:
        return operation.inputs[0] not in operation.inputs[1:]
    return template.structure[0] == Hole(0) and template.holes().count(0) == 1
