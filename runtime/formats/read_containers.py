"""Operations on containers read from text: what `graph/text.py` writes of them.

What the text leaves out follows from what it says: how an item is taken apart from the type of the container
and of the outputs, the holes of the arguments from the names in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.formats.read_literals import WithHoles, read_arguments
from runtime.formats.tokens import Cursor
from runtime.graph import Location, Operation, Value
from runtime.ops.definition import REGISTRY
from runtime.ops.methods import METHODS
from runtime.ops.template import Hole, Template
from runtime.specs.readers import Reader
from runtime.specs.spec import Leaf, Spec, Variant, leaf_types
from runtime.types import INT, ContainerType, Type


def read_container_operation(
    name: str,
    cursor: Cursor,
    objects: Mapping[int, Any],
    scope: Mapping[str, Value],
    types: tuple[Type, ...],
    location: Location | None,
) -> Operation:
    """The operation whose opening parenthesis has been read."""
    holes = WithHoles(objects, scope)
    arguments, attributes = read_arguments(cursor, holes, objects)
    row = METHODS.get(name)
    reads = row is not None and not (row.makes or row.answers)  # an item, or a number made of the items
    makes = len(types) == 1 and isinstance(types[0], ContainerType) and not reads
    structure: Any = arguments[0] if name == "list.new" and len(arguments) == 1 else tuple(arguments)
    if any(type(part) is not Hole for part in arguments):
        attributes["template"] = Template(structure)
    if makes:
        attributes["type"] = types[0]
    elif name == "list.to_array":
        attributes = {"arguments": {}, **attributes, "types": types if len(types) == 1 else types[1:]}
    elif types and reads:
        attributes["reader"] = Reader(_element(cursor, holes.found, types))
    return Operation(name, tuple(holes.found), types, attributes, location=location)


def is_container_operation(name: str) -> bool:
    return name in REGISTRY and REGISTRY[name].family == "container"


def _element(cursor: Cursor, inputs: list[Value], types: tuple[Type, ...]) -> Spec:
    """What is taken apart into ``types``: an item of the container, or a value by itself."""
    container = inputs[0].type if inputs else None
    element = container.element if isinstance(container, ContainerType) else None
    if element is not None and tuple(leaf_types(element, of_item=True)) == types:
        return element
    if len(types) == 1:
        return Leaf(types[0])
    if types[0] == INT:  # the tag of one of several kinds: the int 0 of an empty sum, or a float
        return Variant(tuple(map(Leaf, types[1:])))
    cursor.fail("these are not the types of an item of the container")
