"""``print``, ``raise``, ``assert`` and f-strings as Python writes them, where their templates allow it.

    print('x is', x, sep='')
    raise ValueError('too large:', x)
    assert c, 'must be positive'
    text: str = f'{x:.3f} is too large'

Names stand for the holes of the template; literals are part of it. What does not fit (an operand that is
a constant, a hole that comes twice) is operands in the general form, with ``template=``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.graph.literals import Objects, is_constant, literal
from runtime.graph.names import Operands
from runtime.graph.operations import Operation, Value
from runtime.ops.instances import rebuild
from runtime.ops.template import Hole, Make, Template


def statement_text(operands: Operands, op: Operation) -> str | None:
    """The Python-like form of an operation, or None when it has none."""
    attributes, write = _FORMS.get(op.name, ([], None))
    if write is None or list(op.attributes) != attributes or op.outputs:
        return None
    return write(operands, op, op.attributes["template"])


def _print_text(operands: Operands, op: Operation, template: Any) -> str | None:
    words = _call_text(operands, op, template)
    return words and f"print{words}"


def _raise_text(operands: Operands, op: Operation, template: Any) -> str | None:
    exception = op.attributes["exception"]
    if exception is None:
        return _made_text(operands, op, template.structure) if isinstance(template, Template) else None
    words, name = _call_text(operands, op, template), literal(exception, Objects())
    return f"raise {name}{words}" if words is not None and name.isidentifier() else None


def _call_text(operands: Operands, op: Operation, template: Any) -> str | None:
    if not isinstance(template, Template) or not _is_call(template.structure):
        return None
    return _filled(operands, op.inputs, _Call(*template.structure))


def _made_text(operands: Operands, op: Operation, structure: Any) -> str | None:
    """The exception of a class with no text form, made by ``rebuild``: ``raise <object 1: type Big>(x)``."""
    if type(structure) is not tuple or len(structure) != 1 or not isinstance(structure[0], Make):
        return None
    made = structure[0]
    if made.function is not rebuild or made.kwargs or made.args[2]:
        return None
    cls, arguments, _ = made.args
    if not literal(cls, Objects()).startswith("<object"):
        return None
    words = _filled(operands, op.inputs, _Call(arguments, {}))
    return words and f"raise {operands.objects.reference(cls)}{words}"


def format_text(operands: Operands, op: Operation) -> str | None:
    """An f-string, or None where the pieces are not text and names in turn."""
    template = op.attributes.get("template")
    if not op.is_format or list(op.attributes) != ["template"] or not isinstance(template, Template):
        return None
    if any(is_constant(value) for value in op.inputs) or type(template.structure) is not tuple:
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
        text += f"{{{operands.operand(op.inputs[used])}{'!' + conversion if conversion else ''}"
        text += f":{spec}}}" if spec else "}"
        used += 1
    return f"f{text!r}" if used == len(op.inputs) else None


def _assert_text(operands: Operands, op: Operation, template: Any) -> str | None:
    if not op.inputs or is_constant(op.inputs[0]):
        return None
    test = operands.operand(op.inputs[0])
    if template is None and len(op.inputs) == 1:
        return f"assert {test}"
    if not isinstance(template, Template):
        return None
    words = _filled(operands, op.inputs[1:], template.structure)
    return words and f"assert {test}, {words}"


#: the attributes that they have, and how they are written
_FORMS: dict[str, tuple[list[str], Callable[[Operands, Operation, Any], str | None]]] = {
    "print": (["template"], _print_text),
    "assert": (["template"], _assert_text),
    "raise": (["exception", "template"], _raise_text),
}


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


def _filled(operands: Operands, inputs: Sequence[Value], structure: Any) -> str | None:
    """The text of a structure with the inputs' names in its holes, each once and in order."""
    if any(is_constant(value) for value in inputs):
        return None
    objects = operands.objects
    objects.names, objects.used = [operands.operand(value) for value in inputs], []
    try:
        words = structure.text(objects) if isinstance(structure, _Call) else literal(structure, objects)
    finally:
        objects.names = None
    return words if objects.used == list(range(len(inputs))) else None
