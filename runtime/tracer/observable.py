"""Which operations somebody outside may observe: at those, what was stored before must have been stored."""

from __future__ import annotations

from runtime.graph import Operation
from runtime.ops.definition import REGISTRY

#: operations that are part of other statements, and cannot themselves be observed
SILENT = frozenset({"constant", "undef", "landing", "if", "while", "for", "try"})
#: these raise only for integers beyond 64 bits, where Python would not raise at all; or print, or store
UNLIKELY_TO_RAISE = frozenset(
    {"py.add", "py.sub", "py.mul", "py.neg", "py.abs", "print", "store_attr", "store_item", "landing"}
)
#: they make an object of its attributes, without code of the user's: one that is about to be raised, say
NEVER_RAISE = frozenset({"object.make", "object.new"})


def may_be_observed(operation: Operation) -> bool:
    """Could someone outside see, at this operation, what was stored before it?"""
    if operation.name in SILENT:
        return False
    definition = REGISTRY.get(operation.name)
    if definition is None:
        return True
    effects = definition.effects_of(tuple(v.type for v in operation.inputs), operation.attributes)
    return effects.ordered or effects.may_raise
