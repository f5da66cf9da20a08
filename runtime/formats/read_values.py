"""Values in the text of a graph, where they are made, as operands and parameters; places in the program.

Operations with a form of their own, read from text: on containers, ``print``, ``raise``, f-strings.

What the text of one on a container leaves out follows from what it says: how an item is taken apart from the
type of the container and of the outputs, the holes of the arguments from the names in them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from itertools import pairwise
from string import Formatter
from typing import Any

from runtime.formats.read_literals import (
    WithHoles,
    is_scalar_name,
    python_class,
    read_arguments,
    read_literal,
    read_object,
    read_type,
)
from runtime.formats.tokens import Cursor, Line, Token, refuse
from runtime.graph import Block, Location, Operation, Value
from runtime.graph.literals import form_class
from runtime.ops.definition import REGISTRY
from runtime.ops.instances import rebuild
from runtime.ops.methods import METHODS
from runtime.ops.template import Hole, Make, Template
from runtime.specs.readers import Reader
from runtime.specs.spec import Leaf, Spec, Variant, leaf_types
from runtime.types import INT, OBJECT, ContainerType, Type, type_of


def read_location(comment: Token | None, home: tuple[str, str]) -> Location | None:
    """The place that a comment gives; what it leaves out is that of the graph: file and function."""
    if comment is None:
        return None
    text = comment.text[1:].strip()
    match = re.fullmatch(
        r"(?:(?P<file>.+?):)?(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?(?: in (?P<function>.+))?", text
    )
    if match is None:
        return None  # a remark of the writer's
    file = home[0] if match["file"] is None else unquoted(match["file"])
    return Location(file, int(match["line"]), match["function"] or home[1], int(match["column"] or 0))


def home_of(header: str, graph_name: str) -> tuple[str, str]:
    """The file and the function that the first line of a text names."""
    match = re.fullmatch(r"('.*'|\".*\"|.+?)(?: in (.+))?", header)
    if match is None:
        return "<unknown>", graph_name
    return unquoted(match[1]), match[2] or graph_name


def unquoted(text: str) -> str:
    return str(ast.literal_eval(text)) if text[:1] in ("'", '"') else text


#: an output or parameter that was read: its name and type
Typed = tuple[str, Type]


class Values:
    """The values that are known at a place of the text, by name."""

    def __init__(self, objects: Mapping[int, Any]) -> None:
        self.objects = objects
        self.scope: dict[str, Value] = {}

    def define(self, name: str, value: Value, line: Line) -> Value:
        if name in self.scope:
            refuse(f"{name!r} has a value already", line.number, line.indent)
        self.scope[name] = value
        value.hint = _hint(name)
        return value

    def typed(self, cursor: Cursor) -> Typed:
        name = cursor.expect_kind("name", "a name").text
        cursor.expect(":")
        return name, read_type(cursor)

    def params(self, cursor: Cursor) -> list[Typed]:
        """``x: f64, n: int)``."""
        params: list[Typed] = []
        while not cursor.at(")"):
            params.append(self.typed(cursor))
            if not cursor.accept(","):
                break
        cursor.expect(")")
        return params

    def operands(self, cursor: Cursor, block: Block, closing: str, location: Location | None) -> list[Value]:
        """Operands up to the closing mark or the first attribute; the mark is not read."""
        values: list[Value] = []
        while not cursor.at(closing):
            if cursor.peek().text == "=":
                break
            values.append(self.operand(cursor, block, location))
            if not cursor.accept(","):
                break
        return values

    def operand(self, cursor: Cursor, block: Block, location: Location | None) -> Value:
        token = cursor.token
        is_value = token.kind == "name" and token.text not in ("None", "True", "False", "nan", "inf")
        if not is_value or (is_scalar_name(token.text) and cursor.peek().text == "("):
            item = read_literal(cursor, self.objects)
            constant_type = OBJECT if type_of(item) == OBJECT else type_of(item)
            constant = Operation("constant", (), (constant_type,), {"value": item}, location=location)
            return block.append(constant).output
        if token.text not in self.scope:
            cursor.fail("expected a value that is known here")
        return self.scope[cursor.next().text]

    def subscript(
        self,
        name: str,
        cursor: Cursor,
        block: Block,
        types: tuple[Type, ...],
        location: Location | None,
    ) -> Operation:
        """``x[i, 1:]`` or ``x[i] = v``."""
        if name not in self.scope:
            refuse(f"{name!r} is not a value that is known here", cursor.token.line, 0)
        cursor.expect("[")
        reader = _IndexReader(self.scope, cursor)
        index = reader.index()
        inputs = [self.scope[name], *reader.dynamic]
        operation = "getitem"
        if cursor.accept("="):
            operation = "setitem"
            inputs.insert(1, self.operand(cursor, block, location))
        return Operation(operation, tuple(inputs), types, {"index": index}, location=location)


class _IndexReader:
    def __init__(self, scope: Mapping[str, Value], cursor: Cursor) -> None:
        self.scope = scope
        self.cursor = cursor
        self.dynamic: list[Value] = []

    def index(self) -> tuple[Any, ...]:
        parts: list[Any] = []
        while not self.cursor.at("]"):
            parts.append(self.part())
            if not self.cursor.accept(","):
                break
        self.cursor.expect("]")
        return tuple(parts)

    def part(self) -> Any:
        bounds: list[Any] = [None]
        if not self.cursor.at(":"):
            bounds = [self.atom()]
        is_slice = False
        while self.cursor.accept(":"):
            is_slice = True
            bounds.append(None if self.cursor.at(":", ",", "]") else self.atom())
        return slice(*bounds) if is_slice else bounds[0]

    def atom(self) -> Any:
        token = self.cursor.token
        if token.kind == "name" and token.text in self.scope:
            self.dynamic.append(self.scope[self.cursor.next().text])
            return form_class("Dynamic")(len(self.dynamic) - 1)
        return read_literal(self.cursor, {})


def _hint(name: str) -> str:
    """The hint that ``assign_names`` makes this name from."""
    if re.fullmatch(r"_\d+", name):
        return ""
    return re.sub(r"\.\d+$", "", name)


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
