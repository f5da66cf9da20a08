"""A graph as text that a person reads with pleasure; `runtime/formats/parse.py` reads it back.

    # relu.py
    graph relu(x: f64[None,3]) -> f64[None,3]:
        s: f64 = sum(x)                          # 2
        _1: b1 = greater(s, 0.0)                 # 3
        y: f64[None,3] = if _1:                  # 3
            y: f64[None,3] = multiply(x, 2.0)    # 4
            yield y
        else:
            y: f64[None,3] = negative(x)         # 6
            yield y
        return y

Names are the user's. Constants stand where they are used. At the end of a line is the user's own line
(`12:4 in helper` where the column is known or the function is another one).

>>> from runtime.types import FLOAT
>>> x = Value(FLOAT, "x")
>>> body = Block([x])
>>> two = body.append(Operation("constant", (), (FLOAT,), {"value": 2.0})).output
>>> body.results = body.append(Operation("py.mul", (x, two), (FLOAT,))).outputs
>>> print(Writer([("double", body)]).text(), end="")
graph double(x: float) -> float:
    _1: float = py.mul(x, 2.0)
    return _1
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from runtime.graph.effect_text import format_text, statement_text
from runtime.graph.literals import Objects, is_constant, literal
from runtime.graph.names import Operands, assign_names, is_plain_loop, is_shown
from runtime.graph.operations import Block, Location, Operation, Value, walk
from runtime.ops.definition import REGISTRY
from runtime.ops.template import Template

INDENT = "    "
#: comments are aligned, unless lines get longer than this
COMMENT_COLUMN = 76


class Writer(Operands):
    """Collects lines, each with the location that becomes its comment.

    ``parts`` are the graph's name and body, and those of the functions that it may call. ``objects`` collects
    what has no text form (`parse` takes it back).
    """

    def __init__(self, parts: Sequence[tuple[str, Block]], objects: Objects | None = None) -> None:
        names = {value: name for _, body in parts for value, name in assign_names(body).items()}
        super().__init__(names, objects if objects is not None else Objects())
        self.parts = parts
        self.home = home_of([body for _, body in parts])
        self.lines: list[tuple[str, Location | None]] = []

    def text(self) -> str:
        for k, (name, body) in enumerate(self.parts):
            title = f"function @{name}" if k else f"graph {_graph_name(name)}"
            result = "never" if body.ends == "never" else _type_list(body.results)
            self.line(0, f"{title}({self.params(body.params)}) -> {result}:")
            self.block(body, 1, end="return")
        header = [f"# {self._home_text()}"] if self.home else []
        return "\n".join(header + self._commented()) + "\n"

    def operation_text(self, op: Operation) -> str:
        """The lines of one operation with the names that it has in the graph: for error messages."""
        start = len(self.lines)
        self.operation(op, 0)
        return "\n".join(line for line, _ in self.lines[start:])

    def line(self, depth: int, text: str, location: Location | None = None) -> None:
        self.lines.append((INDENT * depth + text, location))

    def block(self, block: Block, depth: int, end: str = "yield") -> None:
        start = len(self.lines)
        for op in block.operations:
            if is_shown(op):
                self.operation(op, depth)
        last = block.operations[-1].name if block.operations else ""
        if block.ends == "never":
            if last != "raise":
                self.line(depth, "never")
        elif block.results or last == "raise" or len(self.lines) == start:
            self.line(depth, f"{end} {self.operands(block.results)}".rstrip())

    def operation(self, op: Operation, depth: int) -> None:
        outputs = ", ".join(self.typed(value) for value in op.outputs)
        left = f"{outputs} = " if outputs else ""
        self.line(depth, left + self.sentence(op) + (":" if op.blocks else ""), op.location)
        if is_plain_if(op):
            self._branches(op, depth)
        elif is_plain_loop(op):
            self._loop_blocks(op, depth)
        else:  # the general form: `try` and whatever comes later
            for block in op.blocks:
                self.line(depth + 1, f"block({self.params(block.params)}):")
                self.block(block, depth + 2)

    def sentence(self, op: Operation) -> str:
        """The operation without its outputs and its blocks: ``x[i]``, ``add(x, 1)``, ``if c``."""
        if is_plain_if(op):
            return f"if {self.operand(op.inputs[0])}{self.extras(op)}"
        if is_plain_loop(op):
            return self._loop_head(op)
        if op.is_call:
            return f"@{op.attributes['function']}({self.operands(op.inputs)})"
        return (
            self.subscript(op)
            or statement_text(self, op)
            or format_text(self, op)
            or _container_text(self, op)
            or self.call(op)
        )

    def _branches(self, op: Operation, depth: int) -> None:
        self.block(op.blocks[0], depth + 1)
        orelse = op.blocks[1]
        if orelse.operations or orelse.results or orelse.ends == "never":
            self.line(depth, "else:")
            self.block(orelse, depth + 1)

    def _loop_head(self, op: Operation) -> str:
        params, state = op.blocks[0].params, op.inputs
        head = "while"
        if op.is_counted:
            head = f"for {self.typed(params[0])} in range({self.operands(state[:3])})"
            params, state = params[1:], state[3:]
        carried = [f"{self.typed(p)} = {self.operand(v)}" for p, v in zip(params, state, strict=True)]
        head += f" with {', '.join(carried)}" if carried else ""
        return head + self.extras(op)

    def _loop_blocks(self, op: Operation, depth: int) -> None:
        if len(op.blocks) == 1:
            self.block(op.blocks[0], depth + 1)
            return
        for label, block in zip(("test", "body"), op.blocks, strict=True):
            self.line(depth + 1, f"{label}:")
            self.block(block, depth + 2)

    def call(self, op: Operation) -> str:
        parts = [self.operand(value) for value in op.inputs]
        parts += [f"{key}={literal(item, self.objects)}" for key, item in op.attributes.items()]
        return f"{op.name}({', '.join(parts)})"

    def extras(self, op: Operation) -> str:
        parts = [f"{key}={literal(item, self.objects)}" for key, item in op.attributes.items()]
        return f" {{{', '.join(parts)}}}" if parts else ""

    def subscript(self, op: Operation) -> str | None:
        """``x[i, 1:]`` and ``x[i] = v``, when the dynamic parts are names in order; else None."""
        stores = op.is_store
        if not op.is_item or list(op.attributes) != ["index"]:
            return None
        if len(op.inputs) < 1 + stores or len(op.outputs) == stores:
            return None
        dynamic = op.inputs[1 + stores :]
        if any(is_constant(value) for value in (op.inputs[0], *dynamic)):
            return None
        index = _Subscripts(list(map(self.operand, dynamic)), self.objects).text(op.attributes["index"])
        if index is None:
            return None
        place = f"{self.operand(op.inputs[0])}[{index}]"
        return f"{place} = {self.operand(op.inputs[1])}" if stores else place

    # -- the user's lines ------------------------------------------------------------------------------

    def _home_text(self) -> str:
        assert self.home is not None
        file, function = self.home
        return _path(file) + ("" if function == self.parts[0][0] else f" in {function}")

    def _commented(self) -> list[str]:
        lengths = [len(line) for line, location in self.lines if location and len(line) <= COMMENT_COLUMN]
        column = max(lengths, default=0) + 2
        return [
            f"{line:<{max(column, len(line) + 2)}}# {self.comment(location)}" if location else line
            for line, location in self.lines
        ]

    def comment(self, location: Location) -> str:
        assert self.home is not None
        text = f"{location.line}:{location.column}" if location.column else f"{location.line}"
        if location.file != self.home[0]:
            text = f"{_path(location.file)}:{text}"
        return text if location.function == self.home[1] else f"{text} in {location.function}"


class _Subscripts:
    """An index in brackets as Python writes it. ``text`` is None when it cannot be read back."""

    def __init__(self, names: list[str], objects: Objects) -> None:
        self.names = names
        self.objects = objects
        self.used = 0

    def text(self, index: Any) -> str | None:
        if type(index) is not tuple or not index:
            return None
        parts = [self._part(part) for part in index]
        if self.used != len(self.names) or None in parts:
            return None
        joined = ", ".join(part for part in parts if part is not None)
        return joined

    def _part(self, part: Any) -> str | None:
        if type(part) is not slice:
            return self._atom(part)
        bounds = ["" if b is None else self._atom(b) for b in (part.start, part.stop, part.step)]
        if None in bounds or any(b == "None" or b == "..." for b in bounds):
            return None
        start, stop, step = bounds
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"

    def _atom(self, part: Any) -> str | None:
        if type(part).__name__ == "Dynamic":
            if part.index != self.used or part.index >= len(self.names):
                return None
            self.used += 1
            return self.names[part.index]
        if part is None or part is Ellipsis or type(part) is int:
            return literal(part, self.objects)
        return None


def home_of(bodies: Iterable[Block]) -> tuple[str, str] | None:
    """The file and function that most operations come from; comments need not repeat them."""
    operations = [op for body in bodies for op in walk(body)]
    places = [(op.location.file, op.location.function) for op in operations if op.location and is_shown(op)]
    return Counter(places).most_common(1)[0][0] if places else None


def is_plain_if(op: Operation) -> bool:
    """Has an ``if`` the shape that `runtime/graph` gives it?"""
    shape = op.is_branch and len(op.inputs) == 1 and len(op.blocks) == 2
    return shape and not any(block.params for block in op.blocks)


def _type_list(values: tuple[Value, ...]) -> str:
    types = ", ".join(str(value.type) for value in values)
    return types if len(values) == 1 else f"({types})"


def _graph_name(name: str) -> str:
    return name if re.fullmatch(r"[\w.<>]+", name) else repr(name)


def _path(path: str) -> str:
    """A path as it is, quoted where a comment could be misread."""
    return repr(path) if re.search(r":\d| in |[\r\n'\"]", path) or not path else path


# -- operations on containers: what follows from the types is left out ---------------------------------------

#: told by the types of the outputs
_HIDDEN = ("type", "types", "reader", "template")


def _container_text(operands: Operands, op: Operation) -> str | None:
    """The text of an operation on containers; None for another operation."""
    definition = REGISTRY.get(op.name)
    if definition is None or definition.family != "container":
        return None
    words = [operands.operand(value) for value in op.inputs]
    template = op.attributes.get("template")
    if isinstance(template, Template):
        words = _filled(operands, template.structure, words, alone=op.makes_container)
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
