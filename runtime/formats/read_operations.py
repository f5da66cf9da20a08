"""Operations with a form of their own, read from text: on containers, ``print``, ``raise``, f-strings.

What the text of one on a container leaves out follows from what it says: how an item is taken apart from the
type of the container and of the outputs, the holes of the arguments from the names in them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import pairwise
from string import Formatter
from typing import Any

from runtime.formats.read_literals import WithHoles, python_class, read_arguments, read_literal, read_object
from runtime.formats.tokens import Cursor
from runtime.graph import Location, Operation, Value
from runtime.ops.definition import REGISTRY
from runtime.ops.instances import rebuild
from runtime.ops.methods import METHODS
from runtime.ops.template import Hole, Make, Template
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


#: what may stand behind the word
_STATEMENTS = {"print": ("(",), "assert": ("name",), "raise": ("name", "object")}


def read_statement(
    cursor: Cursor, objects: Mapping[int, Any], scope: Mapping[str, Value], location: Location | None
) -> Operation | None:
    """The operation of a line that says one of these statements; None for any other line."""
    name = cursor.token.text
    follows = cursor.peek()
    general = any(t.text == "template" and u.text == "=" for t, u in pairwise(cursor.tokens))
    follower = follows.text if follows.text == "(" else follows.kind
    if general or follower not in _STATEMENTS.get(name, ()):
        return None
    cursor.next()
    holes = WithHoles(objects, scope)
    if name == "assert":
        attributes: dict[str, Any] = {"template": None}
        if cursor.token.text not in scope:
            cursor.fail("expected a value that is known here")
        test = [scope[cursor.next().text]]
        if cursor.accept(","):
            attributes["template"] = Template(read_literal(cursor, holes))
    elif cursor.token.kind == "object":
        test = []
        cls = read_object(cursor, objects)
        arguments, _ = _read_call(cursor, holes)
        made = Make(rebuild, (cls, arguments, {}))
        attributes = {"exception": None, "template": Template((made,))}
    else:
        test = []
        attributes = {} if follower == "(" else {"exception": read_exception(cursor)}
        attributes["template"] = Template(_read_call(cursor, holes))
    cursor.expect("")
    return Operation(name, (*test, *holes.found), (), attributes, location=location)


def read_format(
    cursor: Cursor, scope: Mapping[str, Value], types: tuple[Type, ...], location: Location | None
) -> Operation:
    """The operation of an f-string."""
    pieces: list[Any] = []
    inputs: list[Value] = []
    for text, name, spec, conversion in Formatter().parse(ast.literal_eval(cursor.token.text[1:])):
        if text and pieces and isinstance(pieces[-1], str):
            pieces[-1] += text
        elif text:
            pieces.append(text)
        if name is None:
            continue
        if name not in scope:
            cursor.fail(f"{name!r} is no value that is known here")
        pieces.append((Hole(len(inputs)), conversion, spec))
        inputs.append(scope[name])
    cursor.next()
    cursor.expect("")
    return Operation("format", tuple(inputs), types, {"template": Template(tuple(pieces))}, location=location)


def read_exception(cursor: Cursor) -> Any:
    """The exception class after ``raise``."""
    found = python_class(cursor.token.text)
    if not (isinstance(found, type) and issubclass(found, BaseException)):
        cursor.fail("expected the name of a Python exception")
    cursor.next()
    return found


def _read_call(cursor: Cursor, holes: WithHoles) -> tuple[tuple[Any, ...], dict[str, Any]]:
    cursor.expect("(")
    args, kwargs = read_arguments(cursor, holes, holes)
    return tuple(args), kwargs
