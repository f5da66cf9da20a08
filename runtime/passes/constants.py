"""Compute what is known: operations on constants, and the branch of an ``if`` on a constant.

>>> from runtime.formats.parse import parse
>>> print(fold_constants(parse('''
... graph f(x: int) -> int:
...     n: int = py.add(2, 3)
...     c: bool = py.lt(n, 10)
...     y: int = if c:
...         z: int = py.mul(x, n)
...         yield z
...     else:
...         yield x
...     return y
... ''')), end="")
graph f(x: int) -> int:
    z: int = py.mul(x, 5)
    return z

What would raise, or warn, is left alone: that happens when the program gets there, or never.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import effects_of
from runtime.graph.rewrite import Rebuild, constant_of, make_constant
from runtime.ops import REGISTRY
from runtime.types import STR, NumberType, ScalarType, type_of

#: a result may be astronomic although the operands are small: fold only with operands up to this
_GROWING = frozenset(
    {"py.pow", "py.lshift", "math.factorial", "math.comb", "math.perm", "power", "float_power"}
)
_SMALL = 64
#: not folded: `format` may ask the locale, `~True` warns, `undef` is not a value
_RUN_TIME_ONLY = frozenset({"constant", "undef", "format", "py.invert"})


def fold_constants(graph: Graph) -> Graph:
    found = any(_is_known(op) or _computed(op, op.inputs) is not None for op in graph.operations())
    return _FoldConstants().graph(graph) if found else graph


def _is_known(op: Operation) -> bool:
    """Is it known which branch of an ``if`` runs?"""
    return op.is_branch and constant_of(op.inputs[0]) is not None


class _FoldConstants(Rebuild):
    def operation(self, op: Operation, block: Block) -> None:
        inputs = self.of(op.inputs)
        if op.is_branch:
            pred = constant_of(inputs[0])
            if pred is not None:
                debug.fired("known branch", op)
                self.take(op, op.blocks[0 if pred.attributes["value"] else 1], block)
                return
        results = _computed(op, inputs)
        if results is None:
            block.append(self.copy(op))
            return
        debug.fired("constant", op)
        for output, result in zip(op.outputs, results, strict=True):
            self.values[output] = block.append(make_constant(result, output, op)).output

    def take(self, op: Operation, branch: Block, block: Block) -> None:
        """Put the operations of ``branch`` in the place of the ``if``."""
        self.fill(block, branch)
        if block.ends != "never":
            results, block.results = block.results, ()
            self.replace(op.outputs, results)


def _computed(op: Operation, inputs: tuple[Value, ...]) -> tuple[Any, ...] | None:
    """The results, when they are known, immutable and computed without complaint."""
    constants = [constant for value in inputs if (constant := constant_of(value)) is not None]
    if not inputs or len(constants) != len(inputs) or op.blocks or not op.outputs:
        return None
    definition = REGISTRY[op.name]
    if definition.kernel is None or op.name in _RUN_TIME_ONLY:
        return None
    if not all(_is_number(value) for value in (*op.inputs, *op.outputs)):
        return None
    arguments = [constant.attributes["value"] for constant in constants]
    if _has_effect(op) or _may_explode(op, arguments):
        return None
    try:
        with np.errstate(all="raise"):  # what warns at run time shall warn at run time
            result = definition.kernel(*arguments, **op.attributes)
    except (ArithmeticError, ValueError, TypeError, LookupError, MemoryError):
        return None
    results = result if len(op.outputs) > 1 else (result,)
    exact = [type_of(item) == output.type for item, output in zip(results, op.outputs, strict=True)]
    return tuple(results) if all(exact) else None


def _is_number(value: Value) -> bool:
    return isinstance(value.type, NumberType | ScalarType) or value.type == STR


def _has_effect(op: Operation) -> bool:
    effects = effects_of(op)
    return effects.ordered or bool(effects.writes)


def _may_explode(op: Operation, arguments: list[Any]) -> bool:
    large = any(isinstance(item, int) and abs(item) > _SMALL for item in arguments)
    return op.name in _GROWING and large
