"""The name of each value in text and pictures: the user's own where there is one, made unique.

A second ``x`` becomes ``x.2``; a value with no name of its own is ``_1``, ``_2``, ... A name may come
again where the other is out of scope: both branches of an ``if`` may have their ``y``.

>>> from runtime.types import FLOAT
>>> a, b, c = Value(FLOAT, "x"), Value(FLOAT, "x"), Value(FLOAT)
>>> list(assign_names(Block([a, b, c])).values())
['x', 'x.2', '_1']

How a value is written where it is used: by its name, or as the constant that it is.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Mapping

from runtime.graph.literals import Objects, is_constant, is_inline_constant, literal
from runtime.graph.operations import Block, Operation, Value, loop_state
from runtime.types import DTYPE_NAMES, NUMBER_DTYPES

#: words that mean something else in an operand's place
RESERVED = (
    frozenset({"nan", "inf", "graph", "never", "numpy", "builtins", "b1", "str", "object"})
    | frozenset(DTYPE_NAMES)
    | frozenset(NUMBER_DTYPES)
    | frozenset(name for name, item in vars(builtins).items() if isinstance(item, type))
)


def assign_names(body: Block) -> dict[Value, str]:
    """A name for every value of a graph but those of constants that are shown inline (they get one too)."""
    namer = _Namer()
    namer.block(body)
    return namer.names


def shares_params(operation: Operation) -> bool:
    """Do the test and the body of a loop take the same parameters, name and type alike?"""
    first, *others = operation.blocks
    signature = [(p.hint, p.type) for p in first.params]
    return all([(p.hint, p.type) for p in block.params] == signature for block in others)


def is_plain_loop(operation: Operation) -> bool:
    """Has a ``while`` or ``for`` the shape that `runtime/graph` gives it?"""
    if operation.is_while:
        counts, extra = {2}, 0
    elif operation.is_counted:
        counts, extra = {1, 2}, 1
    else:
        return False
    carried = len(loop_state(operation)) + extra
    fits = len(operation.blocks) in counts and all(len(b.params) == carried for b in operation.blocks)
    return fits and len(operation.inputs) >= 3 * extra and shares_params(operation)


class _Namer:
    def __init__(self) -> None:
        self.names: dict[Value, str] = {}
        self.visible: set[str] = set()
        self.anonymous = 0

    def define(self, value: Value) -> None:
        base = plain_hint(value.hint)
        if not base:
            self.anonymous += 1
            self.names[value] = f"_{self.anonymous}"
            return
        name, n = base, 1
        while name in self.visible:
            n += 1
            name = f"{base}.{n}"
        self.visible.add(name)
        self.names[value] = name

    def block(self, block: Block, like: Block | None = None) -> None:
        outer = set(self.visible)
        for k, param in enumerate(block.params):
            if like is None:
                self.define(param)
            else:
                self.names[param] = self.names[like.params[k]]
                self.visible.add(self.names[param])
        for op in block.operations:
            shared = op.blocks[0] if is_plain_loop(op) else None
            for nested in op.blocks:
                self.block(nested, like=None if nested is shared else shared)
            if is_shown(op):
                for output in op.outputs:
                    self.define(output)
        self.visible = outer


def plain_hint(hint: str) -> str:
    """A hint as the text form can spell it: ``d['k']`` becomes ``d.k``; none for what looks like ours.

    >>> plain_hint("self.total"), plain_hint("d['k']"), plain_hint("_1"), plain_hint("for")
    ('self.total', 'd.k', 'v_1', 'for_')
    """
    if not hint:
        return ""
    if hint.isidentifier() and not keyword.iskeyword(hint) and hint not in RESERVED and hint[0] != "_":
        return hint
    words = [word for word in re.split(r"\W+", hint) if word]
    words = [w if w.isidentifier() and not keyword.iskeyword(w) else _spelled(w) for w in words]
    if words and words[0] in RESERVED:
        words[0] += "_"
    name = ".".join(words)
    return "v" + name if re.fullmatch(r"_\d+", name) else name


def _spelled(word: str) -> str:
    return word + "_" if keyword.iskeyword(word) else "_" + word


def is_shown(operation: Operation) -> bool:
    """Is the operation a line of its own? Plain constants are shown where they are used."""
    return not is_inline_constant(operation)


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
