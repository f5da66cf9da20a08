"""Leave out operations that give back their operand, exactly.

>>> from runtime.formats.parse import parse
>>> print(simplify(parse('''
... graph f(x: float, c: bool) -> (float, bool):
...     a: float = py.mul(x, 1)
...     b: float = py.sub(a, 0.0)
...     d: bool = py.bool(c)
...     return b, d
... ''')), end="")
graph f(x: float, c: bool) -> (float, bool):
    return x, c

Absent on purpose: ``x + 0.0`` (x may be -0.0), ``x * 0`` (x may be NaN or infinite), ``x - x`` and
``x == x`` (NaN), and anything whose operand is an array: the result would have been new memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.rewrite import Rebuild, constant_of, is_undefined
from runtime.types import BOOL, INT, ArrayType, NumberType, ObjectType, ScalarType

#: (name of the operation, inputs) -> the input that the result equals, or None
Rule = Callable[[Operation, tuple[Value, ...]], Value | None]


def simplify(graph: Graph) -> Graph:
    found = any(_operand(op, op.inputs) or next(_equal_yields(op), None) for op in graph.operations())
    return _Simplify().graph(graph) if found else graph


class _Simplify(Rebuild):
    def operation(self, op: Operation, block: Block) -> None:
        same = _operand(op, self.of(op.inputs))
        if same is not None:
            debug.fired(f"{op.name} gives back its operand", op)
            self.values[op.output] = same
            return
        copy = self.copy(op)
        block.append(copy)
        for k, value in _equal_yields(copy):
            debug.fired("both branches yield the same", op)
            self.values[op.outputs[k]] = value


def _operand(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
    """The operand that an operation gives back, if it does."""
    if op.name == "identity":
        return inputs[0]
    rule = RULES.get(op.name)
    same = rule(op, inputs) if rule is not None else None
    if same is not None and same.type == op.output.type and not isinstance(same.type, ArrayType):
        return same
    return None


def _equal_yields(op: Operation) -> Iterator[tuple[int, Value]]:
    """What both branches of an ``if`` yield alike need not pass through it: (number of the output, value).

    Where one of them yields what nobody reads, the other's value is as good.
    """
    if not op.is_branch:
        return
    living = [block for block in op.blocks if block.ends == "yield"]
    yield from _conditions(op)
    inside = {output for block in op.blocks for inner in block.operations for output in inner.outputs}
    for k, output in enumerate(op.outputs):
        yielded = {block.results[k] for block in living if not is_undefined(block.results[k])}
        if len(yielded) == 1:
            (value,) = yielded
            if value not in inside and value.type == output.type:
                yield k, value


def _conditions(op: Operation) -> Iterator[tuple[int, Value]]:
    """``True if c else False`` is c, where c is a bool of Python's."""
    if op.inputs[0].type == BOOL and all(block.ends == "yield" for block in op.blocks):
        for k, output in enumerate(op.outputs):
            known = [constant_of(block.results[k]) for block in op.blocks]
            values = [one.attributes["value"] for one in known if one is not None]
            if output.type == BOOL and len(values) == 2 and values[0] is True and values[1] is False:
                yield k, op.inputs[0]


def number(value: Value) -> Any:
    """The plain number that a constant is, or None."""
    constant = constant_of(value)
    if constant is None or not isinstance(value.type, NumberType | ScalarType):
        return None
    return constant.attributes["value"]


def right_is(neutral: int) -> Rule:
    """``x op neutral`` is x."""
    return lambda op, inputs: inputs[0] if number(inputs[1]) == neutral else None


def either_is(neutral: int) -> Rule:
    def rule(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
        x, y = inputs
        if number(y) == neutral:
            return x
        return y if number(x) == neutral else None

    return rule


def only_for(kinds: str, rule: Rule) -> Rule:
    """The rule, where the result's dtype is of one of these kinds."""

    def checked(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
        type = op.output.type
        fits = not isinstance(type, ObjectType) and type.dtype.kind in kinds
        return rule(op, inputs) if fits else None

    return checked


#: dtype kinds. Complex is in neither: (inf+0j) * 1 is (inf+nanj) in NumPy and in older Pythons
INTEGERS, REALS = "iu", "iuf"


def undoes_itself(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
    """``-(-x)``; in 64 bits the inner one may overflow where Python would not, so less can raise."""
    inner = inputs[0].owner
    return inner.inputs[0] if inner is not None and inner.name == op.name else None


def same_type(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
    """A conversion to the type that the operand has."""
    return inputs[0] if isinstance(inputs[0].type, NumberType | ScalarType) else None


def not_not(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
    return undoes_itself(op, inputs) if inputs[0].type == BOOL else None


def same_choice(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
    if is_undefined(inputs[2]):
        return inputs[1]
    return inputs[2] if inputs[1] is inputs[2] or is_undefined(inputs[1]) else None


def at_least_int(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
    return inputs[0] if inputs[0].type == INT else None


def minus_zero(op: Operation, inputs: tuple[Value, ...]) -> Value | None:
    """``x - 0`` is x for every float too (-0.0 - 0.0 is -0.0); ``x - -0.0`` is not: -0.0 - -0.0 is 0.0."""
    zero = number(inputs[1])
    return inputs[0] if zero == 0 and not str(zero).startswith("-") else None


RULES: dict[str, Rule] = {
    "py.add": only_for(INTEGERS, either_is(0)),
    "add": only_for(INTEGERS, either_is(0)),
    "py.sub": only_for(REALS, minus_zero),
    "subtract": only_for(REALS, minus_zero),
    "py.mul": only_for(REALS, either_is(1)),
    "multiply": only_for(REALS, either_is(1)),
    "py.truediv": only_for(REALS, right_is(1)),
    "true_divide": only_for(REALS, right_is(1)),
    "py.floordiv": only_for(INTEGERS, right_is(1)),
    "py.neg": undoes_itself,
    "py.pos": same_type,
    "py.not": not_not,
    "py.bool": same_type,
    "py.int": same_type,
    "py.float": same_type,
    "py.complex": same_type,
    "py.index": at_least_int,
    "cast": same_type,
    "py.select": same_choice,
}
