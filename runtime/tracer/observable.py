"""Which operations somebody outside may observe: at those, what was stored before must have been stored."""

from __future__ import annotations

from runtime.graph import Operation
from runtime.ops.definition import REGISTRY
from runtime.types import ContainerType, InstanceType

#: operations that are part of other statements, and cannot themselves be observed
SILENT = frozenset({"constant", "undef", "landing", "if", "while", "for", "try"})
#: these raise only for integers beyond 64 bits, where Python would not raise at all; or print, or store
UNLIKELY_TO_RAISE = frozenset(
    {"py.add", "py.sub", "py.mul", "py.neg", "py.abs", "print", "store_attr", "store_item", "landing"}
)
#: they make an object of its attributes, without code of the user's: one that is about to be raised, say
_MAKES = frozenset({"object.make", "list.new"})
#: a plain store to, or load from, an object that the trace knows to be there, where attributes may be missing
#: only if the type says so; and what every list can do
_OF_OBJECTS = frozenset({"object.getattr", "object.setattr"})
_OF_LISTS = frozenset({"list.len", "list.append", "list.clear", "list.reverse"})


def never_raises(operation: Operation) -> bool:
    """Can it surely not raise, so that a `try` around needs no landing there?"""
    if operation.name in _MAKES:
        return True
    base = operation.inputs[0].type if operation.inputs else None
    if operation.name in _OF_OBJECTS:
        return isinstance(base, InstanceType) and not issubclass(base.cls, BaseException)
    return operation.name in _OF_LISTS and isinstance(base, ContainerType) and base.name == "list"


def may_be_observed(operation: Operation) -> bool:
    """Could someone outside see, at this operation, what was stored before it?"""
    if operation.name in SILENT:
        return False
    definition = REGISTRY.get(operation.name)
    if definition is None:
        return True
    effects = definition.effects_of(tuple(v.type for v in operation.inputs), operation.attributes)
    return effects.ordered or effects.may_raise
