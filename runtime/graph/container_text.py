"""Operations on lists, dicts and their like, as people write them: ``list.append(found, (i, v))``.

What follows from the types is left out: the way an item is taken apart, and the holes of the arguments.
"""

from __future__ import annotations

from typing import Any

from runtime.graph.literals import literal
from runtime.graph.operands import Operands
from runtime.graph.operations import Operation
from runtime.ops.definition import REGISTRY
from runtime.ops.template import Template

#: told by the types of the outputs
_HIDDEN = ("type", "types", "reader", "template")


def container_text(operands: Operands, op: Operation) -> str | None:
    """The text of an operation on containers; None for another operation."""
    definition = REGISTRY.get(op.name)
    if definition is None or definition.family != "container":
        return None
    words = [operands.operand(value) for value in op.inputs]
    template = op.attributes.get("template")
    if isinstance(template, Template):
        words = _filled(operands, template.structure, words, alone=op.name == "list.new")
    shown = {
        key: item for key, item in op.attributes.items() if key not in _HIDDEN and item not in ({}, None)
    }
    words += [f"{key}={literal(item, operands.objects)}" for key, item in shown.items()]
    return f"{op.name}({', '.join(words)})"


def _filled(operands: Operands, structure: Any, names: list[str], alone: bool) -> list[str]:
    """The arguments, with names in place of holes."""
    objects = operands.objects
    objects.names, objects.used = names, []
    try:
        parts = [structure] if alone or type(structure) is not tuple else structure
        return [literal(part, objects) for part in parts]
    finally:
        objects.names = None
