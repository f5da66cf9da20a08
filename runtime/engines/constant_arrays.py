"""Arrays that are the same in each call are computed once, when a graph is compiled.

The graph that people see is left as it is: such arrays have no text.

>>> import numpy as np
>>> from runtime.formats.parse import parse
>>> graph = fold_constant_arrays(parse('''
... graph f(x: f64[2]) -> f64[2]:
...     ones: f64[2] = full(1.0, shape=(2,), dtype=dtype(f64))
...     twos: f64[2] = add(ones, ones)
...     y: f64[2] = multiply(x, twos)
...     return y
... '''))
>>> [(op.name, op.attributes.get("value")) for op in graph.operations()]
[('constant', 1.0), ('constant', array([2., 2.])), ('multiply', None)]
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import Memory, effects_of
from runtime.graph.rewrite import Rebuild, make_constant
from runtime.ops import REGISTRY
from runtime.types import ArrayType, ScalarType, is_known, type_of

#: so many elements an array has at most that is kept with the code
MOST_ELEMENTS = 1 << 14


def fold_constant_arrays(graph: Graph) -> Graph:
    """What somebody else may see, or writes, is made in each call."""
    memory, known = Memory(graph), dict[Value, Any]()
    for op in graph.body.operations:
        if op.is_constant:
            known[op.output] = op.attributes["value"]
        elif _may_be_known(op) and all(value in known for value in op.inputs):
            result = _computed(op, known) if memory.is_anonymous(op.output) else None
            if result is not None:
                known[op.output] = result
    return _WithArrays(known).graph(graph)


def _may_be_known(op: Operation) -> bool:
    """Does it make a small array, or a number of one?"""
    if op.blocks or len(op.outputs) != 1 or REGISTRY[op.name].kernel is None:
        return False
    effects = effects_of(op)
    if effects.ordered or effects.writes:
        return False
    type = op.output.type
    if not isinstance(type, ArrayType):
        return isinstance(type, ScalarType)
    return is_known(type.shape) and math.prod(type.shape) <= MOST_ELEMENTS


def _computed(op: Operation, known: Mapping[Value, Any]) -> Any:
    """The array; None where making it complains."""
    kernel = REGISTRY[op.name].kernel
    assert kernel is not None
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            result = kernel(*[known[value] for value in op.inputs], **op.attributes)
    except Exception:  # noqa: BLE001 - it is raised, or said, when the program gets there
        return None
    exact = isinstance(result, np.ndarray | np.generic) and type_of(result) == op.output.type
    return result if exact else None


class _WithArrays(Rebuild):
    """Known arrays are constants, where somebody needs them who is not known."""

    def __init__(self, known: Mapping[Value, Any]) -> None:
        super().__init__()
        self.known = known
        self.wanted: set[Value] = set()

    def graph(self, graph: Graph) -> Graph:
        self.wanted.update(graph.body.results)
        for op in graph.operations():
            if not self._is_known(op):
                self.wanted.update(op.inputs)
            for block in op.blocks:
                self.wanted.update(block.results)
        return super().graph(graph)

    def operation(self, op: Operation, block: Block) -> None:
        if not self._is_known(op):
            block.append(self.copy(op))
        elif op.output in self.wanted:
            constant = make_constant(self.known[op.output], op.output, op)
            self.replace(op.outputs, block.append(constant).outputs)

    def _is_known(self, op: Operation) -> bool:
        return not op.is_constant and len(op.outputs) == 1 and op.output in self.known
