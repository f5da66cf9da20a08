"""``print``, ``raise``, ``assert`` and f-strings as Python writes them, where their templates allow it.

    print('x is', x, sep='')
    raise ValueError('too large:', x)
    assert c, 'must be positive'
    text: str = f'{x:.3f} is too large'

Names stand for the holes of the template; literals are part of it. What does not fit (an operand that is
a constant, a hole that comes twice) is written in the general form, with ``template=``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from itertools import pairwise
from string import Formatter
from typing import TYPE_CHECKING, Any

from runtime.formats.literals import Objects, is_inline_constant, literal
from runtime.formats.read_literals import WithHoles, python_class, read_arguments, read_literal, read_object
from runtime.formats.tokens import Cursor
from runtime.graph.core import Location, Operation, Value
from runtime.ops.exceptions import rebuild
from runtime.ops.template import Hole, Make, Template
from runtime.types import Type

if TYPE_CHECKING:
    from runtime.formats.text import Writer


def statement_text(writer: Writer, op: Operation) -> str | None:
    """The Python-like form of an operation, or None when it has none."""
    template = op.attributes.get("template")
    shapes = {"print": ["template"], "assert": ["template"], "raise": ["exception", "template"]}
    if list(op.attributes) != shapes.get(op.name) or op.outputs:
        return None
    if op.name == "assert":
        return _assert_text(writer, op, template)
    if not isinstance(template, Template):
        return None
    if op.name == "raise" and op.attributes["exception"] is None:
        return _raise_text(writer, op, template.structure)
    if not _is_call(template.structure):
        return None
    words = _filled(writer, op.inputs, _Call(*template.structure))
    if words is None or op.name == "print":
        return words and f"print{words}"
    name = literal(op.attributes["exception"], Objects())
    return f"raise {name}{words}" if name.isidentifier() else None


def _raise_text(writer: Writer, op: Operation, structure: Any) -> str | None:
    """The exception of a class with no text form, made by ``rebuild``: ``raise <object 1: type Big>(x)``."""
    if type(structure) is not tuple or len(structure) != 1 or not isinstance(structure[0], Make):
        return None
    made = structure[0]
    if made.function is not rebuild or made.kwargs or made.args[2]:
        return None
    cls, arguments, _ = made.args
    if not literal(cls, Objects()).startswith("<object"):
        return None
    words = _filled(writer, op.inputs, _Call(arguments, {}))
    return words and f"raise {writer.objects.reference(cls)}{words}"


def format_text(writer: Writer, op: Operation) -> str | None:
    """An f-string, or None where the pieces are not text and names in turn."""
    template = op.attributes.get("template")
    if op.name != "format" or list(op.attributes) != ["template"] or not isinstance(template, Template):
        return None
    if any(_is_constant(value) for value in op.inputs) or type(template.structure) is not tuple:
        return None
    text, used, after_text = "", 0, False
    for piece in template.structure:
        is_text = isinstance(piece, str)
        if piece == "" or (is_text and after_text):
            return None
        after_text = is_text
        if is_text:
            text += piece.replace("{", "{{").replace("}", "}}")
            continue
        hole, conversion, spec = piece
        if hole != Hole(used) or not isinstance(spec, str) or set(spec) & set("{}"):
            return None
        text += f"{{{writer.operand(op.inputs[used])}{'!' + conversion if conversion else ''}"
        text += f":{spec}}}" if spec else "}"
        used += 1
    return f"f{text!r}" if used == len(op.inputs) else None


def _assert_text(writer: Writer, op: Operation, template: Any) -> str | None:
    if not op.inputs or _is_constant(op.inputs[0]):
        return None
    test = writer.operand(op.inputs[0])
    if template is None and len(op.inputs) == 1:
        return f"assert {test}"
    if not isinstance(template, Template):
        return None
    words = _filled(writer, op.inputs[1:], template.structure)
    return words and f"assert {test}, {words}"


class _Call:
    """Arguments as they stand in parentheses."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs

    def text(self, objects: Objects) -> str:
        words = [literal(item, objects) for item in self.args]
        words += [f"{key}={literal(item, objects)}" for key, item in self.kwargs.items()]
        return f"({', '.join(words)})"


def _is_call(structure: Any) -> bool:
    if type(structure) is not tuple or len(structure) != 2:
        return False
    args, kwargs = structure
    names = type(kwargs) is dict and all(type(k) is str and k.isidentifier() for k in kwargs)
    return type(args) is tuple and names and "template" not in kwargs


def _filled(writer: Writer, inputs: Sequence[Value], structure: Any) -> str | None:
    """The text of a structure with the inputs' names in its holes, each once and in order."""
    if any(_is_constant(value) for value in inputs):
        return None
    objects = writer.objects
    objects.names, objects.used = [writer.operand(value) for value in inputs], []
    try:
        words = structure.text(objects) if isinstance(structure, _Call) else literal(structure, objects)
    finally:
        objects.names = None
    return words if objects.used == list(range(len(inputs))) else None


def _is_constant(value: Value) -> bool:
    return value.owner is not None and is_inline_constant(value.owner)


# -- reading -------------------------------------------------------------------------------------------


def read_statement(
    cursor: Cursor, objects: Mapping[int, Any], scope: Mapping[str, Value], location: Location | None
) -> Operation | None:
    """The operation of a line in one of the forms above; None for any other line."""
    name = cursor.token.text
    follows = cursor.peek()
    general = any(t.text == "template" and u.text == "=" for t, u in pairwise(cursor.tokens))
    if general or name not in ("print", "raise", "assert") or (name == "print") != (follows.text == "("):
        return None
    if name != "print" and follows.kind != "name" and not (name == "raise" and follows.kind == "object"):
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
        attributes = {} if name == "print" else {"exception": read_exception(cursor)}
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
