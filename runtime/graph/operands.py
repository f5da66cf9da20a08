"""How a value is written where it is used: by its name, or as the constant that it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from runtime.graph.literals import Objects, is_constant, literal
from runtime.graph.operations import Value


class Operands:
    """The names of values, and the table of the objects that have no text form."""

    def __init__(self, names: Mapping[Value, str], objects: Objects) -> None:
        self.names = names
        self.objects = objects

    def operand(self, value: Value) -> str:
        if is_constant(value):
            assert value.owner is not None
            return literal(value.owner.attributes["value"], self.objects)
        return self.names.get(value, f"?{value.hint}")  # the verifier prints graphs that are wrong

    def operands(self, values: Iterable[Value]) -> str:
        return ", ".join(map(self.operand, values))

    def typed(self, value: Value) -> str:
        return f"{self.names.get(value, '?')}: {value.type}"

    def params(self, params: Iterable[Value]) -> str:
        return ", ".join(map(self.typed, params))
