"""Read a graph back from its text form.

>>> graph = parse('''
... # demo.py
... graph clip(x: float) -> float:
...     _1: bool = py.gt(x, 1.0)    # 2
...     y: float = if _1:           # 2
...         yield 1.0
...     else:
...         yield x
...     return y
... ''')
>>> print(graph, end="")
# demo.py
graph clip(x: float) -> float:
    _1: bool = py.gt(x, 1.0)  # 2
    y: float = if _1:         # 2
        yield 1.0
    else:
        yield x
    return y
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.formats.read_literals import read_attributes, read_type
from runtime.formats.read_values import (
    Typed,
    Values,
    home_of,
    is_container_operation,
    read_container_operation,
    read_format,
    read_location,
    read_statement,
    unquoted,
)
from runtime.formats.tokens import Cursor, Line, ParseError, refuse
from runtime.graph import Block, Graph, Location, Operation, Value
from runtime.graph.functions import calls_in, note_effects
from runtime.ops.control_flow import CALL, UNKNOWN_EFFECTS
from runtime.types import Type

__all__ = ["ParseError", "parse"]


def parse(text: str, objects: Mapping[int, Any] | None = None) -> Graph:
    """The graph of a text. Raises ParseError with line and column.

    ``objects`` supplies what has no text form: the table that the graph's ``writer`` filled.
    """
    return _Parser(text, objects or {}).graph()


class _Parser(Values):
    def __init__(self, text: str, objects: Mapping[int, Any]) -> None:
        super().__init__(objects)
        numbered = list(enumerate(text.splitlines(), 1))
        self.header = next((t.strip()[1:].strip() for _, t in numbered if t.strip().startswith("#")), "")
        code = [(n, t) for n, t in numbered if t.strip() and not t.strip().startswith("#")]
        self.name, code = _graph_line(code)
        self.lines = [Line(number, text) for number, text in code]
        self.lines[0].indent = 0
        self.position = 0
        self.home = home_of(self.header, self.name)

    @property
    def line(self) -> Line | None:
        return self.lines[self.position] if self.position < len(self.lines) else None

    def graph(self) -> Graph:
        head = self.lines[0]
        graph = Graph(self.name, self.body(head))
        while self.line is not None:
            line = self.line
            if not line.cursor.at("function"):
                line.cursor.fail("expected nothing after the graph but its functions")
            line.cursor.next()
            name = line.cursor.expect_kind("function", "the name of a function, with @").text[1:]
            graph.functions[name] = Graph(name, self.body(line), functions=graph.functions)
        for part in graph.whole():
            for call in calls_in(part.body):
                if call.attributes["function"] not in graph.functions:
                    refuse(f"there is no function @{call.attributes['function']}", head.number, 0)
        note_effects(graph)
        return graph

    def body(self, head: Line) -> Block:
        """The parameters, the results and what is indented below."""
        cursor = head.cursor
        cursor.expect("(")
        params = self.params(cursor)
        cursor.expect("->")
        declared = self.result_types(cursor)
        cursor.expect(":")
        cursor.expect("")
        self.position += 1
        block = self.block(head, params, end="return")
        types = None if block.ends == "never" else [value.type for value in block.results]
        if types != declared:
            refuse("the types after '->' are not those of what is returned", head.number, 0)
        return block

    def result_types(self, cursor: Cursor) -> list[Type] | None:
        if cursor.accept("never"):
            return None
        if not cursor.accept("("):
            return [read_type(cursor)]
        types: list[Type] = []
        while not cursor.at(")"):
            types.append(read_type(cursor))
            if not cursor.accept(","):
                break
        cursor.expect(")")
        return types

    # -- blocks ----------------------------------------------------------------------------------------

    def block(self, head: Line, params: Sequence[Typed], end: str = "yield") -> Block:
        """The block under ``head``: the lines that are indented further."""
        outer = dict(self.scope)
        block = Block()
        for name, type in params:
            block.params.append(self.define(name, Value(type), head))
        first = self.line
        ended = False
        while self.line is not None and self.line.indent > head.indent:
            assert first is not None
            if self.line.indent != first.indent or ended:
                self.line.cursor.fail("unexpected line or indentation")
            ended = self.statement(block, end)
        if not ended and block.operations and block.operations[-1].is_raise:
            block.ends = "never"
        self.scope = outer
        return block

    def statement(self, block: Block, end: str) -> bool:
        """Read one line, with what is nested under it, into ``block``. True when it ends the block."""
        line = self.line
        assert line is not None
        cursor = line.cursor
        alone = cursor.peek().kind == "end"
        if cursor.at("never") and alone:
            block.ends = "never"
        elif cursor.at(end) and cursor.peek().text not in (":", "="):
            cursor.next()
            block.results = tuple(self.operands(cursor, block, "", None))
        else:
            self.operation(line, block)
            return False
        cursor.expect("") if not alone else None
        self.position += 1
        return True

    def operation(self, line: Line, block: Block) -> None:
        cursor = line.cursor
        location = read_location(cursor.comment, self.home)
        outputs = self.outputs(cursor)
        if cursor.at("if", "while", "for"):
            operation = self.control_flow(line, block, outputs, location)
        else:
            operation = self.plain(line, block, outputs, location)
        block.append(operation)
        for (name, _), value in zip(outputs, operation.outputs, strict=True):
            self.define(name, value, line)

    def outputs(self, cursor: Cursor) -> list[Typed]:
        """``a: f64, b: int =``; nothing when the line begins with the operation."""
        if cursor.token.kind != "name" or cursor.peek().text != ":" or cursor.at("while"):
            return []
        outputs = [self.typed(cursor)]
        while cursor.accept(","):
            outputs.append(self.typed(cursor))
        cursor.expect("=")
        return outputs

    def plain(self, line: Line, block: Block, outputs: list[Typed], location: Location | None) -> Operation:
        cursor = line.cursor
        statement = read_statement(cursor, self.objects, self.scope, location)
        if statement is not None:
            self.position += 1
            return statement
        types = tuple(type for _, type in outputs)
        if cursor.token.kind == "string" and cursor.token.text[0] == "f":
            self.position += 1
            return read_format(cursor, self.scope, types, location)
        if cursor.token.kind == "function":
            return self.call(cursor, block, outputs, location)
        name = cursor.expect_kind("name", "the name of an operation").text
        if cursor.at("["):
            operation = self.subscript(name, cursor, block, types, location)
        elif is_container_operation(name):
            cursor.expect("(")
            operation = read_container_operation(name, cursor, self.objects, self.scope, types, location)
        else:
            cursor.expect("(")
            inputs = self.operands(cursor, block, ")", location)
            attributes = read_attributes(cursor, self.objects, ")")
            operation = Operation(name, tuple(inputs), types, attributes, location=location)
        has_blocks = cursor.accept(":")
        cursor.expect("")
        self.position += 1
        if has_blocks:
            operation.blocks = tuple(self.labelled_blocks(line))
        return operation

    def call(
        self, cursor: Cursor, block: Block, outputs: list[Typed], location: Location | None
    ) -> Operation:
        """``@fib(n)``; what it does is found when all functions were read."""
        attributes = {"function": cursor.next().text[1:], "effects": UNKNOWN_EFFECTS}
        cursor.expect("(")
        inputs = self.operands(cursor, block, ")", location)
        cursor.expect(")")
        cursor.expect("")
        self.position += 1
        types = tuple(type for _, type in outputs)
        return Operation(CALL, tuple(inputs), types, attributes, location=location)

    def labelled_blocks(self, head: Line) -> list[Block]:
        blocks: list[Block] = []
        while self.line is not None and self.line.indent > head.indent:
            label = self.line
            label.cursor.expect("block")
            label.cursor.expect("(")
            params = self.params(label.cursor)
            label.cursor.expect(":")
            self.position += 1
            blocks.append(self.block(label, params))
        return blocks

    def control_flow(
        self, line: Line, block: Block, outputs: list[Typed], location: Location | None
    ) -> Operation:
        cursor = line.cursor
        name = cursor.next().text
        inputs: list[Value] = []
        params: list[Typed] = []
        is_branch = name == "if"
        if is_branch:
            inputs = [self.operand(cursor, block, location)]
        if name == "for":
            params.append(self.typed(cursor))
            cursor.expect("in"), cursor.expect("range"), cursor.expect("(")
            inputs = self.operands(cursor, block, ")", location)
            cursor.expect(")")
        if cursor.accept("with"):
            more = True
            while more:
                params.append(self.typed(cursor))
                cursor.expect("=")
                inputs.append(self.operand(cursor, block, location))
                more = cursor.accept(",")
        attributes = read_attributes(cursor, self.objects, "}") if cursor.accept("{") else {}
        cursor.expect(":")
        cursor.expect("")
        self.position += 1
        blocks = self.branches(line) if is_branch else self.loop_blocks(line, params)
        types = tuple(type for _, type in outputs)
        return Operation(name, tuple(inputs), types, attributes, tuple(blocks), location)

    def branches(self, head: Line) -> list[Block]:
        then, orelse = self.block(head, []), Block()
        line = self.line
        if line is not None and line.indent == head.indent and line.cursor.at("else"):
            line.cursor.next()
            line.cursor.expect(":")
            line.cursor.expect("")
            self.position += 1
            orelse = self.block(line, [])
        return [then, orelse]

    def loop_blocks(self, head: Line, params: list[Typed]) -> list[Block]:
        first = self.line
        if first is None or not (first.cursor.at("test") and _is_label(first)):
            return [self.block(head, params)]
        blocks: list[Block] = []
        for label in ("test", "body"):
            line = self.line
            if line is None or line.indent != first.indent or not (line.cursor.at(label) and _is_label(line)):
                refuse(f"expected '{label}:' in the loop", (line or head).number, (line or head).indent)
            self.position += 1
            blocks.append(self.block(line, params))
        return blocks


def _graph_line(code: list[tuple[int, str]]) -> tuple[str, list[tuple[int, str]]]:
    """The graph's name, and the lines with it taken away: names such as ``f.<locals>.g`` are no tokens."""
    number, text = code[0] if code else (1, "")
    match = re.match(r"graph ((?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[\w.<>]+))(?=\()", text)
    if match is None:
        refuse("expected 'graph NAME(PARAMETERS) -> TYPES:'", number, 0)
    return unquoted(match[1]), [(number, " " * match.end() + text[match.end() :]), *code[1:]]


def _is_label(line: Line) -> bool:
    return line.cursor.peek().text == ":" and line.cursor.peek(2).kind == "end"
