"""Values in the text of a graph, where they are made, as operands and parameters; places in the program."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from runtime.formats.read_literals import is_scalar_name, read_literal, read_type
from runtime.formats.tokens import Cursor, Line, Token, refuse
from runtime.graph import Block, Location, Operation, Value
from runtime.graph.literals import form_class
from runtime.types import OBJECT, Type, type_of


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
